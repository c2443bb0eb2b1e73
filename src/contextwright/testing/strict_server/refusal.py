"""Why a request is refused, and the checks that all providers share."""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

CHARACTERS_A_TOKEN = 4
PICTURE_TOKENS = 1_000


class RefusedRequest(Exception):
    """A request that the provider would not take.

    Args:
        message: the provider's words.
        where: the field that is wrong.
        code: a rule's name, or the provider's own code.
        status: the status of the answer.
    """

    def __init__(self, message: str, where: str, code: str, status: int = 400) -> None:
        self.message = message
        self.where = where
        self.code = code
        self.status = status
        super().__init__(f"{where}: {message} ({code})")


class ProviderFault(RefusedRequest):
    """A fault of the provider's own: nothing is wrong with the request."""


def fields(names: str) -> frozenset[str]:
    """The names of an object's fields, out of a line of them."""
    return frozenset(names.split())


def unknown_fields(value: Any, where: str, known: Iterable[str]) -> None:
    """Refuse an object with a field that the provider does not have.

    Raises:
        RefusedRequest: names the fields.
    """
    if not isinstance(value, dict):
        raise RefusedRequest(f"expected an object, got {type(value).__name__}", where, "type")
    extra = sorted(set(value) - set(known))
    if extra:
        raise RefusedRequest(f"Extra inputs are not permitted: {extra}", where, "unknown-field")


def joined_turns(messages: Iterable[dict[str, Any]], body: str) -> list[dict[str, Any]]:
    """Messages with neighbours of one role as one, as the provider itself joins them.

    Args:
        body: the key of a message that holds its parts.
    """
    joined: list[dict[str, Any]] = []
    for message in messages:
        if joined and joined[-1]["role"] == message["role"]:
            joined[-1] = {**joined[-1], body: [*joined[-1][body], *message[body]]}
        else:
            joined.append(message)
    return joined


def broken_rules(request: dict[str, Any], rules: Mapping[str, Any]) -> None:
    """Refuse a request that breaks one of the provider's executable rules.

    Raises:
        RefusedRequest: names the rule, the place and what is wrong there.
    """
    for code, rule in rules.items():
        try:
            for where, what in rule(request):
                raise RefusedRequest(what, where, code)
        except (KeyError, TypeError, AttributeError) as error:
            raise RefusedRequest(f"a field is missing: {error}", "body", code) from error


def text_tokens(value: Any) -> int:
    """The tokens of a part of a request: a quarter of its JSON's characters, a picture's own."""
    return len(json.dumps(_without_pictures(value), ensure_ascii=False)) // CHARACTERS_A_TOKEN + 1


def _without_pictures(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_pictures(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_pictures(item) for item in value]
    if isinstance(value, str) and len(value) > 200 and _is_data(value):
        return "x" * PICTURE_TOKENS * CHARACTERS_A_TOKEN
    return value


def _is_data(text: str) -> bool:
    """Whether a text is the bytes of a picture or a file."""
    if text.startswith("data:"):
        return True
    try:
        raw = base64.b64decode(text[:16], validate=True)
    except ValueError:
        return False
    return raw.startswith((b"\x89PNG", b"\xff\xd8\xff", b"%PDF", b"GIF8"))


def fingerprint(*values: Any) -> str:
    """A short hash of JSON values."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def pieces(text: str, size: int = 12) -> Iterator[str]:
    """A text in the pieces in which it is streamed."""
    for start in range(0, len(text), size):
        yield text[start : start + size]
