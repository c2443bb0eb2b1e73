"""How a proxy is set up, and what of it can not be."""

import hmac
import ipaddress
import math
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from contextwright.errors import ProxyError
from contextwright.spec.expr import Expr

PORT = 8787
MEGABYTE = 1024 * 1024
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


class ProxySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a proxy does, and for whom.

    Args:
        upstream: where requests go: the part of a provider's base URL before the path that the
            agent's client adds.
        spec: what requests hold; without, the default of `Context`.
        model: that bodies are compiled for, by default the one that they name.
        window: tokens of the context window, for models that are not known.
        host, port: where it listens; port 0 is any that is free.
        key: that callers send as `x-contextwright-key`; needed where others can reach it.
        admin_key: sent in its place, shows the sums of all tenants; others see their own. Where
            neither is set, so does a caller on this machine that sends no credential.
        names: further names by which it is called, as `host.docker.internal`; on loopback, a
            request for any other name is refused.
        max_body: bytes of a call of a model.
        max_requests: calls of models at once.
        deadline_s: seconds after which a body goes out as it came, because compiling it takes too
            long.
        stall_s: seconds, up to twice, after which a caller is hung up on that sends nothing of its
            body, or reads nothing of its answer.
        drain_s: seconds that open streams have after SIGTERM.
        max_bytes: of conversations in memory, as much again of packs, and half as much of the
            beginnings of bodies.
        data: where the ledger and conversations are kept: a folder, or the URL of a PostgreSQL
            database (`postgresql://...`) that several proxies share; without, in memory.
        cache: URL of a Redis or Valkey server in front of that database, `redis://...`.
        read_back: whether the tools that read what was left out are added, and answered here.
        never_dearer: whether a step of the spec waits until it is paid for, as in `Engine`.

    Raises:
        ProxyError: one of them can not be.
    """

    upstream: str
    spec: Expr | None = None
    model: str | None = None
    window: int | None = None
    host: str = "127.0.0.1"
    port: int = PORT
    key: str = ""
    admin_key: str = ""
    names: tuple[str, ...] = ()
    max_body: int = 64 * MEGABYTE
    max_requests: int = 256
    deadline_s: float = 20.0
    stall_s: float = 300.0
    drain_s: float = 30.0
    max_bytes: int = 128 * MEGABYTE
    data: Path | str | None = None
    cache: str = ""
    read_back: bool = False
    never_dearer: bool = False

    def __post_init__(self) -> None:
        _check_upstream(self.upstream)
        _check_circle(self.upstream, self.host, self.port)
        if not self.key and not is_loopback(self.host):
            raise ProxyError(
                f"others can reach {self.host}, and could send requests through this proxy",
                where=f"host {self.host!r}",
                fix="set a key of its own (--key, CONTEXTWRIGHT_KEY), or listen on 127.0.0.1",
            )
        if self.cache and not is_database(self.data):
            raise ProxyError(
                "a cache is for a database that several proxies share",
                where="cache",
                fix="give the database as well (--data postgresql://...), or leave it out",
            )
        if self.admin_key and self.admin_key == self.key:
            raise ProxyError(
                "whoever may call would see the sums of all",
                where="admin_key",
                fix="give a key of its own (--admin-key, CONTEXTWRIGHT_ADMIN_KEY)",
            )
        for name in ("max_body", "max_requests", "deadline_s", "stall_s", "drain_s", "max_bytes"):
            if not 0 < getattr(self, name) < math.inf:  # nan is no number of seconds either
                raise ProxyError(
                    f"{name} is {getattr(self, name)}",
                    where=name,
                    fix="give more than 0, and what can be waited for",
                )
        for name in ("key", "admin_key"):
            if not all("!" <= sign <= "~" for sign in getattr(self, name)):
                raise ProxyError(
                    "no client can send this key: it has a blank, or a sign outside of ASCII",
                    where=name,
                    fix="give letters, digits and marks of ASCII, such as `openssl rand -hex 16`",
                )


def _check_upstream(url: str) -> None:
    """Refuse an upstream that is none, or that says more than where it is."""
    try:
        parts = urlsplit(url)
        port_is_known = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_known = urlsplit(""), False
    plain = not (parts.query or parts.fragment or parts.username or parts.password)
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_known:
        why = "is no address of a server"
    elif not plain:
        why = "has more than scheme, host, port and path"
    else:
        return
    # what has an @ may have a password
    named = f"{parts.scheme}://{parts.hostname or '?'}" if parts.scheme or "@" in url else url
    raise ProxyError(
        f"the upstream {named!r} {why}",
        where="upstream",
        fix="give https://HOST, such as https://api.openai.com; credentials are the callers' own",
    )


def _check_circle(url: str, host: str, port: int) -> None:
    """Refuse an upstream that is the proxy itself, as where an agent's own variable names it: each
    call would call again."""
    parts = urlsplit(url)
    port_of_upstream = parts.port or {"http": 80, "https": 443}[parts.scheme]
    every = not host.strip("[]0.:")  # an address of nothing but zeros is all of the machine's
    if (
        port_of_upstream == port
        and (every or is_loopback(host))
        and is_loopback(parts.hostname or "")
    ):
        raise ProxyError(
            f"the upstream {url!r} is this proxy itself",
            where="upstream",
            fix="give the provider's address, or listen on another --port",
        )


def is_database(data: Path | str | None) -> bool:
    """Whether data are kept in a PostgreSQL database."""
    return str(data).startswith(("postgresql://", "postgres://"))


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def is_key(sent: str, key: str) -> bool:
    """Whether a key that was sent is the one that is set."""
    return bool(key) and hmac.compare_digest(sent.encode(), key.encode())
