"""A bar for commands that take their time, on a terminal only."""

import sys
from contextlib import nullcontext
from typing import Any


class StoreProgress:
    """Shows how far each store is; a context manager."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True)
        self._bars: Any = Progress(console=console, transient=True, disable=not console.is_terminal)
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> "StoreProgress":
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def show(self, name: str, done: int, total: int) -> None:
        """Set how much of a store is done, and how much there is."""
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total)
        self._bars.update(self._tasks[name], completed=done, total=total)


def working(what: str) -> Any:
    """A line that moves while something without steps is done; a context manager."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(f"{what} …")
