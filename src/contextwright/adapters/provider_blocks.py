"""Contents of messages that are a text, or a list of texts and of blocks as providers have them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from contextwright.adapters.lone_calls import lone_view, lone_with
from contextwright.adapters.opaque_parts import text_of
from contextwright.adapters.part_view import PartView

_NATIVE_CALLS = {"tool_use", "function_call", "custom_tool_call"}
"""Types of a provider's own blocks of calls, which stand beside the framework's calls."""
_CUSTOM, _CUSTOM_INPUT = "custom_tool_call_output", "__arg1"
"""Type of the result of a tool that is called with a text; what the framework calls that text."""
_WRAPPED = "non_standard"
"""Type of a block around one that the framework's own form does not know."""
_CITED = {"citations", "annotations"}
_CACHE = "cache_control"
FILES = ("document", "audio", "video")
"""Types of blocks of documents, sounds and films."""
_NO_WORDS = frozenset(
    {"image", "image_url", "input_image", "audio", "input_audio", "video", "file", "input_file",
     "media", "tool_reference", "computer_call_output"}
)  # fmt: skip
"""Types of blocks in a result that are bytes, an address or a name."""


def block_view(block: Mapping[str, Any]) -> PartView | None:
    """What a provider's own block of a call is: nothing more, where it stands among the framework's
    calls; a call, where it does not, or what answers one. None of any other block."""
    own = _unwrapped(block)
    return PartView("opaque") if own.get("type") in _NATIVE_CALLS else lone_view(own)


def file_view(block: Mapping[str, Any]) -> PartView:
    """What a block of a document, a sound or a film is: the file, where it has its bytes."""
    source = block.get("source")
    held: Mapping[str, Any] = source if isinstance(source, dict) else block
    data, kind = held.get("data" if held is source else "base64"), block.get("type")
    if kind not in FILES or not isinstance(data, str) or held.get("type") == "text":
        return PartView.own(block)
    media = held.get("media_type") or held.get("mime_type") or f"{kind}/*"
    return PartView.file(f"data:{media};base64,{data}", block.get("title") or block.get("filename"))


