"""What every adapter does: a body through the context, on to the model, once more where it does not
fit; the bill back into the context, and the model's reading of what was shortened."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any
from weakref import ref

from contextwright.adapters.refusals import aanswered, answered
from contextwright.blocks.read_back_tools import EXPAND_NAMES, read_back_tools
from contextwright.errors import SpecError
from contextwright.formats.message_list import body_list
from contextwright.session.event import Tool
from contextwright.tokens.usage import Usage, usage_of
from contextwright.worker_threads import off_loop

Body = dict[str, Any]
"""A provider's request body."""

Bill = Callable[[Any], Usage | None]
"""What an answer, or a piece of one, says that it cost so far."""


_RUNS = 64
"""Runs whose newest body is remembered; the one used longest ago goes first."""
_NEWEST: ContextVar[Mapping["ref[_NewestBodies]", Body]] = ContextVar("newest bodies", default={})  # noqa: B039
"""Of each port, the body that this task or thread compiled last. It holds no port: a client that
is wrapped for one request goes with it."""


def context_of(spec: Any, options: dict[str, Any]) -> Any:
    """The context that an adapter was given, or one of this spec and these options.

    Raises:
        SpecError: options stand beside a context, where nothing would come of them.
    """
    from contextwright.engine.context import Context

    if not isinstance(spec, Context):
        return Context(spec, **options)
    if options:
        raise SpecError(
            f"{', '.join(sorted(options))}: options of a Context, beside one that has its own",
            where=f"{', '.join(f'{name}=...' for name in sorted(options))}",
            fix="give them to the Context: Context(spec, ...)",
        )
    return spec


def refuse_unredacted(port: "ContextPort", path: str, fix: str = "") -> None:
    """Refuse what holds words of a conversation, and is compiled by nobody, where the spec redacts.

    Args:
        path: of the call, or what it is. fix: what compiles it, where something does.

    Raises:
        SpecError: it does.
    """
    from contextwright.compiler.plan import plan
    from contextwright.engine.door import spec_or_compiler
    from contextwright.spec.expr import Expr

    spec = spec_or_compiler(port.context.spec, "Context(spec)")
    if isinstance(spec, Expr) and plan(spec).every_redaction:
        raise SpecError(
            "the spec redacts, and this call is not compiled: its body would leave as it came",
            where=path,
            fix=fix
            or "make it with the client that was wrapped, if nothing of it has to be redacted",
        )


