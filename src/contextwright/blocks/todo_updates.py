"""What an exchange says of to-do lists."""

from collections.abc import Iterator

from contextwright.blocks.block import Block
from contextwright.memo.ownership import cached_text
from contextwright.session.event import ToolCall, ToolResult
from contextwright.text.todo_lists import TodoUpdate, is_todo_tool, todo_update


def calls_todo_tool(block: Block) -> bool:
    """Whether an exchange calls a tool that is named for things to do."""
    return block.has_calls and any(is_todo_tool(call.name) for call in tool_calls_of(block))


@cached_text
def todo_updates(block: Block) -> tuple[TodoUpdate | None, ...]:
    """What each of its calls says of a list; None for one that says nothing, or did not go well."""
    results = {result.call_id: result for result in block.results}
    return tuple(update_by(call, results.get(call.id)) for call in tool_calls_of(block))


def update_by(call: ToolCall, result: ToolResult | None) -> TodoUpdate | None:
    """What a call says of a list; None where it says nothing of one, or did not go well."""
    if result is None or result.status != "ok" or not is_todo_tool(call.name):
        return None
    return todo_update(call.name, call.arguments, result.text)


def tool_calls_of(block: Block) -> Iterator[ToolCall]:
    """Its calls, as they came."""
    for message in block.messages:
        for part in message.parts:
            if isinstance(part, ToolCall):
                yield part
