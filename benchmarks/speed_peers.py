"""Other people's ways to a limit of 8,000 tokens, turn by turn over the same growing session, with
the same tokenizer. What is timed is their own work and the reading of the new messages, no
conversion of a history or of a result. One that is not installed is left out by name.
"""

import json
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from contextwright.session import Event, ToolCall, ToolResult
from contextwright.tokens.vocabulary import encoding

LIMIT = 8_000
OVERHEAD = 4
"""Tokens of a message beside its texts."""
ALL_TURNS = 10**9
Turn = Callable[[list[Event]], Any]


def peer_turns(name: str, events: Sequence[Event]) -> Turn:
    """A turn by a peer, its history read before the time runs."""
    return PEERS[name](list(events))


def available() -> list[str]:
    """The peers that are installed here."""
    found = []
    for name, build in PEERS.items():
        try:
            build([])
        except ImportError as error:
            print(f"{name} is left out: {error}")
        else:
            found.append(name)
    return found


def _count(text: str) -> int:
    return len(encoding("o200k_base").encode_ordinary(text))


def _texts(event: Event) -> list[str]:
    """What a model reads of an event."""
    found = [event.text] if event.text else []
    for part in event.parts:
        if isinstance(part, ToolCall):
            found += [part.name, part.arguments]
        elif isinstance(part, ToolResult):
            found.append(part.text)
    return found


# --- LangChain ---


def _langchain(counting: str) -> Callable[[list[Event]], Turn]:
    def build(events: list[Event]) -> Turn:
        from langchain_core.messages import trim_messages
        from langchain_core.messages.utils import count_tokens_approximately

        def tokens(message: Any) -> int:
            calls = getattr(message, "tool_calls", ())
            written = (json.dumps(call["args"]) for call in calls)
            return OVERHEAD + _count(message.text) + sum(map(_count, written))

        sizes: dict[int, int] = {}

        def remembered(message: Any) -> int:
            known = sizes.get(id(message))
            if known is None:
                known = sizes[id(message)] = tokens(message)
            return known

        counters: dict[str, Any] = {
            "exact": lambda batch: sum(map(tokens, batch)),
            "remembered": lambda batch: sum(map(remembered, batch)),
            "approximate": count_tokens_approximately,
        }
        messages = [_langchain_message(event) for event in events]

        def turn(new: list[Event]) -> Any:
            messages.extend(map(_langchain_message, new))
            return trim_messages(
                messages, max_tokens=LIMIT, token_counter=counters[counting], strategy="last",
                start_on="human", end_on=("human", "tool"), include_system=True,
            )  # fmt: skip

        return turn

    return build


def _langchain_message(event: Event) -> Any:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    if event.role == "assistant":
        calls = [
            {"name": part.name, "args": _loaded(part.arguments), "id": part.id}
            for part in event.parts
            if isinstance(part, ToolCall)
        ]
        return AIMessage(event.text, tool_calls=calls)
    if event.role == "tool":
        result = next(part for part in event.parts if isinstance(part, ToolResult))
        return ToolMessage(result.text, tool_call_id=result.call_id)
    return (SystemMessage if event.role == "system" else HumanMessage)(event.text)


def _loaded(arguments: str) -> dict[str, Any]:
    try:
        found = json.loads(arguments)
    except ValueError:
        return {"text": arguments}
    return found if isinstance(found, dict) else {"value": found}


# --- Pydantic AI Harness ---


