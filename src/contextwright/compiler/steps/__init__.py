"""Stepwise compaction: rare steps, and between them a prefix that keeps its bytes."""
