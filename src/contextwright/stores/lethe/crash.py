"""Where a crash may come. Tests put something else in the place of `reached`."""


def reached(step: str) -> None:
    """A step of something that must be whole or not at all was reached."""
