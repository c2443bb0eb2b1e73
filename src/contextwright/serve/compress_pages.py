"""`POST /v1/compress` and `/v1/usage`: the spec as a service, by the contract that LiteLLM's and
Kong's guardrails call.

The contract is headroom's: `{model, messages}` (or `input`), with `config.frozen_message_count`
messages that must stay as they are, gives `{messages, tokens_before, tokens_after, tokens_saved,
compression_ratio, transforms_applied, ccr_hashes}`. Nothing is stored to be retrieved by a hash:
`ccr_hashes` is empty.
"""

from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.serve.call_ledger import CallSums
from contextwright.serve.client_identity import client_identity, tenant_of
from contextwright.serve.compiled_calls import REWRITTEN, UNTOUCHED, CompiledCall, unread_body
from contextwright.serve.http_headers import own_headers, value_of
from contextwright.serve.message_rows import ShortenedRows, are_rows, shortened_rows
from contextwright.serve.model_calls import ModelCall
from contextwright.tokens.counter import counter_for
from contextwright.tokens.usage import Usage, usage_of
from contextwright.worker_threads import off_loop

if TYPE_CHECKING:
    from contextwright.serve.proxy import Proxy

_FORMATS = {"messages": "openai-chat", "input": "openai-responses"}
_MOST_TOKENS = 10**12
_UNDERSTOOD = frozenset({"messages", "input", "model", "config", "tools", "frozen_message_count"})


def compress_routes(proxy: "Proxy") -> list[Route]:
    """The routes of the service."""

    async def compress(request: Request) -> Response:
        source = await _source(request, proxy)
        key = next((key for key in _FORMATS if key in source), "")
        listed, model = source.get(key), source.get("model")
        if not isinstance(listed, list) or not isinstance(model, str):
            missing = "messages" if not isinstance(listed, list) else "model"
            return _refused(f"Missing required field: {missing}")
        headers = request.scope["headers"]
        redacts = proxy.compiler.redacts  # then nothing goes by it
        is_bypassed = value_of(headers, b"x-headroom-bypass").lower() == "true" and not redacts
        if not listed or is_bypassed:
            return _answer(list_if(listed), CallSums(), None, key)
        if key == "messages" and (_keeps_rows(headers) or are_rows(listed)):
            rows = await off_loop(_rows, proxy, listed, model, long=True)
            frozen = 0 if redacts else _frozen(source)
            rows.messages[:frozen] = listed[:frozen]
            sums = CallSums(tokens=rows.tokens_after, whole_tokens=rows.tokens_before)
            return _answer(rows.messages, sums, None, key, _ignored(source))
        body = {k: source[k] for k in ("model", "tools", key) if k in source}
        tenant = tenant_of(headers, b"", proxy.salt)
        raw = msgspec.json.encode(body)
        sent = await proxy.compiled(ModelCall(_FORMATS[key]), raw, headers, tenant)
        if sent.action == REWRITTEN and not redacts and not _keeps(sent, source, key):
            why = "messages that are to stay would change"
            sent = msgspec.structs.replace(sent, body=raw, action=UNTOUCHED, reason=why)
        await off_loop(proxy.count, sent, None)
        whole = proxy.compiler.whole_tokens(sent)
        tokens = sent.pack.tokens if sent.pack is not None and sent.action == REWRITTEN else whole
        sums = CallSums(tokens=tokens, whole_tokens=whole)
        made = object_if(msgspec.json.decode(sent.body))
        return _answer(list_if(made.get(key)), sums, sent, key, _ignored(source))

    async def usage(request: Request) -> Response:
        source = await _source(request, proxy)
        billed = usage_of(source.get("usage", source))
        if billed is None or not _are_tokens(billed):
            return _refused("Missing required field: usage, with its input tokens")
        headers = request.scope["headers"]
        identity = client_identity(headers, source, tenant_of(headers, b"", proxy.salt))
        sums = CallSums(
            billed_input=billed.input,
            billed_cached=billed.cached,
            billed_write=billed.cache_write,
            billed_output=billed.output,
        )
        model = str(source.get("model") or "")
        await off_loop(proxy.ledger.add, identity.tenant, identity.id or "", model, sums)
        return Response(b'{"status":"ok"}', media_type="application/json")

    return [
        Route("/v1/compress", compress, methods=["POST"]),
        Route("/v1/usage", usage, methods=["POST"]),
    ]


async def _source(request: Request, proxy: "Proxy") -> Json:
    from contextwright.serve.proxy import read_body

    raw = await read_body(request.receive, proxy.settings.max_body, proxy.settings.stall_s)
    if coding := request.headers.get("content-encoding"):
        raise unread_body(f"the body is coded as {coding!r}"[:80])
    try:
        source: Any = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise unread_body("the body is no JSON") from error
    if not isinstance(source, dict):
        raise unread_body("the body is no JSON object")
    return object_if(source)


def _are_tokens(billed: Usage) -> bool:
    """Whether numbers are tokens of a request: a ledger can not hold what is beyond all sums."""
    return max(billed.input, billed.cached, billed.cache_write, billed.output) <= _MOST_TOKENS


def _keeps_rows(headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether the caller puts messages back into their places."""
    return value_of(headers, b"user-agent").lower().startswith("litellm")


def _rows(proxy: "Proxy", listed: list[Any], model: str) -> ShortenedRows:
    compiler = proxy.compiler
    return shortened_rows(listed, counter_for(model).count, compiler.clean)


def _keeps(sent: CompiledCall, source: Json, key: str) -> bool:
    """Whether the first messages, which the provider has cached, are as they came."""
    count = _frozen(source)
    made = list_if(object_if(msgspec.json.decode(sent.body)).get(key))
    return made[:count] == list_if(source[key])[:count]


def _frozen(source: Json) -> int:
    """How many messages the provider has cached."""
    config = object_if(source.get("config"))
    count = config.get("frozen_message_count", source.get("frozen_message_count", 0))
    return max(0, count) if isinstance(count, int) else 0


def _ignored(source: Json) -> list[str]:
    """Wishes that are the spec's to decide here."""
    config = object_if(source.get("config"))
    return sorted((source.keys() - _UNDERSTOOD) | (config.keys() - {"frozen_message_count"}))


def _answer(
    messages: list[Any],
    sums: CallSums,
    sent: CompiledCall | None,
    key: str,
    ignored: list[str] | None = None,
) -> Response:
    pack = sent.pack if sent is not None and sent.action == REWRITTEN else None
    changes = pack.manifest.changes if pack is not None else ()
    body: Json = {
        key or "messages": messages,
        "tokens_before": sums.whole_tokens,
        "tokens_after": sums.tokens,
        "tokens_saved": sums.saved_tokens,
        "compression_ratio": sums.tokens / sums.whole_tokens if sums.whole_tokens else 1.0,
        "transforms_applied": sorted({change.action for change in changes})
        or (["shortened"] if sums.saved_tokens else []),
        "ccr_hashes": [],
        "ignored": ignored or [],
    }
    answer = Response(msgspec.json.encode(body), media_type="application/json")
    if sent is not None:
        for name, value in own_headers(action=sent.action, reason=sent.reason):
            answer.headers[name.decode()] = value.decode()
    return answer


def _refused(message: str) -> Response:
    error = {"error": {"type": "invalid_request", "message": message}}
    return Response(msgspec.json.encode(error), 400, media_type="application/json")
