"""What is measured: one file per part of the table."""
