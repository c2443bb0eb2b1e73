"""Any agent, or function from text to text, as a language model
(cooling-and-forgetting.md#radiator)."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from contextwright.errors import ModelError
from contextwright.models.llm import Completion, ModelFault, Prompt

_METHODS = ("ainvoke", "invoke", "run", "__call__")
"""The methods of an agent, in the order in which they are looked for."""
_TEXT_ATTRIBUTES = ("output", "final_output", "content", "text")
ECHO_CHARS = 80
"""An answer that begins with so many characters of its question is an echo, no answer."""


class AgentLLM:
    """An agent as a language model: it is asked in one text, what it is to do and then the
    material, marked as data.

    An async agent runs in the event loop, any other in a thread of its own, so that one that
    hangs holds up nothing: it is left behind when its time is over.

    Args:
        agent: a function, or an object with `ainvoke`, `invoke` or `run`; its result is a
            text, or has one as `output`, `content` or `text`.
        id: names it; by default after the agent.

    Raises:
        ModelError: nothing that could be asked.
    """

    def __init__(self, agent: Any, id: str = "") -> None:
        self._ask = _entry(agent)
        own = getattr(agent, "__name__", None) or getattr(agent, "name", None)
        self.id = id or f"agent:{own if isinstance(own, str) else type(agent).__name__}"

    async def complete(self, prompt: Prompt) -> Completion:
        """Ask the agent.

        Raises:
            ModelFault: it gave no text, or its question back.
        """
        question = f"{prompt.system}\n\n{prompt.text}"
        if _is_async(self._ask):
            reply = await self._ask(question)
        else:
            reply = await _in_a_thread(self._ask, question)
            if inspect.isawaitable(reply):
                reply = await reply
        text = _text(reply)
        if text.startswith(question[:ECHO_CHARS]):
            raise ModelFault("refused", "it gave its question back")
        return Completion(text=text, model=self.id, finish_reason=_finish_reason(reply))


def _entry(agent: Any) -> Callable[[str], Any]:
    for name in _METHODS:
        method = getattr(agent, name, None)
        if callable(method) and not (name != "__call__" and inspect.isroutine(agent)):
            return agent if name == "__call__" else method
    raise ModelError(
        f"expected a function, an agent or a model's name, got a {type(agent).__name__}",
        where="radiator",
        fix="give a function from text to text, an agent with invoke or run, a model's name",
    )


def _is_async(ask: Any) -> bool:
    return inspect.iscoroutinefunction(ask) or inspect.iscoroutinefunction(
        getattr(type(ask), "__call__", None)  # noqa: B004 -- asked whether it is async
    )


def _text(reply: Any) -> str:
    for name in _TEXT_ATTRIBUTES:
        if isinstance(reply, str):
            break
        reply = getattr(reply, name, reply)
    if not isinstance(reply, str):
        raise ModelFault("malformed", f"expected a text, got a {type(reply).__name__}")
    return reply


def _finish_reason(reply: Any) -> str:
    """Why a framework's message ended, where it tells."""
    metadata = getattr(reply, "response_metadata", None)
    for name in ("finish_reason", "stop_reason"):
        reason = getattr(reply, name, None)
        if reason is None and isinstance(metadata, Mapping):
            reason = cast("Mapping[str, Any]", metadata).get(name)
        if isinstance(reason, str):
            return reason
    return ""


async def _in_a_thread(ask: Callable[[str], Any], question: str) -> Any:
    """A function's result, from a thread that nobody waits for at the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(set_it: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            set_it(value)

    def work() -> None:
        try:
            outcome = (future.set_result, context.run(ask, question))
        except BaseException as error:  # noqa: BLE001 -- it is raised where it is waited for
            fault = ModelFault("unavailable", f"{type(error).__name__}: {error}"[:200])
            outcome = (future.set_exception, fault)
        with suppress(RuntimeError):  # the loop ended before the agent did
            loop.call_soon_threadsafe(deliver, *outcome)

    threading.Thread(target=work, name="contextwright-agent-llm", daemon=True).start()
    return await future
