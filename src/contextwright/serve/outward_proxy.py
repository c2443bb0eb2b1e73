"""The proxy by which this machine reaches others, as its environment names it."""

from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from contextwright.errors import ProxyError
from contextwright.serve.settings import LOCAL_NAMES, is_loopback

_DIRECT = ("NO_PROXY", "no_proxy")


def outward_proxy(root: str) -> str | None:
    """The URL of the proxy by which a server is reached: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`,
    as clients of providers take them; None for what `NO_PROXY` names, and for this machine.

    Args:
        root: scheme, host and port of the server.

    Raises:
        ProxyError: it is none that speaks HTTP.
    """
    parts = urlsplit(root)
    if is_loopback(parts.hostname or "") or proxy_bypass(parts.netloc):
        return None
    known = getproxies()
    named = known.get(parts.scheme) or known.get("all")
    if not named:
        return None
    url = named if "://" in named else f"http://{named}"
    if urlsplit(url).scheme not in ("http", "https"):
        raise ProxyError(
            f"the environment names a {urlsplit(url).scheme} proxy for {parts.hostname}, and only "
            "those of HTTP are spoken to",
            where=f"{parts.scheme.upper()}_PROXY, or ALL_PROXY",
            fix=f"name one of HTTP, or reach the host without: NO_PROXY={parts.hostname}",
        )
    return url


def direct_to_us(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables by which a command reaches servers of this machine without the proxy that its
    environment names for others; none where it names none."""
    if not any(name.lower().endswith("_proxy") for name, value in environment.items() if value):
        return {}
    before = next((environment[name] for name in _DIRECT if environment.get(name)), "")
    if before.strip() == "*":
        return {}
    names = [each.strip() for each in before.split(",") if each.strip()]
    direct = ",".join(dict.fromkeys([*names, *LOCAL_NAMES]))
    return dict.fromkeys(_DIRECT, direct)
