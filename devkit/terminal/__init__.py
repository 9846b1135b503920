"""The terminal: lines for people, JSON for programs, signals and completion."""
