"""What a shortened text says of where its whole is (rules.md#lineage): each form in which a ref of
ours stands in a text, how it is written, and what it says where nobody could read the ref."""

import re
from collections.abc import Callable

_FULL_OUTPUT = r"\[full output: (?P<full>\S+), (?P<tokens>\d+ tokens)\]"
END_NOTE = re.compile(rf"\n?{_FULL_OUTPUT}\Z")
"""What `full_output_note` writes, at the end of a text."""
OUTPUT_NOTE = re.compile(
    rf"{_FULL_OUTPUT}"
    r"|\[\.\.\. truncated, full output: (?P<cut>\S+) \.\.\.\]"
)
"""What `full_output_note` and `cut_note` write; `ref_of` a match is where it leads."""
_LEFT_OUT = (
    r"… ?\[\d+ characters left out\]"
    r"|\[[^\[\]\n]*… left out\]"
    r"|\[… \d+ \w+(?: left out)?\]"
)
LONGEST_NOTE = 200
"""Characters of a note that is looked for around a place: ids are shorter."""
_UNREADABLE = "out of reach"
"""What stands for a ref; as short as one."""
_NOTE = re.compile(
    rf"{OUTPUT_NOTE.pattern}"
    r"|\[(?P<count>\d+ tokens), shortened here; in full: (?P<argument>\S+)\]"
    r"|\[full message: (?P<message>\S+)\]"
    r"|(?:, in full:|,)? (?P<tail>event://[^\s\]]+)(?=\]?(?:\n|\Z))"
)
"""All that the functions below write."""
_ARGUMENT_NOTE = re.compile(r"\[\d+ tokens, shortened here(?:; in full: \S+)?\]\Z")
_EVENT_NOTE = re.compile(r"\n?\[full output: event://[^\]\n]*\]|, full output: event://[^\s\]]+")


_WHOLE = re.compile(f"{_NOTE.pattern}|{_LEFT_OUT}")
"""What is cut through nowhere: the notes above, and how much was left out in a place."""


def full_output_note(ref: str, tokens: int) -> str:
    """The line that says where the whole of a shortened text is."""
    return f"[full output: {ref}, {tokens} tokens]"


def cut_note(ref: str) -> str:
    """The line that stands where a text was cut, and says where its whole is."""
    return f"[... truncated, full output: {ref} ...]"


def message_note(ref: str) -> str:
    """The line that says where the whole of a summarized message is."""
    return f"[full message: {ref}]"


def argument_note(ref: str, tokens: int) -> str:
    """The line that says how long a call's argument was, and where the call is, if anywhere."""
    return f"[{tokens} tokens, shortened here{f'; in full: {ref}' if ref else ''}]"


def has_argument_note(text: str) -> bool:
    """Whether a call's argument was shortened before."""
    return _ARGUMENT_NOTE.search(text) is not None


def line_tail(ref: str) -> str:
    """The end of a line that tells of a call."""
    return f" {ref}"


def range_tail(ref: str) -> str:
    """The end of a line that stands for many calls."""
    return f", in full: {ref}"


def media_tail(ref: str) -> str:
    """The end of what describes a picture or a file, in front of its bracket."""
    return f", {ref}"


def ref_of(note: re.Match[str]) -> str:
    """Where a note of an output leads."""
    return note["full"] or note["cut"]


def is_noted(text: str, ref: str) -> bool:
    """Whether a text ends by saying that its whole is at this ref: it was shortened before."""
    noted = END_NOTE.search(text) if ref and text.endswith("]") else None
    return noted is not None and noted["full"] == ref


def may_be_noted(text: str) -> bool:
    """Whether a text ends as one that says where its whole is."""
    return text.endswith(" tokens]")


def without_notes(text: str, ref: str) -> str:
    """What a text says that was shortened before, without the notes of where its whole is.

    Args:
        ref: of the whole; what leads elsewhere is a part of the text.
    """

    def gap(match: re.Match[str]) -> str:
        return "" if ref_of(match) == ref else match[0]

    return OUTPUT_NOTE.sub(gap, text) if ref else text


def without_output_notes(text: str) -> str:
    """A text without what says where its whole is: who retells it has its own."""
    return OUTPUT_NOTE.sub("", text) if "full output: " in text else text


def outside_note(text: str, at: int, *, forward: bool = False) -> int:
    """A place where no note of ours is cut through: `at`, or the beginning of the note that it
    lies in (its end with `forward`)."""
    start = max(0, at - LONGEST_NOTE)
    near = text[start : at + LONGEST_NOTE]
    if not ("://" in near or "…" in near or "[" in near):
        return at
    for note in _WHOLE.finditer(text, start, at + LONGEST_NOTE):
        if note.start() >= at:
            break
        if at < note.end():
            return note.end() if forward else note.start()
    return at


def without_event_notes(text: str) -> str:
    """A text without the notes of outputs whose whole only their session could find."""
    return _EVENT_NOTE.sub("", text) if "event://" in text else text


def without_refs(text: str, is_own: Callable[[str], bool]) -> str:
    """A text that says that it was shortened, and shows no address.

    Args:
        is_own: whether a ref was put there by shortening: what else reads like one is somebody's.
    """

    def hidden(note: re.Match[str]) -> str:
        named = note["full"] or note["cut"] or note["argument"] or note["message"]
        if not is_own(named or note["tail"]):
            return note[0]
        if note["full"]:
            return f"[full output: {_UNREADABLE}, {note['tokens']}]"
        if note["message"]:
            return message_note(_UNREADABLE)
        if note["argument"]:
            return f"[{note['count']}, shortened here]"
        return "[... truncated ...]" if note["cut"] else ""

    return _NOTE.sub(hidden, text) if "full" in text or "event://" in text else text
