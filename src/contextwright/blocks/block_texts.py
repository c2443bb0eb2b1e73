"""Walk over the texts of a block that may be shortened, one tool result or message at a time."""

from collections.abc import Callable

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.blocks.escape import disarmed, turn_mark
from contextwright.blocks.read_back_tools import original_ref
from contextwright.blocks.ref import event_ref
from contextwright.session.event import NO_FIELDS, AnyPart, Text, ToolCall, ToolResult
from contextwright.text.cut import Count

OnResult = Callable[[str, ToolCall, str], str]
"""(text, the call it answers, ref of the whole) to a text as short or shorter."""
OnText = Callable[[str, str], str]
"""(text, ref of the whole) to a text as short or shorter."""
OnCall = Callable[[ToolCall, str], str]
"""(call, ref of the whole) to its arguments, as short or shorter."""

_NO_CALL = ToolCall(id="", name="")


class Rewriting(msgspec.Struct, frozen=True):
    """What becomes of the texts of a block; None: they stay."""

    result: OnResult | None = None
    text: OnText | None = None
    call: OnCall | None = None


def rewrite(
    block: Block,
    *,
    on_result: OnResult | None = None,
    on_text: OnText | None = None,
    on_call: OnCall | None = None,
) -> tuple[Message, ...]:
    """The block's messages with these texts rewritten; the very same tuple if none changed.

    Only assistant texts, arguments of calls and text results are offered: what a user said is
    never rewritten.
    """
    calls = {call.id: (place, call) for place, call in enumerate(block.calls)}
    rewriting = Rewriting(on_result, on_text, on_call)
    messages = tuple(_message(message, block, calls, rewriting) for message in block.messages)
    same = all(new is old for new, old in zip(messages, block.messages, strict=True))
    return block.messages if same else messages


def shorten_results(
    block: Block,
    count: Count,
    *,
    min_tokens: int,
    max_tokens: int,
    is_exempt: Callable[[ToolCall], bool] = lambda call: False,
    on_text: OnText | None = None,
    on_call: OnCall | None = None,
) -> tuple[Message, ...]:
    """The block's messages with its long results in short, each with its ref; the very same
    tuple if none changed.

    Args:
        count: tokens of a text.
        min_tokens: results of up to so many tokens stay as they are.
        max_tokens: tokens that a shortened one has.
        is_exempt: whether what a call gave stays in any case.
        on_text: rewrites the assistant's texts.
        on_call: rewrites the arguments of calls.
    """
    from contextwright.text.tool_result import shorten_result  # its patterns take a while

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        if count(text) <= min_tokens or is_exempt(call):
            return text
        return shorten_result(
            text,
            tool=call.name,
            arguments=call.arguments,
            max_tokens=max_tokens,
            count=count,
            ref=ref,
        )

    return rewrite(block, on_result=on_result, on_text=on_text, on_call=on_call)


def _message(
    message: Message,
    block: Block,
    calls: dict[str, tuple[int, ToolCall]],
    rewriting: Rewriting,
) -> Message:
    parts: list[AnyPart] = []
    ref = event_ref(message.event_id or block.id)
    for part in message.parts:
        if isinstance(part, ToolResult) and rewriting.result is not None:
            place, call = calls.get(part.call_id, (0, _NO_CALL))
            of_result = original_ref(call) or event_ref(block.id, place)
            parts.append(_result(part, call, of_result, rewriting.result))
        elif isinstance(part, Text) and message.role == "assistant" and rewriting.text is not None:
            own = turn_mark(block.turn) if message.is_ours else ""
            text = _shorter(part.text, rewriting.text(part.text, ref), ref, own)
            parts.append(part if text == part.text else Text(text=text))
        elif isinstance(part, ToolCall) and rewriting.call is not None:
            arguments = rewriting.call(part, ref)
            same = arguments == part.arguments
            parts.append(part if same else msgspec.structs.replace(part, arguments=arguments))
        else:
            parts.append(part)
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    return msgspec.structs.replace(message, parts=tuple(parts), whole=False)


def _shorter(whole: str, short: str, ref: str, own: str = "") -> str:
    """What a text became, without what in it reads as a mark of ours: beside the genuine one it
    would be taken for it. What was not touched stays as it came."""
    if short == whole:
        return whole
    made = disarmed(short, ref, own)
    return made if made == short or len(made) < len(whole) else whole


def _result(part: ToolResult, call: ToolCall, ref: str, on_result: OnResult) -> ToolResult:
    texts = [piece for piece in part.content if isinstance(piece, Text)]
    if not texts:
        return part
    whole = "\n".join(piece.text for piece in texts)
    short = _shorter(whole, on_result(whole, call, ref), ref)
    if short == whole:
        return part
    rest = tuple(piece for piece in part.content if not isinstance(piece, Text))
    return msgspec.structs.replace(part, content=(Text(text=short), *rest), extra=NO_FIELDS)
