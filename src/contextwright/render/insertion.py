"""Texts that the engine itself puts into a request: the part of the receipt about them."""

from typing import Literal

import msgspec

InsertionKind = Literal[
    "interrupted_result",
    "pending_result",
    "turn_note",
    "placeholder",
    "argument_note",
    "media_note",
    "section",
    "left_out",
    "payload",
    "transcript",
    "merged",
    "moved_media",
    "tool_stub",
    "signature",
    "thinking_off",
]
"""interrupted_result, pending_result: stands for a result that the log has not.
turn_note: a user's turn that the provider wants first or last.
placeholder: stands for a message or a result without text.
argument_note: arguments that were not JSON, in front of the result of their call.
media_note: a picture or a file in words, where it can not be sent.
section: the markers around a text. payload: the headers of a Context Pack.
left_out: a line that names what is missing there.
transcript: who speaks in which turn, where the conversation is sent as one text.
merged: neighbours of one role that became one message.
moved_media: pictures of a tool's result that stand in a user's message behind it.
tool_stub: a tool without a schema, since the history calls it and none was given.
signature: a stand-in that the provider documents for a signature that was lost.
thinking_off: reasoning is off in this request, as the turn's is not what was signed (ADR 160)."""


class Insertion(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something in a request that comes from no block.

    Args:
        where: the event or block that it stands with; `system`, `tail`, `start`, `end`, `tools`.
        text: as it stands in the request; empty where only the form was changed.
        closing: what stands behind the text that it frames.
        ids: the events or blocks that it joins or frames.
    """

    kind: InsertionKind
    where: str
    text: str = ""
    closing: str = ""
    ids: tuple[str, ...] = ()
