"""SELECT: which information enters the context."""
