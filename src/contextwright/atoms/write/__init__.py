"""WRITE: what is recorded for later, and read back."""
