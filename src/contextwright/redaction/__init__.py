"""What is secret or personal: found by pattern or by field, and replaced."""
