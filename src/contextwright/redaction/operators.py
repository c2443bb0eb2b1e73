"""What stands for a value that is redacted: `replace`, `mask`, `hash`, `pseudonymize`."""

import hmac
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from contextwright.errors import SpecError

PLACEHOLDER = "[REDACTED]"
OPERATORS = ("replace", "mask", "hash", "pseudonymize")
KEYED = ("hash", "pseudonymize")
"""Operators that take a `Vault`."""

Replacement = tuple[int, int, str]
"""From where to where a text is replaced, and what stands there instead."""

_MASK = "****"
_LAST_FOUR = frozenset({"credit_card", "iban", "phone", "ssn"})
"""What is told apart by its last four signs, as banks and shops print them."""
_STAND_INS = {
    "replace": re.compile(re.escape(PLACEHOLDER)),
    "mask": re.compile(r"\*{4}(?:[0-9A-Za-z]{4}(?![0-9A-Za-z]))?"),
    "hash": re.compile(r"\[[a-z_]{1,24}#[0-9a-f]{12}\]"),
    "pseudonymize": re.compile(r"\[[a-z_]{1,24}_[0-9a-f]{12}\]"),
}
STAND_IN = re.compile("|".join(pattern.pattern for pattern in _STAND_INS.values()))
"""A stand-in of any operator: one redaction leaves what another put."""
_NAME = re.compile("[a-z_]{1,24}")


class Vault:
    """The values that pseudonyms stand for, held by the application: no request, manifest, session
    or log has them.

        vault = Vault(key=os.environ["PSEUDONYM_KEY"])
        pack = compile(session, 'C.redact("pii", operator="pseudonymize")', vault=vault, ...)
        print(vault.restore(answer))

    The same key gives a value the same stand-in, in every session and process; one key a user or
    a tenant keeps what is said of two of them apart.

    Args:
        key: a secret of 16 bytes or more.

    Raises:
        SpecError: a key that is none, or too short to keep values from being guessed.
    """

    def __init__(self, key: str | bytes) -> None:
        secret = key.encode() if isinstance(key, str) else key
        if not isinstance(secret, bytes) or len(secret) < 16:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise SpecError(
                "expected a key of 16 bytes or more: who has a shorter one can guess the values",
                where="Vault(key=...)",
                fix="key=secrets.token_bytes(32), kept where the application keeps its secrets",
            )
        self._key = secret
        self._values: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"Vault({len(self._values)} values)"

    @property
    def values(self) -> Mapping[str, str]:
        """The value of every pseudonym that was made, for storing it safely."""
        return MappingProxyType(self._values)

    def digest(self, value: str) -> str:
        """What tells one value from another, and can not be turned back without the key."""
        return hmac.digest(self._key, value.encode("utf-8", "surrogatepass"), "sha256").hex()[:12]

    def pseudonym(self, name: str, value: str) -> str:
        """The pseudonym of a value; it is remembered."""
        pseudonym = f"[{name}_{self.digest(value)}]"
        self._values[pseudonym] = value
        return pseudonym

    def remember(self, values: Mapping[str, str]) -> None:
        """Take the values of another process: what its `values` gave."""
        self._values |= values

    def restore(self, text: str) -> str:
        """A text with the values in place of their pseudonyms; unknown ones stay."""
        values = self._values
        return _STAND_INS["pseudonymize"].sub(lambda match: values.get(match[0], match[0]), text)


class Operator(msgspec.Struct, frozen=True):
    """What is done with a value.

    Args:
        name: one of `OPERATORS`.
        vault: whose key hashes and pseudonyms are made with.
    """

    name: str = "replace"
    vault: Vault | None = None

    def stand_in(self, value: str, name: str = "value") -> str:
        """What stands for a value that a pattern, or a field, of this name found."""
        if self.name == "replace":
            return PLACEHOLDER
        if self.name == "mask":
            signs = [sign for sign in value if sign.isascii() and sign.isalnum()]
            last = "".join(signs[-4:]) if name in _LAST_FOUR and len(signs) >= 9 else ""
            return _MASK + last
        label = name if _NAME.fullmatch(name) else "value"
        assert self.vault is not None  # `RedactionPorts.vault_of` asked for it
        if self.name == "hash":
            return f"[{label}#{self.vault.digest(value)}]"
        return self.vault.pseudonym(label, value)

    def is_stand_in(self, text: str) -> bool:
        """Whether a text is nothing but a stand-in."""
        return STAND_IN.fullmatch(text) is not None


REPLACE = Operator()


def put(text: str, replacements: Iterable[Replacement]) -> str:
    """A text with its replacements, which are in order and disjoint."""
    pieces: list[str] = []
    place = 0
    for start, end, instead in replacements:
        pieces += text[place:start], instead
        place = end
    return "".join((*pieces, text[place:]))


def disjoint(replacements: list[Replacement]) -> list[Replacement]:
    """Replacements in order; of those that overlap, one for all that they cover."""
    out: list[Replacement] = []
    for start, end, instead in sorted(replacements):
        if out and start < out[-1][1]:
            first, last, earlier = out[-1]
            out[-1] = (first, max(last, end), earlier)
        else:
            out.append((start, end, instead))
    return out
