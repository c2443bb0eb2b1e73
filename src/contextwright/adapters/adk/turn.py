"""Where the part of a conversation begins that ADK sends by itself."""

from google.adk.events import Event

from contextwright.adapters.adk.mirror import seen_from


def first_sent(events: list[Event], agent: str, branch: str | None = None) -> Event | None:
    """The event that begins an agent's current turn: the newest that the user or another agent
    said, as seen from its branch. With `include_contents='none'` ADK sends it and what came
    after it.

    A tool's result that the application posts is no beginning, nor is a bare state change.
    """
    for event in reversed(events):
        if not event.content or not event.content.parts or event.partial:
            continue
        if event.author == agent or not seen_from(branch, event):
            continue
        if all(part.function_response is not None for part in event.content.parts):
            continue
        return event
    return None
