"""What `devkit check` knows: how a manifest is read and judged, and the rules that look across a project."""
