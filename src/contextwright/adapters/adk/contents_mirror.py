"""Our session beside the contents of an agent's requests, where its events do not say what is
sent: ADK, or a callback, made something else of them."""

import threading
from collections.abc import Mapping
from typing import Any

from google.genai import types

from contextwright.adapters.adk.session_state import take_state
from contextwright.adapters.adk.turn_edits import TurnEdits
from contextwright.engine.conversation import Conversation
from contextwright.session.session import Session

CODE, OUTPUT = ("```tool_code\n", "\n```"), ("```tool_output\n", "\n```")
"""Around code and what it gave, as ADK tells both (`code_executors/base_code_executor.py`)."""


class ContentsMirror:
    """The conversation of one agent: the contents that its last request held, and how ADK itself
    had told them, by which what was said since is recognized.

    Args:
        id: of the session.
    """

    def __init__(self, id: str) -> None:
        self.is_newest = False
        """Whether the agent's last request was made of it."""
        self.edits = TurnEdits()
        self._conversation = Conversation(id, "gemini")
        self._lock = threading.Lock()
        self._contents: list[types.Content] = []
        self._source: list[types.Content] = []

    def sync(
        self, contents: list[types.Content], source: list[types.Content], state: Mapping[str, Any]
    ) -> Session:
        """Our session of a request.

        Args:
            contents: of the conversation, as the request holds them.
            source: the same as ADK tells them.
            state: as the running agent sees it.
        """
        with self._lock:
            session = self._conversation.update([_dumped(one) for one in contents if one.parts])
            self._contents, self._source = list(contents), list(source)
            take_state(session, state)
            return session

    def follow(self, source: list[types.Content], state: Mapping[str, Any]) -> Session:
        """Our session, with what was said since the last request.

        Args:
            source: all of it as ADK tells it now.
        """
        known = len(self._source)
        is_known = known > 0 and source[:known] == self._source
        contents = [*self._contents, *source[known:]] if is_known else source
        return self.sync(contents, source, state)

    def newest(self, state: Mapping[str, Any]) -> Session:
        """Our session of the last request."""
        with self._lock:
            session = self._conversation.append([])
            take_state(session, state)
            return session


def _dumped(content: types.Content) -> dict[str, Any]:
    """A content as data. Code is told as text, which every model takes."""
    parts = [_told_as_text(part) for part in content.parts or ()]
    content = content.model_copy(update={"parts": parts})
    return content.model_dump(mode="json", by_alias=True, exclude_none=True)


def _told_as_text(part: types.Part) -> types.Part:
    if part.executable_code:
        return types.Part(text=(part.executable_code.code or "").join(CODE))
    if part.code_execution_result:
        return types.Part(text=(part.code_execution_result.output or "").join(OUTPUT))
    return part
