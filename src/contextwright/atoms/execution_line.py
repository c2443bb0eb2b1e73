"""A tool execution as one informative line; a finished turn as its conclusion
(phased-injection.md#folding)."""

from collections import Counter

import msgspec

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.blocks.escape import escape, turn_mark
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.ref import event_ref, range_ref
from contextwright.blocks.todo_states import update_by
from contextwright.session.event import NO_FIELDS, File, Image, Text, ToolCall, ToolResult
from contextwright.spec.inputs import Inputs
from contextwright.text.call_outcome import argument_values, result_values
from contextwright.text.cut import cut
from contextwright.text.json_fields import load_json
from contextwright.text.ref_notes import line_tail, media_tail, range_tail
from contextwright.text.todo_lists import TodoList
from contextwright.text.tool_result import shorten_result, target_of

LINE = 60
"""Tokens of what a line says of one result."""
TEXT_TOKENS = 100
"""Tokens of what stays of the words beside the calls."""
ROWS, LEAST, TRACE = 240, 60, 4_000
"""Tokens that a trace tells of one result at most and at least, and of all together: where there
are many calls, each has less. Rows of a table; other texts have a quarter."""
CAPTION = 300
"""Characters of what is said of a picture."""
ARGUMENT_CHARS = 60
"""Characters of a call's main argument."""
DESCRIBED = "old pictures are described"


def folded(block: Block, inputs: Inputs) -> Block:
    """A tool execution as lines, one a call; any other block as it is.

    `[Turn 3] web_search (Python sorting) → Found 8 results: quicksort, ... event://e5#0`
    """
    calls = block.calls
    if not calls or (block.fidelity < Fidelity.COMPACTED and block.why != DESCRIBED):
        return block
    words = _words_beside(block, TEXT_TOKENS, inputs)
    lines = [words] if words else []
    results = {result.call_id: result for result in block.results}
    for place, call in enumerate(calls):
        ref = event_ref(block.id, place)
        lines.append(_line(block.turn, call, results.get(call.id), ref, inputs))
    return _as_assistant_text(block, "\n".join(lines), "folded: one line a call", inputs)


def concluded(blocks: Blocks, inputs: Inputs) -> Blocks:
    """The executions of a finished turn as one line in front of the turn's conclusion: how many,
    of which tools, and where all of it can be read. One execution is folded."""
    table = inputs.memo.table(("concluded", inputs.counter_id, inputs.cost))
    known = table.get(blocks)
    if known is None:
        known = table[blocks] = _concluded(blocks, inputs)
    return known


def _concluded(blocks: Blocks, inputs: Inputs) -> Blocks:
    trace = [block for block in blocks if block.results and block.calls]
    if len(trace) < 2:
        return tuple(folded(block, inputs) for block in blocks)
    used = Counter(call.name for block in trace for call in block.calls)
    tools = escape(", ".join(f"{name} × {n}" if n > 1 else name for name, n in used.items()))
    ref = range_ref(trace[0].lineage[0], trace[-1].lineage[-1])
    last = trace[-1]
    text = f"{turn_mark(last.turn)}{used.total()} tool calls ({tools}){range_tail(ref)}"
    made = _as_assistant_text(last, text, "folded to its conclusion", inputs)
    if made is last or inputs.cost(made) >= sum(map(inputs.cost, trace)):
        return tuple(folded(block, inputs) for block in blocks)
    earlier = set(trace[:-1])
    lineage = tuple(id for block in trace for id in block.lineage)
    made = msgspec.structs.replace(made, lineage=lineage)
    return tuple(made if block is last else block for block in blocks if block not in earlier)


