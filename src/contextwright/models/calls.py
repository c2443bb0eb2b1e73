"""One question to a model: within a time, tried again where that may help."""

import asyncio
from collections.abc import Awaitable, Callable

from contextwright.models.llm import LLM, RETRIED, Completion, ModelFault, Prompt

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0

Sleep = Callable[[float], Awaitable[object]]


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

    Args:
        timeout_s: seconds for each try.
        retries: tries after the first.
        sleep: waits so many seconds.
        uniform: a random number between two.

    Raises:
        ModelFault: the last try's.
    """
    for attempt in range(retries + 1):
        try:
            return await _once(llm, prompt, timeout_s)
        except ModelFault as fault:
            if fault.fault not in RETRIED or attempt == retries:
                raise
            wait = uniform(0, min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**attempt))
            await sleep(min(LONGEST_WAIT_S, max(wait, fault.retry_after_s or 0)))
    raise ModelFault("unavailable", "no try was allowed")


async def _once(llm: LLM, prompt: Prompt, timeout_s: float) -> Completion:
    try:
        async with asyncio.timeout(timeout_s):
            return await llm.complete(prompt)
    except TimeoutError as error:
        raise ModelFault("timeout", f"no answer within {timeout_s:g} s") from error
    except ModelFault:
        raise
    except Exception as error:
        raise ModelFault("unavailable", f"{type(error).__name__}: {error}"[:200]) from error
