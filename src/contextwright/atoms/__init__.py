"""What each word means: one file, one word."""