def traced(blocks: Blocks, inputs: Inputs) -> Blocks:
    """The executions of a finished turn in short, each in its place: a line a call, with its
    arguments, the values that it gave, and where all of it can be read."""
    table = inputs.memo.table(("traced", inputs.counter_id, inputs.cost))
    known = table.get(blocks)
    if known is None:
        total = sum(len(block.calls) for block in blocks if block.results)
        most = max(LEAST, min(ROWS, TRACE // max(1, total)))
        known = table[blocks] = tuple(_traced(block, most, inputs) for block in blocks)
    return known


def _traced(block: Block, most: int, inputs: Inputs) -> Block:
    calls = block.calls
    if not calls or not block.results:
        return block
    words = _words_beside(block, most, inputs)
    lines = [words] if words else []
    results = {result.call_id: result for result in block.results}
    for place, call in enumerate(calls):
        result = results.get(call.id)
        line = _trace_line(call, result, most, inputs)
        ref = line_tail(event_ref(block.id, place)) if _is_answered(result) else ""
        lines.append(f"{turn_mark(block.turn)}{line}{ref}")
    return _as_assistant_text(block, "\n".join(lines), "folded: one line a call", inputs)


def _words_beside(block: Block, max_tokens: int, inputs: Inputs) -> str:
    """What an assistant said beside its calls."""
    parts = block.messages[0].parts
    text = "\n".join(part.text for part in parts if isinstance(part, Text) and part.text)
    short = cut(text, max_tokens, "head", inputs.count, marker="...") if text.strip() else ""
    return escape(short)


def without_images(block: Block, inputs: Inputs) -> Block:
    """A block whose pictures and files are descriptions, each with where it can be had, and with
    what the application says of it: `metadata={"caption": ...}` of its event, which a model that
    sees can write when the event comes."""
    messages = tuple(
        _described(message, block.turn, _caption(message.event_id, inputs))
        for message in block.messages
    )
    if all(new is old for new, old in zip(messages, block.messages, strict=True)):
        return block
    return block.lower(Fidelity.PLACEHOLDER, messages=messages, why=DESCRIBED)


def _caption(event_id: str, inputs: Inputs) -> str:
    event = inputs.snapshot.event(event_id) if event_id else None
    caption: object = event.metadata.get("caption", "") if event is not None else ""
    return inputs.clean(" ".join(caption.split())) if isinstance(caption, str) else ""


def _described(message: Message, turn: int, caption: str) -> Message:
    parts = tuple(
        _words(part, message, turn, caption)
        if isinstance(part, (Image, File))
        else msgspec.structs.replace(
            part,
            content=tuple(
                _words(one, message, turn, caption) if isinstance(one, (Image, File)) else one
                for one in part.content
            ),
            extra=NO_FIELDS,
        )
        if isinstance(part, ToolResult)
        and any(isinstance(one, (Image, File)) for one in part.content)
        else part
        for part in message.parts
    )
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    return msgspec.structs.replace(message, parts=parts, whole=False)


def _words(part: Image | File, message: Message, turn: int, caption: str) -> Text:
    who = {"user": "the user showed", "tool": "a tool gave"}.get(message.role, "shown was")
    if isinstance(part, Image):
        size = f" of {part.width} × {part.height}" if part.width else ""
        name = f" {part.url.rpartition('/')[2]}" if part.url and not part.data else ""
        what, kind = f"{part.media_type}{size}{escape(name[:80])}", "Image"
    else:
        what, kind = escape(part.name or part.media_type), "File"
    ref = media_tail(event_ref(message.event_id)) if message.event_id else ""
    shown = f": {escape(caption[:CAPTION])}" if caption else ""
    return Text(text=f"[{kind} at Turn {turn + 1}: {who} {what}{shown}{ref}]")


def _line(turn: int, call: ToolCall, result: ToolResult | None, ref: str, inputs: Inputs) -> str:
    if listed := _todo_line(call, result, LINE, inputs):
        return f"{turn_mark(turn)}{listed}{line_tail(ref)}"
    argument = _main_argument(call)
    head = turn_mark(turn) + escape(call.name + (f" ({argument})" if argument else ""))
    if result is None or not _is_answered(result):
        return f"{head} → no result"
    short = shorten_result(
        result.text,
        tool=call.name,
        arguments=call.arguments,
        max_tokens=LINE,
        count=inputs.count,
        is_told=bool(argument),
    )
    gave = escape(" ".join(short.split())) or "nothing"
    failed = "failed: " if result.status == "error" else ""
    return f"{head} → {failed}{gave}{line_tail(ref)}"


def _trace_line(call: ToolCall, result: ToolResult | None, most: int, inputs: Inputs) -> str:
    """A call in a trace: its arguments, and the values of its result."""
    if listed := _todo_line(call, result, most, inputs):
        return listed
    head = escape(f"{call.name} ({argument_values(call.arguments)})")
    if result is None or not _is_answered(result):
        return f"{head} → no result"
    gave = result_values(result.text, most, inputs.count)
    failed = "failed: " if result.status == "error" else ""
    return f"{head} → {failed}{escape(gave) or 'nothing'}"


def _todo_line(call: ToolCall, result: ToolResult | None, most: int, inputs: Inputs) -> str:
    """The to-do list that a call wrote, what is open first; empty for any other call."""
    update = update_by(call, result)
    if update is None or not update.is_all:
        return ""
    return escape(TodoList(call.name, update.items).line(most, inputs.count))


def _is_answered(result: ToolResult | None) -> bool:
    return result is not None and result.status not in {"interrupted", "pending"}


def _main_argument(call: ToolCall) -> str:
    """What a call was about: what it looked for, or its longest plain argument."""
    arguments = load_json(call.arguments)
    target = target_of(arguments)
    values = [target] if target else arguments.values() if isinstance(arguments, dict) else ()
    plain = [" ".join(str(value).split()) for value in values if isinstance(value, (str, int))]
    longest = max(plain, key=len, default="")
    return longest if len(longest) <= ARGUMENT_CHARS else longest[: ARGUMENT_CHARS - 1] + "…"


def _as_assistant_text(block: Block, text: str, why: str, inputs: Inputs) -> Block:
    """The block as words of its assistant, if that is shorter."""
    first = block.messages[0]
    message = msgspec.structs.replace(first, parts=(Text(text=text),), whole=False, is_ours=True)
    made = block.lower(Fidelity.COMPACTED, messages=(message,), why=why)
    return made if inputs.cost(made) < inputs.cost(block) else block
