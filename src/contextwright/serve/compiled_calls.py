"""A body of a model's call as the spec has it, or as it came and why."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.compiler.replay_pack import refuse_repeated
from contextwright.engine.context import Context, ContextCall
from contextwright.engine.conversations import Conversations
from contextwright.engine.engine import Engine
from contextwright.engine.ledger_summary import LedgerSummary
from contextwright.errors import ContextwrightError, ProxyError
from contextwright.formats.encoded_body import EncodedBody, encoded_body
from contextwright.formats.fields import Json, object_if
from contextwright.serve.call_envelopes import CallEnvelope, opened
from contextwright.serve.client_identity import ClientIdentity, client_identity
from contextwright.serve.content_codings import unpacked
from contextwright.serve.grown_bodies import GrownBodies
from contextwright.serve.http_headers import Header, value_of
from contextwright.serve.known_bodies import KnownBodies
from contextwright.serve.model_calls import ModelCall
from contextwright.serve.settings import ProxySettings
from contextwright.serve.side_calls import MESSAGES, why_aside
from contextwright.serve.stream_read_back import can_hold
from contextwright.session.session import Session
from contextwright.stores.store import SessionStore
from contextwright.tokens.usage import Usage

UNTOUCHED, REWRITTEN, ORIGINAL, RECOMPILED = "untouched", "rewritten", "original", "recompiled"
_BEGINNING = 400
"""Bytes of a body by which its conversation is looked for."""
_ByEngine = WeakKeyDictionary[Engine, LedgerSummary]
"""What was counted of a session: each engine has a ledger of its own."""
_Added = dict[str, int]
"""What a call adds to the sums of its conversation."""
_ADDED = ("calls", "tokens", "cached", "cost", "whole_tokens", "whole_cost")
_REFUSALS = 2
"""Refusals of what was rewritten after which a conversation is left as it comes."""


class CompiledCall(msgspec.Struct, frozen=True, eq=False):
    """What is sent of a call.

    Args:
        call: as its path has it. identity: whose conversation it is of.
        source: its body, decoded; None where it was not understood.
        body: the bytes to send.
        action: `untouched`, `rewritten`, `original` where something failed here, `recompiled`.
        reason: why it is not rewritten, or how.
        made: what the context made of it, where it did.
        known_key: of the known body that it goes on from; then nothing was compiled.
        coding: of such a body.
        envelope: what its body stands in, if anything.
    """

    call: ModelCall
    identity: ClientIdentity
    body: bytes
    action: str
    source: Json | None = None
    reason: str = ""
    made: ContextCall | None = None
    known_key: bytes = b""
    coding: str = ""
    envelope: CallEnvelope | None = None

    @property
    def is_turn(self) -> bool:
        """Whether it is a turn of a conversation that is kept here."""
        return self.made is not None or bool(self.known_key)

    @property
    def model(self) -> str:
        """The model that the call names: in its body, or by its path."""
        named = object_if(self.source).get("model")
        return named if isinstance(named, str) and named else self.call.model

    @property
    def pack(self) -> Pack | None:
        """The pack that was compiled of it."""
        return self.made.pack if self.made is not None else None


class CallCompiler:
    """Compiles the bodies of all callers of a proxy, one conversation for each.

    Args:
        settings: with the spec.
        store: where conversations are kept; by default in memory.
    """

    def __init__(self, settings: ProxySettings, store: SessionStore | None = None) -> None:
        self.settings, self._store = settings, store
        self._contexts: dict[str, Context] = {}
        self._lock = Lock()
        self._known = KnownBodies(settings.max_bytes)
        self._grown = GrownBodies(settings.max_bytes // 2)
        self._sent: WeakKeyDictionary[Session, EncodedBody] = WeakKeyDictionary()
        self._refusals: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._counted: WeakKeyDictionary[Session, _ByEngine] = WeakKeyDictionary()
        self._newest: WeakKeyDictionary[Session, tuple[int, int]] = WeakKeyDictionary()
        self._unanswered: WeakKeyDictionary[Session, tuple[int, _Added]] = WeakKeyDictionary()
        planned = plan(settings.spec) if settings.spec is not None else None
        self.clean: Callable[[str], str] = planned.clean if planned is not None else str
        self.redacts = planned is not None and bool(planned.redactions)
        """Whether nothing may leave that was not compiled."""
        self.context("openai-chat")  # says at once what is wrong with the spec

    def context(self, format: str, *, read_back: bool = True) -> Context:
        """The context for bodies of a format.

        Args:
            read_back: whether answers to them can hold calls of ours.
        """
        key = format if read_back or not self.settings.read_back else f"{format}, shown whole"
        with self._lock:
            known = self._contexts.get(key)
            if known is None:
                settings = self.settings
                options: Json = {"window": settings.window} if settings.window else {}
                if settings.read_back and read_back:
                    options["read_back"] = True
                if settings.never_dearer:
                    options["never_dearer"] = True
                conversations = Conversations(
                    format=format, store=self._store, max_bytes=settings.max_bytes
                )
                known = Context(
                    settings.spec,
                    model=settings.model,
                    conversations=conversations,
                    format=format,
                    **options,
                )
                self._contexts[key] = known
            return known

    def compiled(
        self, call: ModelCall, raw: bytes, headers: Sequence[Header], tenant: str
    ) -> CompiledCall:
        """What is sent of a call. A fault of ours sends it as it came.

        Raises:
            ProxyError: the spec redacts, and this body can not be compiled.
        """
        identity = ClientIdentity(tenant)
        source: Json | None = None
        try:
            named = client_identity(headers, {}, tenant)
            coding = value_of(headers, b"content-encoding")
            plain = self._plain(raw, coding)
            if self.redacts:
                raw = plain  # what one reader unpacks another could read otherwise
            call, plain, envelope = self._opened(call, plain)
            key = _key(call, plain, named)
            if self._known.fits(key, plain):
                reason = "it fits as it grew"
                sent = CompiledCall(call, named, raw, UNTOUCHED, reason=reason)
                return msgspec.structs.replace(sent, known_key=key, coding=coding)
            source = self._decoded(plain, MESSAGES[call.format], key)
            identity = client_identity(headers, source, tenant)
            why = self._why_aside(call, source, headers)
            if why and not self.redacts:
                return CompiledCall(call, identity, raw, UNTOUCHED, source, why)
            # what stands beside a conversation is none of it
            id = None if why else identity.id
            context = self._context_of(call, source)
            made = context.call(_body_of(call, source), id=id, tenant=tenant)
            self._note(key, plain, made.pack)
            return self._made(call, identity, raw, source, made, envelope)
        except Exception as error:
            if self.redacts:
                raise self._refused(error) from error
            return CompiledCall(call, identity, raw, ORIGINAL, source, _telling(error))

    def _context_of(self, call: ModelCall, source: Json) -> Context:
        return self.context(call.format, read_back=can_hold(call.format, source))

    def _note(self, key: bytes, raw: bytes, pack: Pack) -> None:
        """What a longer version of a body is known by, where a spec does nothing below a limit."""
        if self.settings.spec is None and not self.settings.read_back and not pack.manifest.changes:
            self._known.note(key, raw, pack.tokens, pack.manifest.budget)
        else:
            self._known.forget(key)

    def recompiled(self, sent: CompiledCall, refusal: object) -> CompiledCall | None:
        """The same call, smaller, after the provider refused it as too long; None where there is
        no smaller one.

        Args:
            refusal: what the provider said, with its status.
        """
        self._known.forget(sent.known_key)
        try:
            source, envelope = sent.source, sent.envelope
            if source is None:
                _, plain, envelope = self._opened(sent.call, self._plain(sent.body, sent.coding))
                source = self._decoded(plain, MESSAGES[sent.call.format])
            body, context = _body_of(sent.call, source), self._context_of(sent.call, source)
            id, tenant = sent.identity.id, sent.identity.tenant
            if sent.made is None:
                context.call(body, id=id, tenant=tenant)
            made = context.recovered(body, refusal, id=id, tenant=tenant)
        except Exception:  # noqa: BLE001 the provider's own words are passed back then
            return None
        new = msgspec.json.encode(_wire(source, made.messages))
        new = new if envelope is None else envelope.around(new)
        reason = _why(made.pack) or "too long, says the provider"
        again = CompiledCall(sent.call, sent.identity, new, RECOMPILED, source, reason, made)
        return msgspec.structs.replace(again, envelope=envelope)

    def note_refusal(self, sent: CompiledCall) -> None:
        """The provider refused what was rewritten, for another reason than its length."""
        if sent.made is not None:
            session = sent.made.session
            with self._lock:
                self._refusals[session] = self._refusals.get(session, 0) + 1

    def bill(
        self,
        sent: CompiledCall,
        usage: Usage | None,
        read_back: Sequence[Usage] = (),
        *,
        is_answered: bool = True,
    ) -> LedgerSummary:
        """What this call adds to its conversation's ledger.

        Args:
            usage: what the provider billed for the request that was compiled.
            read_back: and for those by which its answer went on.
            is_answered: whether the provider took it. What it refused took nothing and saved
                nothing, until it is sent again.
        """
        if sent.made is None:
            return LedgerSummary()
        engine, session = sent.made.engine, sent.made.session
        if sent.action != ORIGINAL:
            engine.bill(session, usage, *read_back, pack=sent.made.pack)
        with self._lock:  # calls of one conversation may end at once: each adds to the one before
            summary = engine.ledger(session)
            counted = self._counted.setdefault(session, WeakKeyDictionary())
            before = counted.get(engine, LedgerSummary())
            counted[engine] = summary
            added = self._added(sent, summary, before, is_answered=is_answered)
            self._newest[session] = _newest_of(self._newest.get(session), sent.made.pack, added)
        if sent.action in (UNTOUCHED, ORIGINAL):  # what went out is all of it
            added |= {"tokens": added["whole_tokens"], "cost": added["whole_cost"], "cached": 0}
        return msgspec.structs.replace(LedgerSummary(suspended=summary.suspended), **added)

    def _added(
        self,
        sent: CompiledCall,
        summary: LedgerSummary,
        before: LedgerSummary,
        *,
        is_answered: bool,
    ) -> _Added:
        """What a summary has more than the one before, with what the same call came to when it was
        refused. An engine counts a call once, however often it is sent."""
        assert sent.made is not None
        session, position = sent.made.session, sent.made.pack.manifest.position
        added = {name: getattr(summary, name) - getattr(before, name) for name in _ADDED}
        at, earlier = self._unanswered.pop(session, (position, _Added()))
        if at == position:
            added = {name: value + earlier.get(name, 0) for name, value in added.items()}
        if is_answered:
            return added
        self._unanswered[session] = position, added
        return dict.fromkeys(_ADDED, 0)

    def whole_tokens(self, sent: CompiledCall) -> int:
        """Tokens of a call that was counted, as it came: also where it was made twice, and the
        ledger's sums, in which it stands once, say nothing of the second time."""
        newest = self._newest.get(sent.made.session) if sent.made is not None else None
        return newest[1] if newest is not None else 0

    def _plain(self, raw: bytes, coding: str) -> bytes:
        """A body without its coding."""
        if not coding:
            return raw
        try:
            plain = unpacked(raw, coding, self.settings.max_body)
        except ValueError as error:
            raise unread_body(f"the body is coded as {coding!r}: {error}"[:120]) from error
        if plain is None:
            raise unread_body(f"the body is coded as {coding!r}, which is not read here"[:120])
        return plain

    def _opened(self, call: ModelCall, raw: bytes) -> tuple[ModelCall, bytes, CallEnvelope | None]:
        """A call with its body taken out of what it stands in."""
        if self.redacts and call.is_enveloped:
            refuse_repeated(raw)
        return opened(call, raw)

    def _decoded(self, raw: bytes, field: str, key: bytes = b"") -> Json:
        try:
            if self.redacts:
                refuse_repeated(raw)  # what one reader redacts another could read
                source: Any = msgspec.json.decode(raw)
            else:
                source = self._grown.decoded(key, field, raw)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise unread_body("the body is no JSON") from error
        if not isinstance(source, dict):
            raise unread_body("the body is no JSON object")
        return object_if(source)

    def _why_aside(self, call: ModelCall, source: Json, headers: Sequence[Header]) -> str:
        if value_of(headers, b"x-contextwright-bypass").lower() in ("true", "1", "yes"):
            if self.redacts:
                raise unread_body("the spec redacts: no request goes by it")
            return "the caller says so"
        if call.only_counts:
            return "a count of tokens"
        return why_aside(call.format, source, headers)

    def _made(
        self,
        call: ModelCall,
        identity: ClientIdentity,
        raw: bytes,
        source: Json,
        made: ContextCall,
        envelope: CallEnvelope | None,
    ) -> CompiledCall:
        wire, whole = _wire(source, made.messages), None
        if envelope is not None and self.redacts:
            whole = envelope.cleaned(self.clean)
        if wire == source and whole in (None, envelope):
            action, body = UNTOUCHED, raw
            why = _why(made.pack) if made.pack.manifest.decided_at else "nothing is due"
        elif self._refusals.get(made.session, 0) >= _REFUSALS and not self.redacts:
            action, body = ORIGINAL, raw
            why = "the provider refused what was rewritten of this conversation"
        else:
            action, why = REWRITTEN, _why(made.pack)
            body = self._encoded(wire, MESSAGES[call.format], made)
            body = body if envelope is None else (whole or envelope).around(body)
        return CompiledCall(
            call, identity, body, action, source, why, made, envelope=whole or envelope
        )

    def _encoded(self, wire: Json, field: str, made: ContextCall) -> bytes:
        """A body as JSON. The next one of its conversation goes on from it."""
        before = self._sent.get(made.session)
        known = encoded_body(wire, field, before=before)
        if known.text == made.pack.body:  # as nearly always: it is held once
            known = msgspec.structs.replace(known, text=made.pack.body)
        self._sent[made.session] = known
        return known.text

    def _refused(self, error: Exception) -> ProxyError:
        if isinstance(error, ProxyError):
            return error
        return ProxyError(
            f"the spec redacts, and this request could not be compiled: {_telling(error)}",
            where="the request's body",
            fix="send a body of the provider's own form; without a redaction it would go out",
        )


