"""A person whose data are to go."""

from typing import Any, get_args
from unicodedata import category, normalize

import msgspec

from contextwright.errors import StoreError
from contextwright.retention.normalize_text import visible
from contextwright.session.event import Role

LEAST_ID = 3
"""Characters of an id that is looked for in texts; a shorter one is only compared as an owner:
user `7` is not every 7."""
LEAST_NAME = 2
MARK = ("erased", "Erased", "ERASED")
_ROLES = {*get_args(Role), "developer", "model"}
"""They stand beside every message."""


def several(given: Any) -> Any:
    """Texts as a tuple; one text is one, not its letters. What is no list stays what it is."""
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, (list, tuple, set, frozenset)) else given


class Person(msgspec.Struct, frozen=True):
    """Whose data are to go, and all that says who it is.

    Names are found as whole words, whatever their case and Unicode form. Give every form that
    occurs (`Ada Lovelace`, `Lovelace`, `A. Lovelace`, `ada@example.org`), inflected ones too.

    Args:
        id: as the application knows the person: scopes of memories, `user_id` of sessions.
        names: strings that identify: names, addresses, numbers.
        scopes: further scopes that are the person's.

    Raises:
        StoreError: no id; what is no text; a name of less than two characters, or without a
            letter or digit; the word `erased`, or that of a role.
    """

    id: str
    names: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "names", several(self.names))
        msgspec.structs.force_setattr(self, "scopes", several(self.scopes))
        if not _are_texts((self.id,)) or not _are_texts(self.names) or not _are_texts(self.scopes):
            raise StoreError(
                "the id of a person is a text; names and scopes are tuples of texts",
                where=f"{type(self.id).__name__}, {type(self.names).__name__}, "
                f"{type(self.scopes).__name__}",
                fix="such as Person('u-1815', names=('Ada Lovelace',))",
            )
        said = (self.id, *self.names, *self.scopes)
        short = [name for name in self.names if len(_signs(name)) < LEAST_NAME]
        bare = [name for name in said if not any(map(_says, name))]
        # what is written in the place of a name would be found as one again
        marks = [name for name in said if name.strip("[] ") in MARK]
        marks += [name for name in said if name.strip().lower() in _ROLES]
        if bare or short or marks:
            raise StoreError(
                "a person needs an id, and names of two characters at least, with a letter or a "
                "digit, that are not `erased` or a role",
                where=f"id of {len(self.id)} characters, names {(*bare, *short, *marks)}",
                fix="leave out what would be found everywhere",
            )

    @property
    def strings(self) -> tuple[str, ...]:
        """What is looked for in texts, the longest first."""
        said = {name.strip() for name in self.names}
        if len(self.id.strip()) >= LEAST_ID:
            said.add(self.id.strip())
        said |= {scope.strip() for scope in self.scopes if len(scope.strip()) >= LEAST_ID}
        return tuple(sorted(said, key=lambda name: (-len(name), name)))


def _are_texts(given: Any) -> bool:
    """Whether texts were given, and nothing else."""
    return isinstance(given, (tuple, list)) and all(isinstance(each, str) for each in given)


def _signs(name: str) -> str:
    """A name as the characters that a reader sees: a letter and its marks are one."""
    return normalize("NFC", visible(name)).strip()


def _says(sign: str) -> bool:
    """Whether a sign can tell one person from another: a letter, a digit, a picture."""
    return sign.isalnum() or category(sign) == "So"


OWNERS = ("user_id", "user")
"""Keys of a session's metadata that say whose it is."""
_SAYS_WHO = ("id", "user_id", "email", "name")


def owner_of(metadata: dict[str, Any]) -> list[str]:
    """Who a session's metadata say it belongs to."""
    found: list[Any] = []
    for key in OWNERS:
        said = metadata.get(key)
        found += [said.get(each) for each in _SAYS_WHO] if isinstance(said, dict) else [said]
    return [str(each) for each in found if isinstance(each, (str, int)) and str(each)]
