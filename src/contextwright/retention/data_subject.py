"""The data subject of an erasure, and whose a session is."""

from typing import Any, get_args
from unicodedata import category, normalize

import msgspec

from contextwright.errors import StoreError
from contextwright.retention.normalize_text import visible
from contextwright.retention.validation import require, text_tuple
from contextwright.session.event import Role

MIN_ID = 3
"""Characters of an id that is looked for in texts; a shorter one is only compared as an owner:
user `7` is not every 7."""
MIN_NAME = 2
"""Characters of a name: one letter would be found in every text."""
MARKS = ("erased", "Erased", "ERASED")
_ROLES = {*get_args(Role), "developer", "model"}
"""A role stands beside every message: as a name it would erase them all."""


class DataSubject(msgspec.Struct, frozen=True):
    """The person whose data are erased (GDPR, article 4: the data subject), and all that says
    who it is.

    Names are found as whole words, whatever their case and Unicode form. Give every form that
    occurs (`Ada Lovelace`, `Lovelace`, `A. Lovelace`, `ada@example.org`), inflected ones too.

    Args:
        id: as the application knows the subject: scopes of memories, `user_id` of sessions.
        names: strings that identify: names, addresses, numbers.
        scopes: further scopes that are the data subject's.

    Raises:
        StoreError: no id; anything but texts; a name of less than two characters, or without a
            letter or digit; the word `erased`, or that of a role.
    """

    id: str
    names: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(self.id, str, "DataSubject(id)", "such as DataSubject('u-1815')")
        for field in ("names", "scopes"):
            msgspec.structs.force_setattr(self, field, text_tuple(getattr(self, field), field))
        strings = (self.id, *self.names, *self.scopes)
        short = [name for name in self.names if len(_graphemes(name)) < MIN_NAME]
        bare = [name for name in strings if not any(map(_identifies, name))]
        # what is written in the place of a name would be found as one again
        marks = [name for name in strings if name.strip("[] ") in MARKS]
        marks += [name for name in strings if name.strip().lower() in _ROLES]
        if bare or short or marks:
            raise StoreError(
                "expected an id, and names of two characters or more with a letter or a digit that "
                "are not `erased` or a role, got what would be found everywhere",
                where=f"id of {len(self.id)} characters, names {(*bare, *short, *marks)}",
                fix="leave these names out",
            )

    @property
    def strings(self) -> tuple[str, ...]:
        """The strings that are looked for in texts, the longest first."""
        strings = {name.strip() for name in self.names}
        if len(self.id.strip()) >= MIN_ID:
            strings.add(self.id.strip())
        strings |= {scope.strip() for scope in self.scopes if len(scope.strip()) >= MIN_ID}
        return tuple(sorted(strings, key=lambda name: (-len(name), name)))


def _graphemes(name: str) -> str:
    """A name as the characters that a reader sees: a letter and its marks are one."""
    return normalize("NFC", visible(name)).strip()


def _identifies(sign: str) -> bool:
    """True if a sign can tell one person from another: a letter, a digit, a picture."""
    return sign.isalnum() or category(sign) == "So"


OWNERS = ("user_id", "user")
"""Keys of a session's metadata that name its owner."""
_OWNER_FIELDS = ("id", "user_id", "email", "name")


def owner_of(metadata: dict[str, Any]) -> list[str]:
    """The owners that a session's metadata name."""
    owners: list[Any] = []
    for key in OWNERS:
        owner = metadata.get(key)
        owners += (
            [owner.get(field) for field in _OWNER_FIELDS] if isinstance(owner, dict) else [owner]
        )
    return [str(each) for each in owners if isinstance(each, (str, int)) and str(each)]
