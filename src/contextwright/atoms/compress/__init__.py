"""COMPRESS: fewer tokens, the same meaning."""
