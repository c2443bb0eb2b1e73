# pyright: reportMissingImports=false, reportUnusedImport=false, reportArgumentType=false
# pyright: reportUntypedBaseClass=false, reportUnknownParameterType=false, reportUnknownLambdaType=false
"""Agent frameworks' own ways, for the same table: Pydantic AI Harness, Microsoft Agent Framework,
deepagents and headroom, each as far as it needs no model and no network.

Those that rewrite the history of a run (harness, Agent Framework, headroom's frozen prefix) are
given what they left the time before with the new messages behind it, as in an agent.
"""

import json
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import cache, partial
from itertools import product
from typing import Any

from benchmarks.economy_metrics import OVERHEAD, Message, Method, Request, tokens_of

Peer = tuple[str, str, Callable[[], Method]]


@cache
def _size(text: str) -> int:
    return tokens_of({"content": text})


def _result(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("it waits for something: a model or a network")


# --- Pydantic AI Harness ---


def harness(budget: int) -> Iterator[Peer]:
    """Its clearing, its sliding window, both in tiers behind its read deduplication, and these
    behind its limits of tool outputs: what spills leaves a handle, which is a ref."""
    try:
        import pydantic_ai_harness.compaction  # noqa: F401
    except ImportError:
        return
    for keep, least in product((3, 10), (None, budget // 4)):
        setting = f"max_tokens={budget}, keep_pairs={keep}, min_clear_tokens={least}"
        given = {"max_tokens": budget, "keep_pairs": keep, "min_clear_tokens": least}
        yield "Pydantic AI ClearToolResults", setting, partial(harness_method, ["clear"], given)
    for share, rest in product((1.0, 0.9), (0.5, 0.25)):
        trigger, keep = int(budget * share), int(budget * rest)
        setting = f"max_tokens={trigger}, keep_tokens={keep}"
        given = {"max_tokens": trigger, "keep_tokens": keep}
        yield (
            "Pydantic AI SlidingWindowCompaction",
            setting,
            partial(harness_method, ["window"], given),
        )
    for share, pairs, rest in product((1.0, 0.9), (3, 10), (0.5, 0.25)):
        target, keep = int(budget * share), int(budget * rest)
        setting = f"target_tokens={target}, keep_pairs={pairs}, keep_tokens={keep}"
        given = {"max_tokens": target, "keep_pairs": pairs, "keep_tokens": keep}
        tiers = ["reads", "clear", "window"]
        yield "Pydantic AI TieredCompaction", setting, partial(harness_method, tiers, given)
        if pairs == 10:
            for over in (budget, budget // 4):
                told, spilled = f"{setting}, Spill over={over} characters", {**given, "over": over}
                yield "Pydantic AI Spill + Tiered", told, partial(harness_method, tiers, spilled)


def _read_path(call: Any) -> str | None:
    if "read" not in call.tool_name:
        return None
    try:
        given = call.args_as_dict()
    except ValueError:
        return None
    return given.get("path") if set(given) == {"path"} else None


def harness_method(names: Sequence[str], given: dict[str, Any]) -> Method:
    from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tools import RunContext
    from pydantic_ai.usage import RunUsage
    from pydantic_ai_harness.compaction import (
        ClearToolResults,
        DeduplicateFileReads,
        SlidingWindowCompaction,
        TieredCompaction,
    )

    tools: set[str] = set()

    def count(text: str) -> int:
        return _size(text) - OVERHEAD if text in tools or not text else _size(text)

    def made(name: str) -> Any:
        if name == "reads":
            return DeduplicateFileReads(file_key=_read_path, tokenizer=count)
        kind, keys = {
            "clear": (ClearToolResults, ("max_tokens", "keep_pairs", "min_clear_tokens")),
            "window": (SlidingWindowCompaction, ("max_tokens", "keep_tokens")),
        }[name]
        return kind(**{key: given[key] for key in keys if key in given}, tokenizer=count)

    tiers = [made(name) for name in names]
    strategy = tiers[0]
    if len(tiers) > 1:
        limit = given["max_tokens"]
        strategy = TieredCompaction(tiers=tiers, target_tokens=limit, tokenizer=count)
    model, parameters = TestModel(), ModelRequestParameters()
    context = RunContext(deps=None, model=model, usage=RunUsage(), messages=[])
    handles: dict[str, Sequence[int]] = {}
    limited = _spilling(context, given["over"], handles) if "over" in given else None
    own: list[Message] = []

    def method(messages: list[Message]) -> Request:
        seen = len(own)
        for message in messages[seen:]:
            calls = message.get("tool_calls") or ()
            tools.update(call["function"]["name"] for call in calls)
            own.append(limited(message, len(own)) if limited else message)
        _to_harness(context.messages, own, seen)
        request = ModelRequestContext(
            model=model,
            messages=list(context.messages),
            model_settings=None,
            model_request_parameters=parameters,
        )
        sent = _result(strategy.before_model_request(context, request))
        return Request(_from_harness(sent.messages), handles)

    return method


def _spilling(
    context: Any, over: int, handles: dict[str, Sequence[int]]
) -> Callable[[Message, int], Message]:
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai_harness.tool_output_limits import Band, Spill, ToolOutputLimits

    class Store:
        """Keeps the handles only: the table looks behind them in the session itself."""

        async def write(self, key: str, data: bytes) -> str:
            handles[key] = ()
            return key

        async def read(self, handle: str) -> bytes:
            raise FileNotFoundError(handle)

    limits = ToolOutputLimits(bands=[Band(over=over, action=Spill())], store=Store())

    def limited(message: Message, at: int) -> Message:
        if message["role"] != "tool":
            return message
        call = ToolCallPart("tool", {}, tool_call_id=message["tool_call_id"])
        definition, before = ToolDefinition(name="tool"), len(handles)
        result = _result(
            limits.after_tool_execute(
                context, call=call, tool_def=definition, args={}, result=message["content"]
            )
        )
        if len(handles) == before:
            return message
        handles[next(reversed(handles))] = range(at, at + 1)
        return {**message, "content": result.return_value}

    return limited


def _to_harness(history: list[Any], messages: list[Message], seen: int) -> None:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    names = {c["id"]: c["function"]["name"] for m in messages for c in m.get("tool_calls") or ()}
    for at in range(seen, len(messages)):
        message = messages[at]
        role, text = message["role"], message.get("content") or ""
        if role == "assistant":
            calls = [
                ToolCallPart(
                    c["function"]["name"], c["function"]["arguments"], tool_call_id=c["id"]
                )
                for c in message.get("tool_calls") or ()
            ]
            parts = [TextPart(text)] if text or not calls else []
            history.append(ModelResponse(parts=[*parts, *calls]))
            continue
        if role == "tool":
            key = message["tool_call_id"]
            part: Any = ToolReturnPart(names[key], text, tool_call_id=key)
        elif role == "user":
            part = UserPromptPart(text)
        else:
            part = SystemPromptPart(text)
        before = messages[at - 1]["role"] if at > seen else None
        together = (role == "tool" and before == "tool") or before in ("system", "developer")
        if together:
            history[-1] = ModelRequest(parts=[*history[-1].parts, part])
        else:
            history.append(ModelRequest(parts=[part]))


def _from_harness(history: Sequence[Any]) -> list[Message]:
    found: list[Message] = []
    for message in history:
        if message.kind == "response":
            texts = [part.content for part in message.parts if part.part_kind == "text"]
            calls = [
                {
                    "id": part.tool_call_id,
                    "type": "function",
                    "function": {"name": part.tool_name, "arguments": part.args},
                }
                for part in message.parts
                if part.part_kind == "tool-call"
            ]
            own = {"role": "assistant", "content": "\n".join(texts)}
            found.append({**own, "tool_calls": calls} if calls else own)
            continue
        for part in message.parts:
            if part.part_kind == "tool-return":
                key, text = part.tool_call_id, part.content
                found.append({"role": "tool", "tool_call_id": key, "content": text})
            else:
                role = "user" if part.part_kind == "user-prompt" else "system"
                found.append({"role": role, "content": part.content})
    return found


# --- Microsoft Agent Framework ---


def agent_framework(budget: int) -> Iterator[Peer]:
    """Its truncation, tool calls left out or retold within a budget, and its context window."""
    try:
        import agent_framework  # noqa: F401
    except ImportError:
        return
    for rest in (0.75, 0.5):
        given = {"max_n": budget, "compact_to": int(budget * rest)}
        yield "Agent Framework Truncation", _told(given), partial(agent_method, "truncation", given)
    for kind in ("SelectiveToolCall", "ToolResult"):
        for keep in (4, 10):
            given = {"token_budget": budget, "keep": keep, "compact_to": budget // 2}
            made = partial(agent_method, kind, given)
            yield f"Agent Framework {kind}, budget", _told(given), made
    for evict, keep in product((0.5, 0.75), (4, 20)):
        given = {
            "max_context_window_tokens": budget,
            "tool_eviction_threshold": evict,
            "truncation_threshold": 1.0,
            "keep_last_tool_call_groups": keep,
        }
        yield "Agent Framework ContextWindow", _told(given), partial(agent_method, "window", given)


def _told(given: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in given.items())


def agent_method(kind: str, given: dict[str, Any]) -> Method:
    import agent_framework as af

    converter = _AgentConverter()

    def truncation(most: int, least: int) -> Any:
        return af.TruncationStrategy(
            max_n=most, compact_to=least, tokenizer=converter, preserve_first_user_group=True
        )

    if kind == "truncation":
        strategy = truncation(given["max_n"], given["compact_to"])
    elif kind == "window":
        options = {"preserve_first_user_group": True, **given}
        strategy = af.ContextWindowCompactionStrategy(
            **options, max_output_tokens=0, tokenizer=converter
        )
    else:
        first = {
            "SelectiveToolCall": af.SelectiveToolCallCompactionStrategy,
            "ToolResult": af.ToolResultCompactionStrategy,
        }[kind](keep_last_tool_call_groups=given["keep"])
        budget = given["token_budget"]
        strategy = af.TokenBudgetComposedStrategy(
            token_budget=budget,
            tokenizer=converter,
            strategies=[first, truncation(budget, given["compact_to"])],
        )

    def method(messages: list[Message]) -> Request:
        converter.add(messages)
        compacted = af.apply_compaction(converter.history, strategy=strategy, tokenizer=converter)
        return Request(converter.back(_result(compacted)))

    return method


class _AgentConverter:
    """A session as Agent Framework's messages, and back; counts as the table does."""

    def __init__(self) -> None:
        self.history: list[Any] = []
        self.own: dict[str, Message] = {}

    def add(self, messages: Sequence[Message]) -> None:
        from agent_framework import Content
        from agent_framework import Message as Theirs

        for at in range(len(self.own), len(messages)):
            message, key = messages[at], f"m{at}"
            text = message.get("content") or ""
            if message["role"] == "tool":
                call = message["tool_call_id"]
                contents = [Content.from_function_result(call, result=text)]
            else:
                contents = [Content.from_text(text)] if text else []
            for call in message.get("tool_calls") or ():
                name, arguments = call["function"]["name"], call["function"]["arguments"]
                made = Content.from_function_call(call["id"], name, arguments=arguments)
                contents.append(made)
            role = "system" if message["role"] == "developer" else message["role"]
            self.history.append(Theirs(role, contents, message_id=key))
            self.own[key] = message

    def count_tokens(self, text: str) -> int:
        written = json.loads(text)
        if written["message_id"] in self.own:
            return tokens_of(self.own[written["message_id"]])
        return sum(_size(content.get("text", "")) for content in written["contents"])

    def back(self, sent: Sequence[Any]) -> list[Message]:
        return [
            self.own.get(message.message_id) or {"role": message.role, "content": message.text}
            for message in sent
        ]


# --- deepagents ---


def deepagents(budget: int) -> Iterator[Peer]:
    """Large results go to its filesystem as they come; what keeps its budget needs a model."""
    try:
        import deepagents.middleware.filesystem  # noqa: F401
    except ImportError:
        return
    for limit in (20_000, 1_000, 250):
        setting = f"tool_token_limit_before_evict={limit}"
        yield "deepagents eviction to files", setting, partial(evicted, limit)


def evicted(limit: int) -> Method:
    from deepagents.backends.protocol import BackendProtocol, WriteResult
    from deepagents.middleware.filesystem import FilesystemMiddleware
    from langchain.agents.middleware import ToolCallRequest
    from langchain_core.messages import ToolMessage

    class Files(BackendProtocol):
        """Remembers nothing but the path: the table looks behind it in the session itself."""

        def write(self, file_path: str, content: str) -> WriteResult:
            paths[file_path] = range(len(kept), len(kept) + 1)
            return WriteResult(path=file_path)

    paths: dict[str, Sequence[int]] = {}
    kept: list[Message] = []
    calls: dict[str, Any] = {}
    middleware = FilesystemMiddleware(backend=Files(), tool_token_limit_before_evict=limit)

    def method(messages: list[Message]) -> Request:
        for message in messages[len(kept) :]:
            for call in message.get("tool_calls") or ():
                own = {"name": call["function"]["name"], "args": {}, "id": call["id"]}
                calls[call["id"]] = {**own, "type": "tool_call"}
            if message["role"] == "tool":
                result = ToolMessage(message["content"], tool_call_id=message["tool_call_id"])
                request = ToolCallRequest(calls[result.tool_call_id], None, {"messages": []}, None)
                text = middleware.wrap_tool_call(request, lambda _, result=result: result).content
                message = {**message, "content": text}
            kept.append(message)
        return Request(list(kept), paths)

    return method


# --- headroom ---

_RETRIEVE = re.compile(r"hash=([0-9a-f]{8,})|<<ccr:([0-9a-f]{8,})")


def headroom(budget: int) -> Iterator[Peer]:
    """Its compression by its defaults, without its text model; it knows no budget."""
    try:
        import headroom  # noqa: F401
    except ImportError:
        return
    for frozen in (False, True):
        yield "headroom compress", f"frozen prefix={frozen}", partial(compressed, frozen)


def compressed(frozen: bool) -> Method:
    from headroom import compress
    from headroom.cache.compression_store import get_compression_store

    kept: list[Message] = []

    def method(messages: list[Message]) -> Request:
        given = [*kept, *messages[len(kept) :]] if frozen else messages
        sent = compress(
            [dict(message) for message in given],
            model="gpt-4o",
            model_limit=1_000_000,
            kompress_model="disabled",
            frozen_message_count=len(kept) if frozen else 0,
        ).messages
        kept[:] = sent
        refs: dict[str, Sequence[int]] = {}
        for at, message in enumerate(sent):
            for match in _RETRIEVE.finditer(message.get("content") or ""):
                if get_compression_store().retrieve(match[1] or match[2]) is not None:
                    refs[match[0]] = range(at, at + 1)
        return Request(sent, refs)

    return method


def frameworks(budget: int) -> Iterator[Peer]:
    """Every framework that is installed, over a grid of its settings."""
    for found in (harness, agent_framework, deepagents, headroom):
        yield from found(budget)