class ContextPort:
    """Sends bodies as a context has them.

    A `run` is whatever is the same where the framework asks the model and where it runs a tool,
    and nowhere else: the id of a run, say. Without one the task or thread tells.

    Args:
        context: the `Context`.
        id: of the conversation; by default told by its messages.
        tenant: whose they are: nothing is shared between two.
        format: of the bodies, where it is known by where they go; else each body tells.
    """

    def __init__(
        self, context: Any, id: str | None = None, tenant: str = "", format: str = ""
    ) -> None:
        self.context, self.id, self.tenant, self.format = context, id, tenant, format
        self._bodies = _NewestBodies()

    @property
    def model(self) -> str:
        """The context's model, where it names one."""
        return str(self.context.model)

    def of_tenant(self, tenant: str) -> "ContextPort":
        """The same port for somebody else's conversations."""
        if tenant == self.tenant:
            return self
        return self._like(tenant=tenant)

    def of_format(self, format: str) -> "ContextPort":
        """The same port for bodies of this format: they are read and written as that provider has
        them, whatever else they could be."""
        return self if format == self.format else self._like(format=format)

    def _like(self, **other: Any) -> "ContextPort":
        """A port that differs in these, and shares what was compiled."""
        own = {"context": self.context, "tenant": self.tenant, "format": self.format}
        port = ContextPort(id=self.id, **{**own, **other})
        port._bodies = self._bodies
        return port

    def _listed(self, body: Body) -> Any:
        """What the context is given of a body."""
        return body_list(body, self.format) if self.format else body

    def for_tools(self, *, reads_back: bool) -> "ContextPort":
        """The same port for a request whose tools are known: where none of ours is among them, it
        shows no refs, which its model could but call an unknown tool for."""
        if reads_back or not self.context.read_back:
            return self
        return self._like(context=self.context.without_read_back())

    def tools(self, own: tuple[str, ...] = ()) -> tuple[Tool, ...]:
        """The tools that read what was shortened, for the framework's own registry; none where the
        context was not made with `read_back=True`.

        Args:
            own: names of the agent's tools, which are taken.
        """
        return read_back_tools(map(_named, own)) if self.context.read_back else ()

    def bare(self, body: Body, run: str = "") -> Any:
        """The compiled body, synchronously."""
        self._bodies.remember(body, run)
        return self.context(self._listed(body), id=self.id, tenant=self.tenant)

    async def compiled(self, body: Body, run: str = "") -> Body:
        """The body as the context has it."""
        self._bodies.remember(body, run)
        return await self.context.acall(self._listed(body), id=self.id, tenant=self.tenant)

    def smaller(self, body: Body, error: object) -> Any:
        """A smaller body, after the model said that this one is too long.

        Raises:
            ContextOverflowError: there is none. What is no overflow is raised again.
        """
        return self.context.recover(self._listed(body), error, id=self.id, tenant=self.tenant)

    async def asmaller(self, body: Body, error: object) -> Any:
        """The same beside an event loop."""
        listed = self._listed(body)
        return await self.context.arecover(listed, error, id=self.id, tenant=self.tenant)

    def send(
        self, body: Body, request: Callable[[Body], Any], run: str = "", bill: Bill = usage_of
    ) -> Any:
        """What the model answers to the compiled body; to a smaller one where that is too long.

        Args:
            body: as the user would send it.
            request: sends a body.
            run: as the class says.
            bill: what an answer says that it cost.

        Raises:
            ContextOverflowError: there is no smaller one. Whatever else `request` raises.
        """
        answer = answered(request, self.bare(body, run), partial(self.smaller, body))
        self.billed(body, bill(answer))
        return answer

    async def asend(
        self,
        body: Body,
        request: Callable[[Body], Awaitable[Any]],
        run: str = "",
        bill: Bill = usage_of,
    ) -> Any:
        """The same beside an event loop."""
        first = await self.compiled(body, run)
        answer = await aanswered(request, first, partial(self.asmaller, body))
        await self.abilled(body, bill(answer))
        return answer

    def billed(self, body: Body, answer: object) -> None:
        """The bill of an answer into the context; what says no tokens, such as a stream, is left
        alone.

        Args:
            body: as it was given to be compiled. answer: the answer, or its usage.
        """
        if (usage := usage_of(answer)) is not None:
            self.context.billed(self._listed(body), usage, id=self.id, tenant=self.tenant)

    async def abilled(self, body: Body, answer: object) -> None:
        """`billed`, letting the event loop run."""
        if (usage := usage_of(answer)) is not None:
            await off_loop(self.billed, body, usage)

    def answer(self, name: str, arguments: Any, run: str = "") -> str:
        """What the model reads of its own conversation: the answer to a call of one of `tools`.

        Args:
            name, arguments: of the call.
            run: as the class says.
        """
        body = self.body_of(run)
        if body is None and (run or len(self.context.conversations) != 1):
            return "Not read: nobody knows here which conversation asks. Go on without it."
        listed = None if body is None else self._listed(body)
        reader = self.context.tools(listed, id=self.id, tenant=self.tenant)
        expand, search = reader.names
        return reader.call(expand if name in EXPAND_NAMES else search, arguments)

    async def aanswer(self, name: str, arguments: Any, run: str = "") -> str:
        """`answer` in a worker thread, letting the event loop run."""
        return await off_loop(self.answer, name, arguments, run)

    def body_of(self, run: str = "") -> Body | None:
        """The newest body of a run, as it was given."""
        return self._bodies.of(run)


class _NewestBodies:
    """The newest body of each run; without a run, of this task or thread."""

    def __init__(self) -> None:
        self._of_runs: dict[str, Body] = {}

    def remember(self, body: Body, run: str) -> None:
        """Take a body that is compiled now."""
        alive = [(key, one) for key, one in _NEWEST.get().items() if key() not in (None, self)]
        _NEWEST.set({**dict(alive[1 - _RUNS :]), ref(self): body})
        if run:
            self._of_runs.pop(run, None)
            self._of_runs[run] = body
            while len(self._of_runs) > _RUNS:
                del self._of_runs[next(iter(self._of_runs))]

    def of(self, run: str) -> Body | None:
        """The newest body of a run."""
        return self._of_runs.get(run) if run else _NEWEST.get().get(ref(self))


def _named(name: str) -> Tool:
    return Tool(name=name)
