"""What a terminal shows while a command says nothing: what it does, how far it is, for how long.

One line for all commands, on the standard error of a terminal only. It appears when nothing was
written for a second and goes when something is, so no command can be silent for long and none has
to think of it; commands say what they do (`working`) and how far they are (`ProgressBars`).
"""

import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import msgspec

AFTER_S = 1.0
"""Seconds of silence after which the line appears."""
_LOOK_S = 0.1


class Activity(msgspec.Struct, eq=False):
    """Something that is done; of `total` parts, where it has such."""

    text: str
    done: int = 0
    total: int | None = None

    def update(self, text: str) -> None:
        """Say it in other words."""
        self.text = text


class BusyLine:
    """The line of the command that runs. What is written while it is shown is written in its
    place."""

    def __init__(self, command: str, after_s: float) -> None:
        self.activities = [Activity(command)]
        self.quiet = 0
        self._after_s, self._stream = after_s, sys.stderr
        self._written, self._shown = time.monotonic(), None
        self._lock, self._ended = threading.RLock(), threading.Event()

    def hide(self) -> None:
        """Take the line away until there is silence again."""
        with self._lock:
            self._written = time.monotonic()
            if self._shown is not None:
                self._shown.stop()
                self._shown = None

    def watch(self) -> None:
        """Show the line whenever there was silence, until the command ends."""
        while not self._ended.wait(min(_LOOK_S, self._after_s)):
            with self._lock:
                self._draw()

    def end(self) -> None:
        """The command is at its end."""
        self._ended.set()
        self.hide()

    def _draw(self) -> None:
        """Bring the line up to date; with the lock."""
        if self._ended.is_set() or self.quiet or time.monotonic() - self._written < self._after_s:
            return
        if self._shown is None:
            self._shown = _bar(self._stream)
            self._shown.add_task("")
            self._shown.start()
        now = self.activities[-1]
        (task,) = self._shown.task_ids
        self._shown.update(task, description=now.text, completed=now.done, total=now.total)
        self._shown.refresh()  # not when its own clock comes round: it may say something else then


class _Watched:
    """A stream that takes the line away before something is written to it."""

    def __init__(self, stream: Any, line: BusyLine) -> None:
        self._stream, self._line = stream, line

    def __getattr__(self, name: str) -> Any:
        if name in {"write", "writelines", "buffer"}:
            self._line.hide()
        return getattr(self._stream, name)


_lines: list[BusyLine] = []
"""The line of the command that runs, if it has one."""


@contextmanager
def busy_line(command: str, after_s: float = AFTER_S) -> Generator[None]:
    """Show what a command does while it is silent; nothing, where nobody is at a terminal."""
    shown: Any = sys.stderr  # None where it is closed, `2>&-`
    if shown is None or not shown.isatty():
        yield
        return
    line, streams = BusyLine(command, after_s), (sys.stdout, sys.stderr)
    watcher = threading.Thread(target=line.watch, daemon=True)
    _lines.append(line)
    sys.stdout, sys.stderr = (_Watched(stream, line) for stream in streams)
    watcher.start()
    try:
        yield
    finally:
        line.end()
        watcher.join()
        sys.stdout, sys.stderr = streams
        _lines.remove(line)


@contextmanager
def no_line() -> Generator[None]:
    """While the terminal is another program's, or somebody is waited for."""
    for line in _lines:
        line.quiet += 1
        line.hide()
    try:
        yield
    finally:
        for line in _lines:
            line.quiet -= 1


@contextmanager
def working(what: str) -> Generator[Activity]:
    """Something without steps is done; what is yielded can say it in other words."""
    activity = Activity(what)
    lines = _added(activity)
    try:
        yield activity
    finally:
        for line in lines:
            line.activities.remove(activity)


class ProgressBars:
    """How far several things are; a context manager."""

    def __init__(self) -> None:
        self._activities: dict[str, Activity] = {}
        self._lines: list[BusyLine] = []

    def __enter__(self) -> "ProgressBars":
        return self

    def __exit__(self, *_: object) -> None:
        for line in self._lines:
            for activity in self._activities.values():
                line.activities.remove(activity)

    def show(self, name: str, done: int, total: int) -> None:
        """Set how much of one is done, and how much there is."""
        if name not in self._activities:
            self._activities[name] = Activity(name)
            self._lines = _added(self._activities[name])
        activity = self._activities[name]
        activity.done, activity.total = done, total


def _added(activity: Activity) -> list[BusyLine]:
    for line in _lines:
        line.activities.append(activity)
    return list(_lines)


def _bar(stream: Any) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns: list[Any] = [
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TaskProgressColumn(show_speed=False),
        TimeElapsedColumn(),
    ]
    console = Console(file=stream)
    return Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    )
