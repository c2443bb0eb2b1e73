"""A person whose data are to go."""

from collections.abc import Iterable
from typing import Any

import msgspec

from contextwright.errors import StoreError

LEAST_ID = 3
"""Characters of an id that is looked for in texts; a shorter one is only compared as an owner:
user `7` is not every 7."""
LEAST_NAME = 2
MARK = ("erased", "Erased", "ERASED")


def several(given: str | Iterable[str]) -> tuple[str, ...]:
    """Texts as a tuple; one text is one, not its letters."""
    return (given,) if isinstance(given, str) else tuple(given)


class Person(msgspec.Struct, frozen=True):
    """Whose data are to go, and all that says who it is.

    Names are found as whole words, whatever their case and Unicode form. Give every form that
    occurs (`Ada Lovelace`, `Lovelace`, `A. Lovelace`, `ada@example.org`), inflected ones too.

    Args:
        id: as the application knows the person: scopes of memories, `user_id` of sessions.
        names: strings that identify: names, addresses, numbers.
        scopes: further scopes that are the person's.

    Raises:
        StoreError: no id, a name of less than two characters, or the word `erased`.
    """

    id: str
    names: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "names", several(self.names))
        msgspec.structs.force_setattr(self, "scopes", several(self.scopes))
        short = [name for name in self.names if len(name.strip()) < LEAST_NAME]
        # what is written in the place of a name would be found as one again
        marks = [name for name in (self.id, *self.names, *self.scopes) if name.strip("[] ") in MARK]
        if not self.id.strip() or short or marks:
            raise StoreError(
                "a person needs an id, and names of two characters at least that are not `erased`",
                where=f"id of {len(self.id)} characters, names {(*short, *marks)}",
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
