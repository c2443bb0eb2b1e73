"""A bar for commands that read whole stores, on a terminal only."""

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
