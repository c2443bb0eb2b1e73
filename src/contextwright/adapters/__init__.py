"""Whose loop it runs in: a folder a framework, imported only by those who use it."""
