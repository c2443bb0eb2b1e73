"""Requests through the proxy: compiled where they are turns of a conversation, and answered by the
upstream chunk by chunk."""

import asyncio
import time
from collections.abc import AsyncIterator, MutableMapping, Sequence
from functools import partial
from typing import Any

import msgspec

from contextwright.compute_gate import waiting
from contextwright.engine.ledger_summary import LedgerSummary
from contextwright.errors import ProxyError
from contextwright.serve.answer_relay import (
    CallerLine,
    Message,
    Receive,
    Send,
    relay,
    relay_read_back,
    until_hung_up,
)
from contextwright.serve.call_followers import CallFollowers
from contextwright.serve.call_ledger import CallLedger, CallSums
from contextwright.serve.client_identity import ClientIdentity, tenant_of
from contextwright.serve.compiled_calls import (
    ORIGINAL,
    RECOMPILED,
    REWRITTEN,
    UNTOUCHED,
    CallCompiler,
    CompiledCall,
)
from contextwright.serve.content_codings import decoder_of, unpacked
from contextwright.serve.http_headers import (
    Header,
    forwarded_request,
    own_headers,
    value_of,
)
from contextwright.serve.idle_collection import PauseCollection
from contextwright.serve.inner_requests import GoOn, InnerRequests
from contextwright.serve.model_calls import ModelCall, model_call
from contextwright.serve.recent_packs import RecentPacks
from contextwright.serve.settings import ProxySettings
from contextwright.serve.stream_read_back import StreamReadBack
from contextwright.serve.upstream import Upstream, UpstreamAnswer, UpstreamReset
from contextwright.serve.usage_reader import UsageReader
from contextwright.tokens.context_overflow import overflow_of
from contextwright.tokens.usage import Usage
from contextwright.worker_threads import off_loop

Scope = MutableMapping[str, Any]

_REFUSED = frozenset({400, 413, 422})
"""Statuses by which a provider says that it does not take a body."""
_ERRORS = 400
"""Statuses from here on say that nothing was done, and nothing is billed."""
_LONGEST_REFUSAL = 1024 * 1024
_SOON_S = 0.01