def _harness(kind: str) -> Callable[[list[Event]], Turn]:
    def build(events: list[Event]) -> Turn:
        from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
        from pydantic_ai.models.test import TestModel
        from pydantic_ai.tools import RunContext
        from pydantic_ai.usage import RunUsage
        from pydantic_ai_harness.compaction import (
            ClearToolResults,
            SlidingWindowCompaction,
            TieredCompaction,
        )

        memo: dict[str, int] = {}

        def count(text: str) -> int:
            if text not in memo:
                memo[text] = _count(text)
            return memo[text]

        half = {"max_tokens": LIMIT, "keep_tokens": LIMIT // 2, "tokenizer": count}
        window = SlidingWindowCompaction(**half)
        strategy: Any = window
        if kind == "tiered":
            clear = ClearToolResults(max_tokens=LIMIT, keep_pairs=10, tokenizer=count)
            strategy = TieredCompaction(tiers=[clear, window], target_tokens=LIMIT, tokenizer=count)
        model = TestModel()
        context = RunContext(deps=None, model=model, usage=RunUsage(), messages=[])
        names: dict[str, str] = {}
        _read_harness(context.messages, events, names)

        def turn(new: list[Event]) -> Any:
            _read_harness(context.messages, new, names)
            request = ModelRequestContext(
                model=model, messages=list(context.messages), model_settings=None,
                model_request_parameters=ModelRequestParameters(),
            )  # fmt: skip
            return _result(strategy.before_model_request(context, request))

        return turn

    return build


def _read_harness(history: list[Any], events: Sequence[Event], names: dict[str, str]) -> None:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    for event in events:
        if event.role == "assistant":
            calls = [part for part in event.parts if isinstance(part, ToolCall)]
            names.update((call.id, call.name) for call in calls)
            parts: list[Any] = [TextPart(event.text)] if event.text or not calls else []
            parts += [ToolCallPart(c.name, c.arguments, tool_call_id=c.id) for c in calls]
            history.append(ModelResponse(parts=parts))
        elif event.role == "tool":
            result = next(part for part in event.parts if isinstance(part, ToolResult))
            name = names.get(result.call_id, "tool")
            returned = ToolReturnPart(name, result.text, tool_call_id=result.call_id)
            history.append(ModelRequest(parts=[returned]))
        else:
            kind = SystemPromptPart if event.role == "system" else UserPromptPart
            history.append(ModelRequest(parts=[kind(event.text)]))


def _result(coroutine: Any) -> Any:
    """Of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("it waits for something: a model or a network")


# --- Microsoft Agent Framework ---


def _agent_framework(kind: str) -> Callable[[list[Event]], Turn]:
    def build(events: list[Event]) -> Turn:
        import agent_framework as af

        class Tokens:
            """Counts each message once."""

            def __init__(self) -> None:
                self.memo: dict[str, int] = {}

            def count_tokens(self, text: str) -> int:
                if text not in self.memo:
                    self.memo[text] = _count(text)
                return self.memo[text]

        tokens = Tokens()
        strategy: Any = af.TruncationStrategy(
            max_n=LIMIT, compact_to=LIMIT * 3 // 4, tokenizer=tokens, preserve_first_user_group=True
        )
        if kind == "results":
            first = af.ToolResultCompactionStrategy(keep_last_tool_call_groups=10)
            strategy = af.TokenBudgetComposedStrategy(
                token_budget=LIMIT, tokenizer=tokens, strategies=[first, strategy]
            )
        history = [_agent_message(event) for event in events]

        def turn(new: list[Event]) -> Any:
            history.extend(map(_agent_message, new))
            return _result(af.apply_compaction(history, strategy=strategy, tokenizer=tokens))

        return turn

    return build


def _agent_message(event: Event) -> Any:
    from agent_framework import Content, Message

    if event.role == "tool":
        result = next(part for part in event.parts if isinstance(part, ToolResult))
        contents = [Content.from_function_result(result.call_id, result=result.text)]
    else:
        contents = [Content.from_text(event.text)] if event.text else []
    for part in event.parts:
        if isinstance(part, ToolCall):
            contents.append(
                Content.from_function_call(part.id, part.name, arguments=part.arguments)
            )
    return Message(event.role, contents, message_id=event.id)


# --- adk-fluent ---


def _adk_fluent(events: list[Event]) -> Turn:
    from adk_fluent import C as F
    from google.adk.events import Event as Theirs
    from google.genai import types

    def theirs(event: Event) -> Any:
        author = "user" if event.role == "user" else "agent"
        content = types.Content(role=author, parts=[types.Part(text="\n".join(_texts(event)))])
        return Theirs(author=author, content=content)

    history = [theirs(event) for event in events]
    session = SimpleNamespace(events=history, state={})
    context = SimpleNamespace(session=session, state={}, agent_name="a")
    spec = F.last_n_turns(ALL_TURNS) | F.budget(max_tokens=LIMIT)

    def turn(new: list[Event]) -> Any:
        history.extend(map(theirs, new))
        return _result(spec.instruction_provider(context))

    return turn


PEERS: dict[str, Callable[[list[Event]], Turn]] = {
    "trim_messages, a counter that remembers": _langchain("remembered"),
    "trim_messages, each time anew": _langchain("exact"),
    "trim_messages, 4 characters a token": _langchain("approximate"),
    "Pydantic AI Harness, sliding window": _harness("window"),
    "Pydantic AI Harness, tiers": _harness("tiered"),
    "Agent Framework, truncation": _agent_framework("truncation"),
    "Agent Framework, tool results": _agent_framework("results"),
    "adk-fluent, all turns into a budget": _adk_fluent,
}
"""By name: given the history's events, a function that takes the new ones and gives the request."""
