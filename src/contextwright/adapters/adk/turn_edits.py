"""What plugins made of an agent's turns that were shown the running turn alone: the turns before
stay as they were edited, since nobody is shown them again."""

from google.genai import types

from contextwright.adapters.adk.session_contents import shallow


class TurnEdits:
    """A session's contents as ADK tells them, beside the same as they were edited turn by turn."""

    def __init__(self) -> None:
        self.is_any = False
        self._source: list[types.Content] = []
        self._contents: list[types.Content] = []
        self._turn = (0, 0)  # where the newest turn begins in each

    def history(self, earlier: list[types.Content]) -> list[types.Content]:
        """What came before a turn, as it was edited.

        Args:
            earlier: the same as ADK tells it.
        """
        for known, count in ((len(self._source), len(self._contents)), self._turn):
            if known <= len(earlier) and earlier[:known] == self._source[:known]:
                return [*self._contents[:count], *earlier[known:]]
        return earlier

    def add(
        self, earlier: list[types.Content], turn: list[types.Content], edited: list[types.Content]
    ) -> None:
        """Keep what was made of a turn.

        Args:
            earlier: what came before it, as ADK tells it.
            turn: as ADK tells it.
            edited: the turn as the request holds it.
        """
        front = self.history(earlier)
        self._turn = len(earlier), len(front)
        self._source = [*earlier, *turn]
        self._contents = [*front, *shallow(edited)]
        self.is_any = True
