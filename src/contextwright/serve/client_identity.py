"""Whose conversation a request is of: what its headers and its body say, within its tenant."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeGuard
from urllib.parse import parse_qs

import msgspec

from contextwright.formats.fields import object_if
from contextwright.serve.http_headers import Header, value_of

_CREDENTIALS = (b"authorization", b"x-api-key", b"x-goog-api-key", b"api-key")
_FIRST = (
    b"x-contextwright-session",
    b"x-litellm-session-id",
    b"x-litellm-trace-id",
    b"x-claude-code-session-id",
)
_OF_CODEX = (b"session-id", b"session_id", b"thread-id", b"conversation_id", b"conversation-id")
_LAST = (b"x-session-id", b"x-session-affinity")
_VENDOR = re.compile(rb"x-[a-z0-9-]+-session-id")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_LONGEST = 200
"""Characters of an id; a longer one is none."""


class ClientIdentity(msgspec.Struct, frozen=True):
    """Whose conversation a request is of.

    Args:
        tenant: a digest of the caller's credential; empty where there is none.
        id: of the conversation within the tenant, None where only its messages tell.
        source: what said so.
    """

    tenant: str
    id: str | None = None
    source: str = "messages"


def tenant_of(headers: Sequence[Header], query: bytes, salt: bytes) -> str:
    """A digest of the credential that a request comes with.

    Args:
        salt: without which nobody can try out what a digest is of.
    """
    secret = next((value for name in _CREDENTIALS if (value := value_of(headers, name))), "")
    if not secret and b"key=" in query:
        secret = next(iter(parse_qs(query.decode("latin-1")).get("key", [])), "")
    if not secret:
        return ""
    secret = secret.removeprefix("Bearer ").strip()
    return blake2b(secret.encode(), key=salt[:64], digest_size=8).hexdigest()


def client_identity(headers: Sequence[Header], body: dict[str, Any], tenant: str) -> ClientIdentity:
    """Whose conversation a request is of.

    Args:
        body: its JSON.
        tenant: from `tenant_of`.
    """
    for name in _names(headers):
        if _is_id(value := value_of(headers, name)):
            return ClientIdentity(tenant, value, name.decode())
    for source, value in _body_ids(body):
        if _is_id(value):
            return ClientIdentity(tenant, value, source)
    return ClientIdentity(tenant)


def _names(headers: Sequence[Header]) -> list[bytes]:
    """Headers that may name a conversation, the surest first."""
    vendors = [name for name, _ in headers if _VENDOR.fullmatch(name) and name not in _FIRST]
    codex = _OF_CODEX if "codex" in value_of(headers, b"user-agent").lower() else ()
    return [*_FIRST, *vendors, *codex, *_LAST]


def _body_ids(body: dict[str, Any]) -> list[tuple[str, object]]:
    ids: list[tuple[str, object]] = []
    user = object_if(body.get("metadata")).get("user_id")
    if isinstance(user, str):
        ids.append(("metadata.user_id", _session_of(user)))
    if "contents" in body:  # Gemini's command line, logged in
        ids.append(("request.session_id", body.get("session_id")))
    key = body.get("prompt_cache_key")
    # a key that is no id of its own may be that of a whole program
    if isinstance(key, str) and _UUID.search(key):
        ids.append(("prompt_cache_key", key))
    return ids


def _session_of(user: str) -> object:
    """The session that Claude Code names in the id of its user, in either of its forms."""
    if not user.startswith("{"):
        return user.rpartition("_session_")[2] if "_session_" in user else None
    try:
        return object_if(msgspec.json.decode(user)).get("session_id")
    except msgspec.DecodeError:
        return None


def _is_id(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and value.isprintable()
