"""One question to a model: within a time, tried again where that may help."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from contextwright.models.llm import (
    LLM,
    RETRIED,
    Completion,
    ModelFault,
    Prompt,
    fault_of_status,
)

FIRST_WAIT_S = 0.5
"""Seconds before the second try at most; each further wait doubles."""
MAX_WAIT_S = 20.0
"""No provider's wish to wait longer is granted: a turn waits for this."""

Sleep = Callable[[float], Awaitable[object]]
T = TypeVar("T")


async def call(
    llm: LLM,
    prompt: Prompt,
    *,
    timeout_s: float,
    retries: int,
    sleep: Sleep,
    uniform: Callable[[float, float], float],
) -> Completion:
    """The answer.

    A time-out, a full queue and a server that is down are tried again, after a random wait that
    doubles at most ("full jitter"), or after what the provider says.

    Raises:
        ModelFault: the last try's.
    """
    for attempt in range(retries + 1):
        try:
            return await _once(llm, prompt, timeout_s)
        except ModelFault as fault:
            if fault.fault not in RETRIED or attempt == retries:
                raise
            wait = uniform(0, min(MAX_WAIT_S, FIRST_WAIT_S * 2**attempt))
            await sleep(min(MAX_WAIT_S, max(wait, fault.retry_after_s or 0)))
    raise ModelFault("unavailable", "no try was allowed")


async def _once(llm: LLM, prompt: Prompt, timeout_s: float) -> Completion:
    try:
        async with asyncio.timeout(timeout_s):
            return await contained(llm.complete(prompt))
    except TimeoutError as error:
        raise ModelFault("timeout", f"no answer within {timeout_s:g} s") from error
    except ModelFault:
        raise
    except Exception as error:
        kind = fault_of_status(getattr(error, "status_code", None))
        raise ModelFault(kind, f"{type(error).__name__}: {error}"[:200]) from error


async def contained(work: Awaitable[T]) -> T:
    """The result of somebody else's code, in a loop that others wait for.

    Raises:
        ModelFault: it tried to end the process, or was cancelled by nobody of ours.
    """
    try:
        return await work
    except (Exception, GeneratorExit):
        raise
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        # a key that was pressed reaches the main thread only; what ends a loop that sync callers
        # wait for would have them wait for ever
        is_main = threading.current_thread() is threading.main_thread()
        if isinstance(error, KeyboardInterrupt) and is_main:
            raise
        raise ModelFault("unavailable", f"{type(error).__name__}: {error}"[:200]) from error
