"""What runs inside the sandbox; the standard library and `runtime.sdk` only."""
