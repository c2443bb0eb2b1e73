"""Many sessions compiled at once: in processes, since under the GIL one thread computes at a time;
in threads where the interpreter has none."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from inspect import signature
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import msgspec

from contextwright.argument_types import expect_types
from contextwright.compiler.pack import Pack
from contextwright.engine.door import OPTIONS, SpecLike, session_of, spec_or_compiler, target_of
from contextwright.engine.one_call import compile
from contextwright.errors import ContextwrightError, SpecError
from contextwright.formats import read_session
from contextwright.session.event import Event, Tool
from contextwright.session.session import Session, StateChange
from contextwright.spec.codec import from_json, to_json
from contextwright.spec.expr import Expr
from contextwright.typed_decoding import decoder
from contextwright.worker_threads import has_gil

AHEAD = 4
"""Sessions a worker that are on their way while results are waited for: what is not compiled yet is
not read yet either."""
_PARAMETERS = signature(compile).parameters
_FIX = "compile it by itself, for the whole trace: compile(session, spec, model=...)"


class Compiled(msgspec.Struct, frozen=True):
    """What became of a session.

    Args:
        session_id: the session's; of a file that could not be read, its path.
        pack: the pack; None where there is none.
        error: why there is none.
    """

    session_id: str
    pack: Pack | None = None
    error: ContextwrightError | None = None


def compile_many(
    sessions: Iterable[Any],
    spec: SpecLike | None = None,
    *,
    model: str,
    workers: int | None = None,
    **options: Any,
) -> Iterator[Compiled]:
    """A pack for each session, in their order, as they come; one that fails holds up no other.

    As in `compile`, nothing is written to a session. The workers are processes, each started anew:
    a script that calls this does so below `if __name__ == "__main__":`. On a Python without a GIL
    they are threads.

    Args:
        sessions: sessions, messages or a provider's bodies, as `compile` takes them; or paths, of
            files that the workers read. They may be made one by one: few are held at a time.
        spec: as `compile` takes it, but for a compiler of somebody's own.
        workers: how many; by default one a processor.
        options: those of `compile` that are plain data, such as `window`, `tools` and `now_ms`.

    Raises:
        SpecError: a compiler of somebody's own, an unknown option, or no workers.
        ModelError: an unknown model and no `window`.
    """
    where = "compile_many(sessions, spec, ...)"
    other = {k: v for k, v in options.items() if k in OPTIONS or k not in _PARAMETERS}
    receiver = target_of(model, None, other, where)
    made = spec_or_compiler(spec, where, receiver)
    if not isinstance(made, Expr):
        raise SpecError(
            f"expected a spec, got the compiler {type(made).__name__}, which no other process has",
            where=where,
            fix="a spec, such as C.window(n=5); or compile(session, compiler) in a loop",
        )
    count = (os.cpu_count() or 1) if workers is None else workers
    expect_types(where, SpecError, sessions=(sessions, Iterable), workers=(count, int))
    if count < 1:
        raise SpecError(f"expected 1 worker or more, got {count}", where=where, fix="workers=2")
    work = partial(_compile_one, to_json(made), {**options, "model": model})
    return _compiled(sessions, _Workers(count, work))


def _compiled(sessions: Iterable[Any], workers: "_Workers") -> Generator[Compiled]:
    running: deque[Callable[[], Compiled]] = deque()
    try:
        for session in sessions:
            running.append(workers.begin(session))
            if len(running) > AHEAD * workers.count:
                yield running.popleft()()
        while running:
            yield running.popleft()()
    finally:
        workers.stop()


class _Workers:
    """Processes, or threads where there is no GIL.

    Args:
        count: how many.
        work: compiles what it is sent.
    """

    def __init__(self, count: int, work: Callable[["_Source"], Compiled]) -> None:
        self.count, self._work = count, work
        self._pool: Executor | None = None

    def begin(self, session: Any) -> Callable[[], Compiled]:
        """Send a session to a worker; what waits for the result."""
        try:
            source = _portable(session)
        except ContextwrightError as error:
            return partial(_failed, "", error)
        return partial(self._result, source, self._submitted(source))

    def stop(self) -> None:
        """End the workers once they have done what they do now."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _submitted(self, source: "_Source") -> "Future[Compiled]":
        if self._pool is None:
            self._pool = _pool(self.count)
        try:
            return self._pool.submit(self._work, source)
        except BrokenProcessPool:
            self.stop()
            return self._submitted(source)

    def _result(self, source: "_Source", future: "Future[Compiled]") -> Compiled:
        try:
            return future.result()
        except BrokenProcessPool:
            return self._alone(source)
        except Exception as error:  # noqa: BLE001 -- what can not be sent raises anything
            return _failed("", error)

    def _alone(self, source: "_Source") -> Compiled:
        """Again, in a process of its own: when one ends, all that the others do is lost, and
        nobody knows whose session ended it."""
        with _pool(1) as pool:
            try:
                return pool.submit(self._work, source).result()
            except BrokenProcessPool:
                name = str(source) if isinstance(source, Path) else _session(source).id
                ended = ContextwrightError(
                    "the process that compiled it ended",
                    where=name,
                    fix='call compile_many below `if __name__ == "__main__":`; give it more memory',
                )
                return Compiled(name, error=ended)


def _pool(count: int) -> Executor:
    # a forked process would hold locks of threads that it does not have
    return (
        ProcessPoolExecutor(count, get_context("spawn")) if has_gil() else ThreadPoolExecutor(count)
    )


def _compile_one(spec: bytes, options: dict[str, Any], source: "_Source") -> Compiled:
    """In a worker: the pack, or the error."""
    name = str(source) if isinstance(source, Path) else ""
    try:
        session = _session(source)
        name = session.id
        return Compiled(name, compile(session, from_json(spec), **options))
    except Exception as error:  # noqa: BLE001 -- it is this session's, and holds up no other
        return _failed(name, error)


def _failed(name: str, error: Exception) -> Compiled:
    if not isinstance(error, ContextwrightError):
        what = f"{type(error).__name__}: {error}"
        error = ContextwrightError(what[:500], where=name or None, fix=_FIX)
    return Compiled(name, error=error)


class _Portable(msgspec.Struct):
    """A session as another process takes it."""

    id: str
    events: list[Event]
    changes: list[StateChange]
    tools: tuple[Tool, ...]
    metadata: dict[str, Any]


_Source = Path | Session | bytes
_decode = decoder(_Portable).decode


def _portable(source: Any) -> _Source:
    """What a worker is sent: a path, or the session, for another process as bytes."""
    if isinstance(source, str | Path):
        return Path(source)
    session = session_of(source, "compile_many(sessions, ...)")
    if not has_gil():
        return session
    events, changes = list(session.log), list(session.changes)
    whole = _Portable(session.id, events, changes, session.tools, session.metadata)
    return msgspec.json.encode(whole)


def _session(source: _Source) -> Session:
    if isinstance(source, Path):
        return read_session(source)
    if isinstance(source, Session):
        return source
    whole = _decode(source)
    session = Session(whole.id, whole.events, tools=whole.tools, metadata=whole.metadata)
    for change in whole.changes:
        session.restore(change)
    return session