def block_with(block: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A copy of a block with another text, or of a call with other arguments. What is cited was
    another text's."""
    own = _unwrapped(block)
    if (called := lone_with(own, text)) is not None:
        return called if own is block else {**block, "value": called}
    return {**{key: block[key] for key in block if key not in _CITED}, "text": text}


def _unwrapped(block: Mapping[str, Any]) -> Mapping[str, Any]:
    value: Any = block.get("value") if block.get("type") == _WRAPPED else None
    return value if isinstance(value, dict) else block


def blocks_of(content: Any) -> list[Any]:
    """The blocks of a content; a text is one, unless it is empty."""
    return ([content] if content else []) if isinstance(content, str) else list(content)


def block_texts(content: Any) -> list[str]:
    """The texts of its blocks; none of those that are empty."""
    return [text for block in blocks_of(content) if (text := _text(block))]


def with_texts(content: Any, texts: Sequence[str]) -> Any:
    """A content with other texts, in order: each in its block, where there are as many."""
    if isinstance(content, str) or len(texts) != len(block_texts(content)):
        return "\n\n".join(texts)
    new = iter(texts)
    return [_with_text(block, next(new)) if _text(block) else block for block in blocks_of(content)]


def result_text(content: Any) -> str:
    """The text of a tool's result: a line for each of its blocks that are texts, behind them the
    JSON of those that hold words in another form, such as what a search found."""
    if (custom := _custom(content)) is not None:
        return custom["output"]
    lines = [block["text"] for block in _texts_of_result(content)]
    return "\n".join([*lines, *map(text_of, filter(_has_words, blocks_of(content)))])


def result_with(content: Any, text: str) -> Any:
    """The content of a result with another text, its pictures and its mark of a cache. Blocks that
    hold words stay blocks, where the text still has their JSON behind everything else."""
    if (custom := _custom(content)) is not None:
        return [{**custom, "output": text}]
    blocks = blocks_of(content)
    worded = [block for block in blocks if _has_words(block)]
    now = _worded(text, worded) if worded else []
    lines = text.split("\n")
    if now:
        text = "\n".join(lines[: len(lines) - len(now)])
    others = [b for b in blocks if isinstance(b, dict) and "text" not in b and b not in worded]
    marks = [block[_CACHE] for block in _texts_of_result(content) if _CACHE in block]
    mark = {_CACHE: marks[-1]} if marks else {}
    if not (now or others or mark):
        return text
    texts = [{"type": "text", "text": text, **mark}] if text or not now else []
    return [*texts, *now, *others]


def result_view(content: Any, id: str) -> PartView:
    """A result: its text, and the blocks that this says nothing of, pictures, sounds and files."""
    blocks = (block for block in blocks_of(content) if isinstance(block, dict))
    media = [block for block in blocks if "text" not in block and not _has_words(block)]
    media = [] if _custom(content) is not None else media
    return PartView.result(result_text(content), id, media)


def _custom(content: Any) -> dict[str, Any] | None:
    """The block of a result that is the text of a custom tool; None of any other result."""
    blocks = blocks_of(content)
    if not blocks or not isinstance(blocks[0], dict) or blocks[0].get("type") != _CUSTOM:
        return None
    return blocks[0] if isinstance(blocks[0].get("output"), str) else None


def _has_words(block: Any) -> bool:
    """Whether it is no text, and yet of words: no picture, sound or file, and no name alone."""
    if not isinstance(block, dict) or "text" in block:
        return False
    block = _unwrapped(block)
    source = block.get("source")
    is_file = isinstance(source, dict) and source.get("type") not in ("text", "content")
    return not (is_file or block.get("type") in _NO_WORDS)


def _worded(text: str, before: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks that the last lines of a text say; none where one of them is none any more."""
    lines = text.split("\n")[-len(before) :]
    try:
        blocks = [json.loads(line) for line in lines]
    except ValueError:
        return []
    kinds = [block.get("type") if isinstance(block, dict) else "" for block in blocks]
    return blocks if kinds == [block.get("type") for block in before] else []


def following(blocks: Sequence[Any], calls: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Blocks of which a provider's own ones of calls have the arguments of now, and are gone where
    their call is; two calls may have one id.

    Args:
        calls: of now, in order: `id` and `args`.
    """
    left: dict[str, list[Mapping[str, Any]]] = {}
    for call in calls:
        left.setdefault(call["id"], []).append(call)
    followed = (_following(block, left) for block in blocks)
    return [block for block in followed if block is not None]


def _following(block: Any, calls: dict[str, list[Mapping[str, Any]]]) -> Any:
    if not isinstance(block, dict) or block.get("type") not in _NATIVE_CALLS:
        return block
    same = calls.get(str(block.get("call_id") or block.get("id")))
    if not same:
        return None
    args = same.pop(0)["args"]
    if block["type"] == "custom_tool_call":
        text = args.get(_CUSTOM_INPUT) if isinstance(args, dict) else args
        return {**block, "input": text} if isinstance(text, str) else block
    if block["type"] == "function_call":
        is_text = isinstance(args, str)  # what a model wrote that is no JSON
        return {**block, "arguments": args if is_text else json.dumps(args, ensure_ascii=False)}
    return {**block, "input": args} if isinstance(args, dict) else block


def _texts_of_result(content: Any) -> list[dict[str, Any]]:
    blocks = ({"text": b} if isinstance(b, str) else b for b in blocks_of(content))
    return [{**block, "type": "text"} for block in blocks if "text" in block]


def _with_text(block: Any, text: str) -> Any:
    return text if isinstance(block, str) else {**block, "text": text}


def _text(block: Any) -> str:
    return block if isinstance(block, str) else str(block.get("text") or "")
