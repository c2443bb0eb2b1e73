"""What an agent sees of an ADK session's events, by ADK's rules (2.13,
`flows/llm_flows/context/_contents.py` and `events/_rewind_events.py`)."""

from collections.abc import Set
from dataclasses import dataclass

from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.events import Event
from google.genai import types

ITS_OWN = frozenset({"adk_framework", "adk_request_credential", "adk_request_confirmation"})
"""Calls by which ADK talks with the application; no model sees them."""


@dataclass(frozen=True, slots=True)
class VisibleEvents:
    """From where a session is looked at.

    Args:
        branch: the running agent's branch; empty at the root.
        scope: its isolation scope, which a delegated task has.
    """

    branch: str = ""
    scope: str | None = None

    @classmethod
    def of(cls, context: ReadonlyContext | InvocationContext) -> "VisibleEvents":
        """That of a running agent."""
        running = context
        if isinstance(running, ReadonlyContext):
            running = running._invocation_context  # pyright: ignore
        return cls(running.branch or "", running.isolation_scope)

    def shows(self, event: Event, called: Set[str]) -> bool:
        """Whether an agent here sees an event.

        Args:
            called: ids of the calls that the session holds so far.
        """
        return (
            event.isolation_scope == self.scope
            and self._sees_branch(event.branch or "")
            and not self._is_inside_a_tool(event.branch or "", called)
            and not any(part_name(part) in ITS_OWN for part in parts_of(event))
        )

    def _sees_branch(self, branch: str) -> bool:
        """Its own and those above."""
        if not self.branch or not branch:
            return True
        return self.branch == branch or self.branch.startswith(f"{branch}.")

    def _is_inside_a_tool(self, branch: str, called: Set[str]) -> bool:
        """What a tool's own agents say, below this branch under `tool@call`, is for the user."""
        if self.branch and not branch.startswith(f"{self.branch}."):
            return False
        below = branch[len(self.branch) :].split(".")
        return any("@" in part and part.rpartition("@")[2] in called for part in below)


def live(events: list[Event]) -> list[Event]:
    """The events that no rewind took back. A rewind that was itself taken back takes nothing."""
    if not any(event.actions.rewind_before_invocation_id for event in events):
        return events
    first: dict[str, int] = {}
    for place, event in enumerate(events):
        if event.invocation_id:
            first.setdefault(event.invocation_id, place)
    visible: list[Event] = []
    place = len(events) - 1
    while place >= 0:
        back = events[place].actions.rewind_before_invocation_id
        if back:
            place = min(place, first.get(back, place))
        else:
            visible.append(events[place])
        place -= 1
    return visible[::-1]


def parts_of(event: Event) -> list[types.Part]:
    """The parts of its content."""
    return (event.content.parts if event.content else None) or []


def part_name(part: types.Part) -> str:
    """Of the tool that a part calls or answers."""
    call = part.function_call or part.function_response
    return (call.name if call else None) or ""


def call_ids(event: Event) -> set[str]:
    """Ids of the calls that an event makes."""
    return {call.id for call in event.get_function_calls() if call.id}
