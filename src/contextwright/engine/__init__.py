"""When: prepare before a turn, assemble for it, record after it."""