def _newest_of(before: tuple[int, int] | None, pack: Pack, added: _Added) -> tuple[int, int]:
    """The position of a session's newest call, and its tokens as it came."""
    position = pack.manifest.position
    again = before is not None and before[0] == position
    return position, added["whole_tokens"] + (before[1] if before is not None and again else 0)


def _key(call: ModelCall, raw: bytes, named: ClientIdentity) -> bytes:
    """Where a body of a conversation is looked for: by what its headers name, and how it begins."""
    telling = f"{call.format} {call.model} {named.tenant} {named.id or ''} "
    return telling.encode("utf-8", "replace") + raw[:_BEGINNING]


def _body_of(call: ModelCall, source: Json) -> Json:
    """A body with the model that its path names."""
    return {"model": call.model, **source} if call.model else source


def _wire(source: Json, body: Json) -> Json:
    """A body without the model, where its source had none."""
    if "model" in source:
        return body
    return {key: value for key, value in body.items() if key != "model"}


def _why(pack: Pack) -> str:
    """The first that a manifest notes; of a step that waits, that it does."""
    return next(iter(pack.manifest.notes), "")


def unread_body(what: str) -> ProxyError:
    """The refusal of a body that can not be read."""
    return ProxyError(what, where="the request's body", fix="send plain JSON of the provider's")


def _telling(error: Exception) -> str:
    """A fault in words that hold nothing of the conversation."""
    if isinstance(error, ContextwrightError):
        return f"{type(error).__name__}: {error.what}"
    return type(error).__name__
