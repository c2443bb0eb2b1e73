"""The `ctx` command, a file a command."""
