"""What the proxy says of itself: sums, metrics, and the packs that it sent."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from contextwright.errors import ContextwrightError
from contextwright.formats import write_session
from contextwright.serve.call_followers import MOST
from contextwright.serve.call_ledger import CallLedger, CallSums
from contextwright.serve.client_identity import tenant_of
from contextwright.serve.http_headers import value_of
from contextwright.serve.settings import is_key

if TYPE_CHECKING:
    from contextwright.serve.proxy import Proxy

_METRICS = (
    ("calls", "Calls of models."),
    ("rewritten", "Calls sent otherwise than they came."),
    ("faults", "Calls sent as they came because something failed here."),
    ("tokens", "Input tokens of the calls as they were sent, as counted here."),
    ("whole_tokens", "Input tokens of the calls as they came, as counted here."),
    ("cost", "Microdollars of input as sent, by the table of prices."),
    ("whole_cost", "Microdollars of input as it came, by the table of prices."),
    ("billed_input", "Input tokens by the provider's own words."),
    ("billed_cached", "Of these, read from its cache."),
    ("billed_output", "Output tokens by the provider's own words."),
)


EVENTS = "text/event-stream"
"""Who asks for `/sessions` as this is told of every call."""
HEALTH_PATHS = ("/healthz", "/readyz")
"""Whether the process lives, and whether its ledger and its conversations can be reached. They say
no more than that, to anybody."""


def page_routes(proxy: "Proxy") -> list[Route]:
    """The routes of the proxy's own pages."""

    async def stats(request: Request) -> Response:
        return _json(await run_in_threadpool(_stats, proxy, _seen_tenant(proxy, request)))

    async def metrics(request: Request) -> Response:
        tenant = _seen_tenant(proxy, request)
        sums = await run_in_threadpool(proxy.ledger.by, "model", tenant)
        text = _prometheus(sums, proxy if tenant is None else None)
        return Response(text, media_type="text/plain; version=0.0.4")

    async def pack(request: Request) -> Response:
        return _pack(proxy, request, whole=False)

    async def session(request: Request) -> Response:
        return await run_in_threadpool(_pack, proxy, request, whole=True)

    async def sessions(request: Request) -> Response:
        if EVENTS in request.headers.get("accept", ""):
            tenant = _tenant(proxy, request)
            if proxy.followers.is_full(tenant):
                return _json({"error": f"{MOST} listen already by this credential"}, 503)
            return StreamingResponse(_session_events(proxy, tenant), media_type=EVENTS)
        return _json({"sessions": _rows(proxy, _tenant(proxy, request))})

    async def conversation(request: Request) -> Response:
        return await run_in_threadpool(_conversation, proxy, request)

    async def healthz(request: Request) -> Response:
        return _json({"ok": True})

    async def readyz(request: Request) -> Response:
        return await run_in_threadpool(_ready, proxy.ledger)

    return [
        *(Route(path, page) for path, page in zip(HEALTH_PATHS, (healthz, readyz), strict=True)),
        Route("/stats", stats),
        Route("/metrics", metrics),
        Route("/packs/{id}", pack),
        Route("/packs/{id}/session", session),
        Route("/sessions", sessions),
        Route("/sessions/{id:path}", conversation),
    ]


def _ready(ledger: CallLedger) -> Response:
    try:
        ledger.salt()
    except ContextwrightError as error:
        return _json({"ok": False, "error": type(error).__name__}, 503)
    return _json({"ok": True})


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _seen_tenant(proxy: "Proxy", request: Request) -> str | None:
    """Whose sums a caller sees: its own; None for all, which whoever runs the proxy sees."""
    headers, settings = request.scope["headers"], proxy.settings
    tenant = tenant_of(headers, request.scope["query_string"], proxy.salt)
    is_admin = is_key(value_of(headers, b"x-contextwright-key"), settings.admin_key)
    has_no_key = not settings.key and not settings.admin_key
    return None if is_admin or (has_no_key and not tenant) else tenant


def _stats(proxy: "Proxy", tenant: str | None) -> dict[str, Any]:
    columns = ("model", "conversation", "tenant")
    ledger = proxy.ledger
    whole = {"open_calls": proxy.open_calls, "uncounted_calls": proxy.uncounted_calls}
    return {
        **_plain(ledger.sums(tenant)),
        **(whole if tenant is None else {}),
        **{
            f"by_{column}": [
                {column: name, **_plain(sums)} for name, sums in ledger.by(column, tenant)
            ]
            for column in columns
        },
    }


def _plain(sums: CallSums) -> dict[str, int]:
    saved = {"saved_tokens": sums.saved_tokens, "saved_cost": sums.saved_cost}
    return {**msgspec.structs.asdict(sums), **saved}


def _prometheus(by_model: list[tuple[str, CallSums]], proxy: "Proxy | None") -> str:
    lines: list[str] = []
    if proxy is not None:
        lines += [
            "# HELP contextwright_open_calls Calls that are being answered.",
            "# TYPE contextwright_open_calls gauge",
            f"contextwright_open_calls {proxy.open_calls}",
            "# HELP contextwright_uncounted_calls_total Answered calls that the ledger has not.",
            "# TYPE contextwright_uncounted_calls_total counter",
            f"contextwright_uncounted_calls_total {proxy.uncounted_calls}",
        ]
    for name, telling in _METRICS:
        metric = f"contextwright_{name}_total"
        lines += [f"# HELP {metric} {telling}", f"# TYPE {metric} counter"]
        for model, sums in by_model:
            lines.append(f'{metric}{{model="{_label(model)}"}} {getattr(sums, name)}')
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _tenant(proxy: "Proxy", request: Request) -> str:
    return tenant_of(request.scope["headers"], request.scope["query_string"], proxy.salt)


def _rows(proxy: "Proxy", tenant: str) -> list[dict[str, Any]]:
    """The caller's own conversations, the one with the newest call first."""
    return [
        {"id": id, "pack": pack.manifest.pack_id, "model": pack.manifest.model,
         "events": pack.manifest.position}
        for id, (pack, _) in proxy.packs.newest(tenant).items()
    ]  # fmt: skip


async def _session_events(proxy: "Proxy", tenant: str) -> AsyncGenerator[bytes]:
    """The same as server-sent events: all of them first, then those that have a new call."""
    known: dict[str, str] = {}
    async for is_news in proxy.followers.calls(tenant):
        rows = _rows(proxy, tenant) if is_news else []
        rows = [row for row in rows if known.get(row["id"]) != row["pack"]]
        known |= {row["id"]: row["pack"] for row in rows}
        text = msgspec.json.encode({"sessions": rows})
        yield b"data: %b\n\n" % text if is_news else b": \n\n"


def _conversation(proxy: "Proxy", request: Request) -> Response:
    """A conversation of the caller's own as its newest call had it, as `ctx inspect` takes it."""
    known = proxy.packs.newest(_tenant(proxy, request)).get(request.path_params["id"])
    if known is None:
        return _json({"error": "no such conversation of this credential's, or no longer"}, 404)
    return Response(write_session(known[1]), media_type="application/json")


def _pack(proxy: "Proxy", request: Request, *, whole: bool) -> Response:
    """A pack of the caller's own, as `ctx replay` takes it, or the session that it is of."""
    known = proxy.packs.get(_tenant(proxy, request), request.path_params["id"])
    if known is None:
        return _json({"error": "no such pack of this credential's, or no longer"}, 404)
    pack, session = known
    if whole:
        return Response(write_session(session), media_type="application/json")
    return _json({"request": msgspec.Raw(pack.body), "manifest": pack.manifest})