class Proxy:
    """Passes requests on, as the spec has them.

    Args:
        settings: with the spec.
        compiler: of the bodies.
        ledger, packs: what was sent.
        upstream: the provider.
        salt: of the tenants' digests.
    """

    def __init__(
        self,
        settings: ProxySettings,
        compiler: CallCompiler,
        ledger: CallLedger,
        packs: RecentPacks,
        upstream: Upstream,
        salt: bytes,
    ) -> None:
        self.settings, self.compiler, self.ledger = settings, compiler, ledger
        self.packs, self.upstream, self.salt = packs, upstream, salt
        self.open_calls = self.uncounted_calls = 0
        self.followers = CallFollowers()
        self._collection = PauseCollection(lambda: self.open_calls)
        self._counts: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request.

        Raises:
            UpstreamReset: the upstream broke off behind the head of its answer.
            ProxyError: the request is refused, before anything was answered.
        """
        target: bytes = scope["raw_path"]
        if scope["query_string"]:
            target += b"?" + scope["query_string"]
        call = model_call(scope["method"], target.decode("latin-1"))
        if call is None:
            await self._pass(scope, target, receive, send)
            return
        if self.open_calls >= self.settings.max_requests:
            raise ProxyError(
                f"{self.open_calls} calls are open, no more are taken",
                where="max_requests",
                fix="try again in a moment, or raise --max-requests",
            )
        self.open_calls += 1
        try:
            line, patience_s = CallerLine(send), self.settings.stall_s
            body = await read_body(receive, self.settings.max_body, patience_s)
            work = self._call(call, scope, target, body, line)
            await until_hung_up(work, receive, line, patience_s)
        finally:
            self.open_calls -= 1

    async def _pass(self, scope: Scope, target: bytes, receive: Receive, send: Send) -> None:
        """Pass on what is no call of a model, untouched, its body as it comes.

        Raises:
            ProxyError: the spec redacts, and there is a body, which nobody here understands.
        """
        headers: list[Header] = list(scope["headers"])
        length = value_of(headers, b"content-length")
        if self.compiler.redacts and (length or value_of(headers, b"transfer-encoding")):
            raise ProxyError(
                "the spec redacts, and this is no call of a model: its body would leave as it came",
                where="the request's body",
                fix="send it to the provider itself; calls of models go through here",
            )
        outgoing = forwarded_request(headers, readable=False)
        line, patience_s, came = CallerLine(send), self.settings.stall_s, asyncio.Event()
        body: AsyncIterator[bytes] | None = None
        if length or value_of(headers, b"transfer-encoding"):
            body = _noted_parts(_body_parts(receive, patience_s), came)
            if length:
                outgoing.append((b"content-length", length.encode()))
        else:
            came.set()

        async def behind_the_body() -> Message:
            await came.wait()
            return await receive()

        work = self._passed(scope["method"], target, outgoing, body, line)
        await until_hung_up(work, behind_the_body, line, patience_s)

    async def _passed(
        self,
        method: str,
        target: bytes,
        headers: list[Header],
        body: AsyncIterator[bytes] | None,
        line: CallerLine,
    ) -> None:
        answer = await self.upstream.send(method, target, headers, body)
        try:
            await relay(answer, [], line, None)
        finally:
            answer.close()

    async def _call(
        self, call: ModelCall, scope: Scope, target: bytes, body: bytes, line: CallerLine
    ) -> None:
        """Compile a call, send it, pass its answer back, and count it."""
        headers: list[Header] = list(scope["headers"])
        tenant = tenant_of(headers, scope["query_string"], self.salt)
        sent = await self.compiled(call, body, headers, tenant)
        outgoing = forwarded_request(headers, readable=True)
        if self._reads_back(sent):  # its events are read: they come plain
            outgoing = [pair for pair in outgoing if pair[0] != b"accept-encoding"]
            outgoing.append((b"accept-encoding", b"identity"))
        send = partial(self._send, scope["method"], target, outgoing, body)
        try:
            answer, sent = await self._sent(send, body, sent)
        except BaseException as error:  # who hung up did not take back what was sent
            self._count_later(sent, (), is_answered=not isinstance(error, ProxyError))
            raise
        own = own_headers(action=sent.action, reason=sent.reason, pack=self._pack_id(sent))
        if sent.made is not None and self._holds(answer, sent):
            requests = InnerRequests(send, None if self.compiler.redacts else body)
            held = StreamReadBack(call.answers, sent.made, sent.body, requests)
            passing, bills = relay_read_back(answer, own, line, held), held.bills
        else:
            reader = UsageReader(answer.headers)
            own += own_headers(usage=reader.unread)
            passing, bills = relay(answer, own, line, reader), reader.bills
        try:
            await passing
        except UpstreamReset as reset:
            if line.passed or line.is_waiting:
                raise
            raise self.upstream.broken_off(reset) from reset
        finally:
            answer.close()
            self._count_later(sent, bills(), is_answered=answer.status < _ERRORS)

    def _holds(self, answer: UpstreamAnswer, sent: CompiledCall) -> bool:
        """Whether calls of our tools are held back from an answer. From one that nobody here can
        read they are not: it is passed on as it came."""
        is_readable = decoder_of(value_of(answer.headers, b"content-encoding")) is not None
        return answer.status == 200 and is_readable and self._reads_back(sent)

    def _reads_back(self, sent: CompiledCall) -> bool:
        """Whether the request has our tools."""
        pack = sent.pack
        is_sent = sent.action in (REWRITTEN, RECOMPILED)
        return is_sent and pack is not None and pack.manifest.read_back

    async def compiled(
        self, call: ModelCall, body: bytes, headers: list[Header], tenant: str
    ) -> CompiledCall:
        """What is sent of a call; as it came where compiling takes too long."""
        work = off_loop(self.compiler.compiled, call, body, headers, tenant, long=True)
        try:
            # `wait_for` of Python 3.11 swallows a cancellation that comes with the result
            async with asyncio.timeout(self.settings.deadline_s):
                return await work
        except TimeoutError as error:
            why = f"compiling took more than {self.settings.deadline_s:g} s"
            if self.compiler.redacts:
                fix = "try again, or allow more (--deadline)"
                raise ProxyError(why, where="the request's body", fix=fix) from error
            return CompiledCall(call, ClientIdentity(tenant), body, ORIGINAL, reason=why)

    async def _send(
        self, method: str, target: bytes, headers: list[Header], came: bytes, body: bytes
    ) -> UpstreamAnswer:
        """The answer to a body, which is plain unless it is the one that came."""
        if body is not came:
            headers = [pair for pair in headers if pair[0] != b"content-encoding"]
        return await self.upstream.send(method, target, headers, body)

    async def _sent(
        self, send: GoOn, body: bytes, sent: CompiledCall
    ) -> tuple[UpstreamAnswer, CompiledCall]:
        """The answer to a call, and what it is the answer to. Where the provider refuses it as too
        long, that is a smaller one; where it refuses what was rewritten otherwise, the body as it
        came, once."""
        answer = await send(sent.body)
        if answer.status not in _REFUSED or not sent.is_turn:
            return answer, sent
        smaller = await self._smaller(answer, sent)
        if smaller is not None:
            second = await send(smaller.body)
            if second.status not in _REFUSED:
                answer.close()
                return second, smaller
            second.close()
        if sent.body is body or self.compiler.redacts:
            return answer, sent
        answer.close()
        await off_loop(self.compiler.note_refusal, sent)
        why = f"the provider answered {answer.status} to what was rewritten"
        sent = msgspec.structs.replace(sent, body=body, action=ORIGINAL, reason=why)
        return await send(body), sent

    async def _smaller(self, answer: UpstreamAnswer, sent: CompiledCall) -> CompiledCall | None:
        """A smaller call, where one was refused as too long."""
        text = _plain(await answer.start(_LONGEST_REFUSAL), answer.headers)
        refusal = {"status_code": answer.status, "body": text}
        if overflow_of(refusal) is None:
            return None
        return await off_loop(self.compiler.recompiled, sent, refusal, long=True)

    def _pack_id(self, sent: CompiledCall) -> str:
        """The id of the pack that was sent, which can be asked for from now on."""
        if sent.made is None or sent.action == ORIGINAL:
            return ""
        # a call that nothing was due for is told as well: its pack says what its body says
        self.packs.put(sent.identity.tenant, sent.made.pack, sent.made.session)
        self.followers.announce(sent.identity.tenant)
        if sent.action == UNTOUCHED:
            return ""
        return sent.made.pack.manifest.pack_id

    def _count_later(
        self, sent: CompiledCall, bills: Sequence[Usage | None], *, is_answered: bool
    ) -> None:
        """Count a call behind its answer: neither who waits for it nor who hangs up holds it up."""
        task = asyncio.ensure_future(self._counted(sent, bills, is_answered=is_answered))
        self._counts.add(task)  # a loop holds its tasks weakly
        task.add_done_callback(self._counts.discard)

    def settle(self, seconds: float) -> None:
        """Wait, in a thread beside the server's, until what was answered is counted.

        Args:
            seconds: at most.
        """
        until = time.monotonic() + seconds
        while (self.open_calls or self._counts) and time.monotonic() < until:
            time.sleep(_SOON_S)

    async def close(self) -> None:
        """Count what was answered and is not counted yet."""
        await asyncio.gather(*self._counts)
        self._collection.close()

    async def _counted(
        self, sent: CompiledCall, bills: Sequence[Usage | None], *, is_answered: bool
    ) -> None:
        try:
            await off_loop(partial(self.count, is_answered=is_answered), sent, *bills)
        except Exception:  # noqa: BLE001 a ledger that fails ends no call
            self.uncounted_calls += 1
        self._collection.after_call()

    def count(
        self,
        sent: CompiledCall,
        usage: Usage | None = None,
        *read_back: Usage | None,
        is_answered: bool = True,
    ) -> CallSums:
        """Count a call, with what the provider billed; and what it took.

        Args:
            usage: of the request that was compiled.
            read_back: of those by which its answer went on.
            is_answered: whether the provider took it.
        """
        inner = [bill for bill in read_back if bill is not None]
        added = self.compiler.bill(sent, usage, inner, is_answered=is_answered)
        billed = sum(inner, usage or Usage(input=0))
        if sent.made is None:  # it went out as it came: what it had is what was billed
            added = LedgerSummary(tokens=billed.input, whole_tokens=billed.input)
        sums = CallSums(
            calls=1,
            rewritten=int(sent.action in (REWRITTEN, RECOMPILED)),
            faults=int(sent.action == ORIGINAL),
            tokens=added.tokens,
            whole_tokens=added.whole_tokens,
            cached=added.cached,
            cost=added.cost,
            whole_cost=added.whole_cost,
            billed_input=billed.input,
            billed_cached=billed.cached,
            billed_write=billed.cache_write,
            billed_output=billed.output,
        )
        conversation = sent.made.session.id if sent.made is not None else ""
        with waiting():  # for a disk, or a server
            self.ledger.add(sent.identity.tenant, conversation, sent.model, sums)
        return sums


async def read_body(receive: Receive, limit: int, patience_s: float) -> bytes:
    """The body of a request.

    Args:
        limit: its bytes at most. patience_s: for each part of it.

    Raises:
        ProxyError: it is larger than the limit, or does not come.
        UpstreamReset: the caller hung up before it was whole.
    """
    parts: list[bytes] = []
    size = 0
    async for part in _body_parts(receive, patience_s):
        size += len(part)
        if size > limit:
            raise ProxyError(
                f"the body has more than {limit:,} bytes",
                where="max_body",
                fix="send less, or raise --max-body",
            )
        parts.append(part)
    return b"".join(parts)


async def _body_parts(receive: Receive, patience_s: float) -> AsyncIterator[bytes]:
    while True:
        try:
            async with asyncio.timeout(patience_s):
                message = await receive()
        except TimeoutError as error:
            raise ProxyError(
                f"nothing of the body came for {patience_s:g} s",
                where="stall_s",
                fix="send it at once, or allow more (--stall)",
            ) from error
        if message["type"] == "http.disconnect":
            raise UpstreamReset("the caller hung up")
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


async def _noted_parts(parts: AsyncIterator[bytes], came: asyncio.Event) -> AsyncIterator[bytes]:
    """The same parts; and word of it once all of them came."""
    async for part in parts:
        yield part
    came.set()


def _plain(text: bytes, headers: list[Header]) -> str:
    """The text of a refusal, whatever it is coded as."""
    try:
        plain = unpacked(text, value_of(headers, b"content-encoding"), _LONGEST_REFUSAL)
    except ValueError:
        return ""
    return (plain or b"").decode("utf-8", "replace")
