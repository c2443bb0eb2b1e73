"""A spec in any loop, in one line: `messages = context(messages)`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar, Unpack, overload

import msgspec

from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.engine.body_target import target_of_call
from contextwright.engine.clean_fields import clean_fields
from contextwright.engine.context_engines import ContextEngines
from contextwright.engine.conversations import Conversations
from contextwright.engine.default_spec import in_shares, limit_of
from contextwright.engine.door import (
    OPTIONS,
    SpecLike,
    expect_options,
    expect_type,
    spec_or_compiler,
)
from contextwright.engine.engine import Engine
from contextwright.engine.engine_options import EngineOptions
from contextwright.engine.framework_messages import FRAMEWORKS
from contextwright.engine.message_history import MessageHistory
from contextwright.engine.read_back import ReadBack
from contextwright.engine.stored_conversations import StoredConversations, naming_stored
from contextwright.engine.written_messages import written
from contextwright.errors import ModelError, NotInThisFormat, SpecError
from contextwright.formats.message_list import LISTS, MessageList, message_list
from contextwright.process_bound import ProcessBound
from contextwright.session.session import Session
from contextwright.tokens.usage import usage_of
from contextwright.worker_threads import off_loop

M = TypeVar("M")
_NOT_TAKEN = {
    "sessions": (
        "a Context keeps its sessions with its conversations",
        "Context(conversations=Conversations(store=...))",
    ),
    "target": (
        "a Context makes a target for each body",
        'give what the target has: Context(model="gpt-5", window=100_000)',
    ),
}
"""Options of an engine that a context does not take."""


class ContextCall(msgspec.Struct, frozen=True, eq=False):
    """What a context made of one list of messages, or of one body.

    Args:
        messages: for the call, in the form in which they came.
        pack: what they are written from.
        session: all messages so far. engine: which compiled it, with its ledger.
    """

    messages: Any
    pack: Pack
    session: Session
    engine: Engine


class _NewestCall(msgspec.Struct):
    call: ContextCall | None = None


class Context(ProcessBound):
    """What a model is shown of all messages so far: the list, or the body, as the spec has it.

        context = Context(model="gpt-5")
        while True:
            answer = client.chat.completions.create(model="gpt-5", messages=context(messages))

    A message that the spec leaves alone is the caller's own object; what it adds is in the form of
    the list. It may be used from several threads, for several conversations: each is known by its
    id, or by how it begins.

    Args:
        spec: what should be seen; by default all of it while it fits, and then a compaction.
        model: its name, by default the body's.
        conversations: where the conversations are; by default in the memory of this context.
        options: of `Engine` and `contextwright.target`: `models`, `artifacts`, `window`...

    Attributes:
        conversations: as given.
        has_conversations: whether they were given.

    Raises:
        ModelError: an unknown model and no `window`. SpecError: no spec, or no option.
    """

    shown = ("spec", "model")

    def __init__(
        self,
        spec: SpecLike | None = None,
        model: str | None = None,
        *,
        conversations: Conversations | None = None,
        **options: Unpack[EngineOptions],
    ) -> None:
        for name, (why, fix) in _NOT_TAKEN.items():
            if name in options:
                raise SpecError(why, where=f"Context({name}=...)", fix=fix)
        expect_type(
            "conversations", conversations, Conversations, "Context(...)", "Conversations(...)"
        )
        # says at once what is wrong with them
        expect_options(options, EngineOptions.__annotations__, "Context(spec, model)")
        spec_or_compiler(spec, "Context(spec, ...)")
        Engine(spec, model or "gpt-5", **options)
        format = options.get("format")
        self.has_conversations = conversations is not None
        self.conversations = (  # one without conversations is false
            Conversations(format=format) if conversations is None else conversations
        )
        known: dict[str, Any] = {**options}
        self._spec, self._model, self._options = spec, model, known
        self._options_of_target = {name: known[name] for name in OPTIONS if name in known}
        self._own_options = {name: known[name] for name in known if name not in OPTIONS}
        self._engines = ContextEngines()
        self._stored = StoredConversations()
        self._newest = _NewestCall()

    @overload
    def __call__(
        self, messages: list[M] | tuple[M, ...], *, id: str | None = None, tenant: str = ""
    ) -> list[M]: ...

    @overload
    def __call__(
        self, messages: Mapping[str, object], *, id: str | None = None, tenant: str = ""
    ) -> dict[str, Any]: ...

    def __call__(self, messages: Any, *, id: str | None = None, tenant: str = "") -> Any:
        """The messages for the next call, in the form in which they came.

        A list gives a list of such messages, a body a body of the same fields, as a dict. Where a
        provider has the system text beside the messages (Anthropic, Gemini), a spec that adds to
        it needs the body.

        Args:
            messages: all so far: a list, or a provider's body.
            id: of the conversation; by default it is known by how it begins.
            tenant: whose it is.

        Raises:
            SessionError: a message is not understood. BudgetError: what must stay does not fit.
            NotInThisFormat: the form of these messages can not be written.
        """
        return self.call(messages, id=id, tenant=tenant).messages

    def call(self, messages: Any, *, id: str | None = None, tenant: str = "") -> ContextCall:
        """`context(messages)` with the pack and the session of this very call, for a program that
        makes several at once."""
        listed = message_list(messages, "context(messages)")
        with self.conversations.updated(listed, id=id, tenant=tenant) as history:
            return self._written(listed, history, *self._packed(history, listed, tenant))

    @overload
    async def acall(
        self, messages: list[M] | tuple[M, ...], *, id: str | None = None, tenant: str = ""
    ) -> list[M]: ...

    @overload
    async def acall(
        self, messages: Mapping[str, object], *, id: str | None = None, tenant: str = ""
    ) -> dict[str, Any]: ...

    async def acall(self, messages: Any, *, id: str | None = None, tenant: str = "") -> Any:
        """`context(messages)` in a worker thread, letting the event loop run."""
        return await off_loop(lambda: self.call(messages, id=id, tenant=tenant).messages, long=True)

    @overload
    def recover(
        self,
        messages: list[M] | tuple[M, ...],
        error: object,
        *,
        id: str | None = None,
        tenant: str = "",
    ) -> list[M]: ...

    @overload
    def recover(
        self,
        messages: Mapping[str, object],
        error: object,
        *,
        id: str | None = None,
        tenant: str = "",
    ) -> dict[str, Any]: ...

    def recover(
        self, messages: Any, error: object, *, id: str | None = None, tenant: str = ""
    ) -> Any:
        """After the provider refused these messages as too long: the same, smaller; what it said
        holds for the conversation's later calls.

        Args:
            messages, id, tenant: as they were given.
            error: what the provider's client raised. What is no overflow is raised again.

        Raises:
            ContextOverflowError: there is no smaller request.
        """
        return self.recovered(messages, error, id=id, tenant=tenant).messages

    def recovered(
        self, messages: Any, error: object, *, id: str | None = None, tenant: str = ""
    ) -> ContextCall:
        """`recover` with the pack and the session of this very call."""
        listed = message_list(messages, "context.recover(messages, error)")
        with self.conversations.updated(listed, id=id, tenant=tenant) as history:
            made = self._packed(history, listed, tenant, error)
            return self._written(listed, history, *made)

    @overload
    async def arecover(
        self,
        messages: list[M] | tuple[M, ...],
        error: object,
        *,
        id: str | None = None,
        tenant: str = "",
    ) -> list[M]: ...

    @overload
    async def arecover(
        self,
        messages: Mapping[str, object],
        error: object,
        *,
        id: str | None = None,
        tenant: str = "",
    ) -> dict[str, Any]: ...

    async def arecover(
        self, messages: Any, error: object, *, id: str | None = None, tenant: str = ""
    ) -> Any:
        """`recover` in a worker thread, letting the event loop run."""
        return await off_loop(
            lambda: self.recovered(messages, error, id=id, tenant=tenant).messages, long=True
        )

    def compile(self, messages: Any, *, id: str | None = None, tenant: str = "") -> Pack:
        """The pack of these messages: the whole request, with its manifest."""
        listed = message_list(messages, "context.compile(messages)")
        with self.conversations.updated(listed, id=id, tenant=tenant) as history:
            return self._noted(history, *self._packed(history, listed, tenant))

    def tools(self, messages: Any = None, *, id: str | None = None, tenant: str = "") -> ReadBack:
        """Schemas of the tools that read what the last call shortened or left out, and what
        answers them. `Context(read_back=True)` shows refs and adds the tools to a body; to a list
        the caller adds them.

        Args:
            messages, id, tenant: of another conversation than the last call's, as they were given.

        Raises:
            SpecError: there was no call.
        """
        if messages is None:
            made = self._made("tools()")
            return made.engine.tools(made.session)
        listed = message_list(messages, "context.tools(messages)")
        with self.conversations.updated(listed, id=id, tenant=tenant) as history:
            engine = self._engine(history, listed, tenant)
            if listed.messages and not engine.ledger(history.session).calls:
                self._packed(history, listed, tenant)  # as another process sent it
            return engine.tools(history.session)

    def billed(
        self, messages: Any, usage: object, *, id: str | None = None, tenant: str = ""
    ) -> None:
        """After the answer: what it cost calibrates the counter and counts for the budget.

        Args:
            messages, id, tenant: as they were given.
            usage: the provider's answer, or its usage, as dict or SDK object. What says no tokens
                is left alone.
        """
        if (bill := usage_of(usage)) is None:
            return
        listed = message_list(messages, "context.billed(messages, usage)")
        with self.conversations.updated(listed, id=id, tenant=tenant) as history:
            engine = self._engine(history, listed, tenant)
            engine.bill(history.session, bill)
            self._stored.note(history.session.log, listed.fields, bill, tenant)

    @property
    def model(self) -> str:
        """The model's name, where it was given one; empty where each body says it."""
        return self._model or ""

    @property
    def read_back(self) -> bool:
        """Whether the tools that read what was shortened are among a request's tools."""
        return bool(self._options_of_target.get("read_back"))

    def without_read_back(self) -> "Context":
        """This context for requests without the tools that read back: they show no refs. Its
        conversations, engines and last call are the same."""
        if not self.read_back:
            return self
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other._options_of_target = {**self._options_of_target, "read_back": False}
        return other

    @property
    def options(self) -> Mapping[str, Any]:
        """What it was given beside a spec, a model and conversations, by name."""
        return MappingProxyType(self._options)

    @property
    def spec(self) -> SpecLike | None:
        """What should be seen, as it was given."""
        return self._spec

    def engine(self, model: str, **options: Unpack[EngineOptions]) -> Engine:
        """An engine of this context's spec and options, for an adapter that keeps sessions of its
        own.

        Args:
            model: its name.
            options: of `Engine`, which win.
        """
        made: dict[str, Any] = {**self._options_of_target, **self._own_options, **options}
        return Engine(self._spec, self._model or model, **made)

    def show(self, engine: Engine, session: Session, pack: Pack) -> None:
        """Take a pack that an adapter's own engine made as the one of the last call."""
        self._newest.call = ContextCall(None, pack, session, engine)

    @property
    def pack(self) -> Pack:
        """The pack of the last call, of whichever thread.

        Raises:
            SpecError: there was none.
        """
        return self._made("pack").pack

    @property
    def manifest(self) -> Manifest:
        """The manifest of the last call."""
        return self._made("manifest").pack.manifest

    @property
    def session(self) -> Session:
        """The session of the last call."""
        return self._made("session").session

    def _made(self, name: str) -> ContextCall:
        if self._newest.call is None:
            raise SpecError(
                "nothing was compiled yet", where=f"context.{name}", fix="context(messages) first"
            )
        return self._newest.call

    def _written(
        self, listed: MessageList, history: MessageHistory, engine: Engine, pack: Pack
    ) -> ContextCall:
        self._noted(history, engine, pack)
        if listed.fields:
            fields = clean_fields(listed.fields, engine, history)
            listed = msgspec.structs.replace(listed, fields=fields)
        adds_tools, reads = "tools" in self._options, engine.target.read_back
        messages = written(listed, history, pack, adds_tools=adds_tools, read_back=reads)
        return ContextCall(messages, pack, history.session, engine)

    def _packed(
        self, history: MessageHistory, listed: MessageList, tenant: str, error: object = None
    ) -> tuple[Engine, Pack]:
        """The engine and its pack; after this refusal, if there was one, a smaller pack."""
        engine, session = self._engine(history, listed, tenant), history.session
        stored = self._stored.tokens(listed.fields, tenant)
        reserved = _reserved(engine, history, listed, stored)
        with naming_stored(listed.fields, stored):
            if error is None:
                return engine, engine.compile(session, reserved_system=reserved, counted=True)
            if not engine.ledger(session).calls:  # another process sent it, or it was forgotten
                engine.compile(session, reserved_system=reserved, counted=True)
            pack = engine.recover(session, error, reserved_system=reserved, counted=True)
            return engine, pack

    def _noted(self, history: MessageHistory, engine: Engine, pack: Pack) -> Pack:
        history.folds.append(pack.receipt.folds)
        self._stored.sent(history.session.log, pack.receipt.fixed_tokens)
        self._newest.call = ContextCall(None, pack, history.session, engine)
        return pack

    def _engine(self, history: MessageHistory, listed: MessageList, tenant: str) -> Engine:
        """The engine for what the messages are for, and for whom."""
        named = listed.model
        model = self._model or (named if isinstance(named, str) else None)
        if model is None:
            raise ModelError(
                "neither the context nor the body names a model",
                where="context(messages)",
                fix='Context(model="gpt-5"), say, or model="gpt-5" beside the spec',
            )
        format = listed.format or self._options.get("format") or history.read.format
        if history.read.format in FRAMEWORKS:
            format = "openai-chat"  # the framework makes what its model's provider takes
        if not listed.messages and not format:
            raise SpecError(
                "there is nothing to send: no message yet",
                where="context(messages)",
                fix="append the user's message first",
            )
        if format not in LISTS:
            raise NotInThisFormat(
                f"{_named_messages(format, history.session)} can not be written back",
                where="context(messages)",
                fix=f"give messages of one of {', '.join((*LISTS, *FRAMEWORKS))}, or send "
                "context.compile(messages).request",
            )
        wanted = {**self._options_of_target, "format": format}
        target = target_of_call(listed.fields, history.session.snapshot(), model, None, wanted)

        def made() -> Engine:
            return Engine(self._spec, model, target=target, **self._own_options)

        shape = model, format, target.reserved_output, target.read_back
        return self._engines.engine(tenant, shape, made)


def _named_messages(format: str, session: Session) -> str:
    """Messages that are of none of the formats that are written back, by what they are."""
    named = {format} if format else {name for event in session.log for name in event.extra}
    return f"messages of {', '.join(map(repr, sorted(named)))}" if named else "these messages"


def _reserved(
    engine: Engine, history: MessageHistory, listed: MessageList, stored: int
) -> int | None:
    """Tokens that are kept free for reminders that were put in since their messages were read, in
    whole shares of the limit, so that one more of them moves no step; and for what the provider
    itself puts in front."""
    target = engine.target
    tokens = sum(map(target.counter.count, history.added_reminders(listed.messages)))
    if not tokens:
        return target.reserved_system + stored if stored else None
    limit = limit_of(engine.spec, target) if engine.compiler is None else target.window
    return target.reserved_system + in_shares(tokens, limit) + stored
