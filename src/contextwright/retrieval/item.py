"""What is searched, and what a search gives back."""

import msgspec


class Item(msgspec.Struct, frozen=True, kw_only=False, gc=False):
    """A text that may be found.

    Items of one `thread` are neighbours in the order in which they were added; no other order
    means anything.

    Args:
        id: its name: adding another item of this id replaces it.
        text: what is searched and what is sent.
        kind: turn, note, memory, fact, entity, decision, artifact, document, tool or passage.
        role: who said it: user, assistant, or a speaker's name; empty where no one did.
        thread: the conversation, meeting or document that it is a piece of.
        time_ms: when it was said, in milliseconds since 1970, where that is known.
    """

    id: str
    text: str
    kind: str = "passage"
    role: str = ""
    thread: str = ""
    time_ms: int | None = None


class Hit(msgspec.Struct, frozen=True, gc=False):
    """An item that was found, with its score in millionths of the best one's."""

    item: Item
    score: int
