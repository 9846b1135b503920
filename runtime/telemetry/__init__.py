"""What operators see of a host: metrics, and traces for OpenTelemetry."""
