"""Where the part of a conversation begins that ADK sends by itself."""

from google.adk.events import Event
from google.genai import types

from contextwright.adapters.adk.visible_events import call_ids, part_name, parts_of
from contextwright.session.log import Log


def first_sent(events: list[Event], agent: str, log: Log) -> int | None:
    """The place in our log of the event that begins an agent's current turn: the newest that the
    user or another agent said. With `include_contents='none'` ADK sends it and what came after.

    The rules are those of ADK's `_get_current_turn_contents`: a transfer is no beginning, nor is
    a tool's result that the application posts, and the turn reaches back to the call that such
    a result answers. A compaction is one, as it is the user's in ADK.

    Args:
        log: what the agent sees of the events; what is not in it begins no turn.
    """
    answered: set[str] = set()
    known: set[str] | None = None
    for event in reversed(events):
        answered -= call_ids(event)
        results = event.get_function_responses()
        posted = event.author == "user" and bool(results)
        if posted:
            known = set().union(*map(call_ids, events)) if known is None else known
            answered |= {result.id for result in results if result.id in known}
        if answered or posted or _is_own(event, agent) or _is_transfer(event) or _is_empty(event):
            continue
        place = log.position_of(event.id)
        if place is not None:
            return place
    return None


def _is_own(event: Event, agent: str) -> bool:
    """In a live session an agent's own words come back to it as another's."""
    return event.author == agent and not event.live_session_id


def _is_transfer(event: Event) -> bool:
    calls = (part for part in parts_of(event) if part.function_call)
    return bool(event.actions.transfer_to_agent) or any(
        part_name(part) == "transfer_to_agent" for part in calls
    )


def _is_empty(event: Event) -> bool:
    if event.actions.compaction:
        return False
    return bool(event.partial) or all(map(_is_invisible, parts_of(event)))


def _is_invisible(part: types.Part) -> bool:
    """Nothing, or a thought that is not signed."""
    if part.function_call or part.function_response or part.thought_signature:
        return False
    if part.tool_call or part.tool_response:
        return False
    content = part.text or part.inline_data or part.file_data
    return bool(part.thought) or not (content or part.executable_code or part.code_execution_result)
