"""Rules over several rows, or with an effect outside."""
