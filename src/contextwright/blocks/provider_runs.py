"""Tools that ran at the provider, as calls: what each was asked, and what it gave. Their parts are
the provider's own, kept and never edited; a note tells them like any other call."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from contextwright.session.event import Opaque, Text, ToolCall, ToolResult

Run = tuple[ToolCall, ToolResult | None]
_Value = Mapping[str, Any]
_ENDS = "_tool_result"
_USES = ("server_tool_use", "mcp_tool_use")
"""Kinds of Anthropic's: a use, and what came of it, as two parts."""
_CODE = ("executableCode", "executable_code")
_OUTCOME = ("codeExecutionResult", "code_execution_result")
"""Kinds of Gemini's, which have no ids: the outcome stands behind its code."""
_TEXTS = ("stdout", "stderr", "logs", "text", "title", "url", "tool_name", "error_code")
"""Fields that say something in what a tool gave, in the order in which they are told."""
_INNER = ("content", "source", "outputs", "tool_references")
"""Fields that hold more of it."""


def provider_runs(parts: Sequence[object]) -> list[Run]:
    """The calls among a message's parts that the provider ran itself, each with what came of it;
    none for one that is still to come, and nothing of what is encrypted."""
    opaque = [part for part in parts if isinstance(part, Opaque)]
    if not opaque:
        return []
    ended = {str(one.value.get("tool_use_id")): one for one in opaque if one.kind.endswith(_ENDS)}
    runs: list[Run] = []
    for place, part in enumerate(opaque):
        if part.kind in _USES:
            runs.append(_used(part.value, ended.get(str(part.value.get("id")))))
        elif part.kind in _CODE:
            behind = opaque[place + 1] if place + 1 < len(opaque) else None
            runs.append(_executed(part, behind))
        elif (read := _RESPONSES.get(part.kind)) is not None:
            error = part.value.get("error")
            failed = "\n".join(_readable(error)) or (_json(error) if error else "")
            runs.append(_run(*read(part.value), failed))
    return runs


def _run(name: str, arguments: str, gave: str, failed: str = "") -> Run:
    call = ToolCall(id="", name=name, arguments=arguments)
    if not gave and not failed:
        return call, None
    status = "error" if failed else "ok"
    return call, ToolResult(
        call_id="", name=name, content=(Text(text=gave or failed),), status=status
    )


def _used(use: _Value, end: Opaque | None) -> Run:
    name, arguments = str(use.get("name", "")), _json(use.get("input") or {})
    if end is None:
        return _run(name, arguments, "")
    gave = "\n".join(_readable(end.value.get("content")))
    inner = end.value.get("content")
    failed = end.value.get("is_error") or "error_code" in (inner if isinstance(inner, dict) else {})
    return _run(name, arguments, gave, gave if failed else "")


def _executed(part: Opaque, behind: Opaque | None) -> Run:
    code = _object(part.value.get(part.kind)).get("code", "")
    gave: Any = ""
    if behind is not None and behind.kind in _OUTCOME:
        gave = _object(behind.value.get(behind.kind)).get("output", "")
    return _run("code_execution", _json({"code": code}), str(gave or ""))


def _mcp(item: _Value) -> tuple[str, str, str]:
    return (
        str(item.get("name", "")),
        str(item.get("arguments") or "{}"),
        str(item.get("output") or ""),
    )


def _web_search(item: _Value) -> tuple[str, str, str]:
    action = {k: v for k, v in _object(item.get("action")).items() if k not in ("type", "sources")}
    listing = _readable(_object(item.get("action")).get("sources"))
    return "web_search", _json(action), "\n".join(listing)


def _file_search(item: _Value) -> tuple[str, str, str]:
    results: Any = item.get("results")
    listed = list(map(_object, cast("list[Any]", results) if isinstance(results, list) else ()))
    listing = "\n".join(f"{one.get('filename', '')}: {one.get('text', '')}" for one in listed)
    return "file_search", _json({"queries": item.get("queries") or []}), listing


def _code_interpreter(item: _Value) -> tuple[str, str, str]:
    code = _json({"code": item.get("code") or ""})
    return "code_interpreter", code, "\n".join(_readable(item.get("outputs")))


def _image(item: _Value) -> tuple[str, str, str]:
    return "image_generation", _json({"prompt": item.get("revised_prompt") or ""}), ""


_RESPONSES: dict[str, Callable[[_Value], tuple[str, str, str]]] = {
    "mcp_call": _mcp,
    "web_search_call": _web_search,
    "file_search_call": _file_search,
    "code_interpreter_call": _code_interpreter,
    "image_generation_call": _image,
}
"""Kinds of OpenAI's Responses: a call with what it gave, as one item."""


def _readable(value: Any) -> Iterator[str]:
    """What stands to be read in a value, and no data of bytes."""
    if isinstance(value, str):
        yield from [value] if value.strip() else []
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _readable(one)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        words = [fields[key] for key in _TEXTS if isinstance(fields.get(key), str) and fields[key]]
        is_text = fields.get("type") == "text" and isinstance(fields.get("data"), str)
        yield from [" ".join(words)] if words else [fields["data"]] if is_text else []
        for key in _INNER:
            yield from _readable(fields.get(key))


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
