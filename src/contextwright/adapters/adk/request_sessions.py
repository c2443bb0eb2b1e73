"""The session that a request is made of: ADK's events, as long as ADK tells them as they are and
nobody edited what it made of them; else the contents as they stand in the request."""

from typing import NamedTuple

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from contextwright.adapters.adk.contents_mirror import ContentsMirror
from contextwright.adapters.adk.extra_contents import FRONT, extra_contents
from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.request_table import RequestTable
from contextwright.adapters.adk.session_contents import (
    invocation_of,
    is_chained,
    is_told_otherwise,
    is_told_the_turn,
    session_contents,
    shallow,
)
from contextwright.adapters.adk.session_state import plain_state
from contextwright.adapters.adk.visible_events import VisibleEvents
from contextwright.session.session import Session
from contextwright.worker_threads import off_loop

Added = list[tuple[types.Content, int]]


class RequestSession(NamedTuple):
    """What a request is made of.

    Args:
        session: the conversation.
        added: contents beside it, each with how many of the conversation follow it.
    """

    session: Session
    added: Added


class RequestSessions:
    """Finds the session of each request, and of what comes before and after it.

    Args:
        mirrors: where sessions are mirrored.
    """

    def __init__(self, mirrors: Mirrors) -> None:
        self._mirrors = mirrors
        self._whole: RequestTable[list[types.Content]] = RequestTable()

    async def put_history(self, context: CallbackContext, request: LlmRequest) -> None:
        """Put what came before the turn into a request that holds the turn alone: who edits it
        afterwards is to see what the model would."""
        if not is_told_the_turn(invocation_of(context).agent):
            return
        turn = await session_contents(context)
        added = extra_contents(request.contents, turn)
        own = _without(request.contents, added or [])
        whole, history = await self._history(context, turn, own, is_edited=added is None)
        if history is not None:
            # the static instruction is to stay in front of everything
            front = request._static_instruction_prefix_end_index or 0  # pyright: ignore
            request.contents[front:front] = shallow(history)
            self._whole[request] = whole

    async def of_request(self, context: CallbackContext, request: LlmRequest) -> RequestSession:
        """The session of a request, and what the request has beside it."""
        events = await self._events(context)
        source, added = await self._source(context, request)
        if added is not None and not self._is_told_otherwise(context):
            self._leave_contents(context)
            return RequestSession(events, added)
        own = _without(request.contents, added or [])
        if self._is_turn(context, request):
            is_edited = added is None
            whole, history = await self._history(context, source, own, is_edited=is_edited)
            if history is not None:
                source, own = whole, [*history, *own]
        if not own:  # ADK tells nothing: what stands in the request is all there is
            own, added = request.contents, None
        if not own:
            self._leave_contents(context)
            return RequestSession(events, [])
        mirror = self._mirror(context)
        mirror.is_newest = True
        session = await off_loop(mirror.sync, own, source, _state(context), long=True)
        return RequestSession(session, added or [])

    async def newest(self, context: CallbackContext) -> Session:
        """The session of the agent's last request."""
        mirror = self._known_mirror(context)
        if mirror is None or not mirror.is_newest:
            return await self._events(context)
        return await off_loop(mirror.newest, _state(context))

    async def around(self, context: CallbackContext) -> Session:
        """The session before an agent's first request, or after its last answer."""
        events = await self._events(context)
        mirror = self._known_mirror(context)
        if not self._is_told_otherwise(context) and not (mirror and mirror.is_newest):
            return events
        source = await session_contents(context, history=True)
        if not source:
            return events
        mirror = self._mirror(context)
        return await off_loop(mirror.follow, source, _state(context), long=True)

    async def _source(
        self, context: CallbackContext, request: LlmRequest
    ) -> tuple[list[types.Content], Added | None]:
        """What ADK tells of the session in this request, and what the request has beside it."""
        whole = self._whole.get(request)
        if whole is not None:
            return whole, extra_contents(request.contents, whole)
        # a callback may have set it, too: then ADK told as much as without
        chained = request.previous_interaction_id if is_chained(context) else None
        source = await session_contents(context, chained=chained)
        added = extra_contents(request.contents, source)
        if added is not None and self._is_turn(context, request):
            added = _before_the_turn(added, len(source), request)
        return source, added

    def _is_turn(self, context: CallbackContext, request: LlmRequest) -> bool:
        """Whether a request holds the running turn alone."""
        if self._whole.get(request) is not None:
            return False
        return is_told_the_turn(invocation_of(context).agent) or is_chained(context)

    def _is_told_otherwise(self, context: CallbackContext) -> bool:
        mirror = self._known_mirror(context)
        return (
            is_told_otherwise(context)
            or (mirror is not None and mirror.edits.is_any)
            or self._mirrors.is_rearranged(context.session, VisibleEvents.of(context))
        )

    async def _history(
        self,
        context: CallbackContext,
        turn: list[types.Content],
        own: list[types.Content],
        *,
        is_edited: bool,
    ) -> tuple[list[types.Content], list[types.Content] | None]:
        """The whole session as ADK tells it, and what came before the turn as the requests before
        held it; None where the whole does not end with the turn.

        Args:
            own: the turn as the request holds it.
            is_edited: whether somebody changed it.
        """
        whole = await session_contents(context, history=True)
        earlier = _earlier(whole, turn)
        mirror = self._mirror(context) if is_edited else self._known_mirror(context)
        if earlier is None or mirror is None or not (is_edited or mirror.edits.is_any):
            return whole, earlier
        history = mirror.edits.history(earlier)
        mirror.edits.add(earlier, turn, own)
        return whole, history

    def _leave_contents(self, context: CallbackContext) -> None:
        mirror = self._known_mirror(context)
        if mirror is not None:
            mirror.is_newest = False

    def _mirror(self, context: CallbackContext) -> ContentsMirror:
        view = VisibleEvents.of(context)
        return self._mirrors.add_contents(context.session, view, context.agent_name)

    def _known_mirror(self, context: CallbackContext) -> ContentsMirror | None:
        view = VisibleEvents.of(context)
        return self._mirrors.contents(context.session, view, context.agent_name)

    async def _events(self, context: CallbackContext) -> Session:
        view = VisibleEvents.of(context)
        return await self._mirrors.asession(context.session, context.state.to_dict(), view)


def _state(context: CallbackContext) -> dict[str, object]:
    return plain_state(context.state.to_dict())


def _without(contents: list[types.Content], added: Added) -> list[types.Content]:
    extras = {id(content) for content, _ in added}
    return [content for content in contents if id(content) not in extras]


def _earlier(whole: list[types.Content], turn: list[types.Content]) -> list[types.Content] | None:
    """What was said before the turn; None where the whole does not end with it."""
    start = len(whole) - len(turn)
    return whole[:start] if start >= 0 and whole[start:] == turn else None


def _before_the_turn(added: Added, count: int, request: LlmRequest) -> Added:
    """What stands in front of a turn of so many contents stands behind the history, but for a
    static instruction."""
    prefix = request._static_instruction_prefix_end_index or 0  # pyright: ignore
    static = {id(content) for content in request.contents[:prefix]}
    return [
        (content, count if after == FRONT and id(content) not in static else after)
        for content, after in added
    ]
