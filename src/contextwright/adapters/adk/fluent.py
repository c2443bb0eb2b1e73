"""A thin fluent layer over ADK's agents: the worked example, as written
(context-algebra.md#worked-example).

    pipeline = (
        C.capture("user_message")
        >> Agent("classifier", "gemini-2.5-flash").instruct("...").outputs("intent", "urgency")
        >> Route("intent").eq("billing", Agent(...)).otherwise(Agent(...))
    )
    runner = Runner(agent=pipeline.build(), ...)

A step is a value: every call gives another one, and building makes ADK's agents from it.
"""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from copy import copy
from functools import reduce
from operator import or_
from typing import Any, Self, Unpack

import msgspec
from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.base_agent import BaseAgentState
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event, EventActions

from contextwright.adapters.adk.agent_context import put_requests
from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.model_requests import MIRRORS, ModelRequests
from contextwright.adapters.adk.reply_fields import spread_reply
from contextwright.adapters.adk.visible_events import VisibleEvents
from contextwright.adapters.adk.writing import write_changes
from contextwright.check import AgentStep, Branch, Report, check
from contextwright.check import Pipeline as Contract
from contextwright.engine.door import Ports, SpecLike, checked_ports, spec_or_compiler
from contextwright.engine.embedded import answering_by
from contextwright.engine.record import record, writing
from contextwright.engine.run_tasks import TaskRunner, adrive
from contextwright.errors import SpecError
from contextwright.session.session import Session
from contextwright.spec.expr import Expr, Pipe
from contextwright.spec.kind import Kind
from contextwright.spec.state_step import StateStep
from contextwright.worker_threads import off_loop

BUILD = "build(...)"
"""The call that is given the ports, for errors."""


class _BuildOptions(msgspec.Struct, frozen=True, eq=False):
    """What `build` is called with."""

    models: TaskRunner | None
    mirrors: Mirrors
    ports: Ports


class PipelineStep:
    """A piece of a pipeline."""

    def __rshift__(self, other: "PipelineStep | Expr | StateStep") -> "Pipeline":
        return Pipeline((*_steps(self), *_steps(other)))

    def __rrshift__(self, other: Expr | StateStep) -> "Pipeline":
        return Pipeline((*_steps(other), *_steps(self)))

    def build(
        self,
        *,
        models: TaskRunner | None = None,
        mirrors: Mirrors | None = None,
        **ports: Unpack[Ports],
    ) -> BaseAgent:
        """ADK's agent, or the one that runs ADK's agents in turn.

        Args:
            models: who summarizes, scores and extracts; by default the embedded models.
            mirrors: where sessions are mirrored; by default shared by the process.
            ports: `detector` and `vault` for `C.redact`, `roots` and `hosts` for `C.expand`, and
                `reader` for refs, as `contextwright.compile` takes them.
        """
        checked_ports(ports, BUILD)
        return self._agent(_BuildOptions(models, mirrors or MIRRORS, ports), _Names())

    def check(self, **options: Any) -> Report:
        """What the contract checker says of it; `options` are those of
        `contextwright.check.check`."""
        return check(self._contract(), **options)

    def _with(self, **changed: Any) -> Self:
        other = copy(self)
        vars(other).update(changed)
        return other

    def _agent(self, options: "_BuildOptions", names: "_Names") -> BaseAgent:
        raise NotImplementedError

    def _contract(self) -> Contract:
        raise NotImplementedError


class Agent(PipelineStep):
    """One agent. `options` go to ADK's `LlmAgent`, such as `tools`.

    Args:
        name: its name.
        model: a model's name, or an ADK `BaseLlm`; by default the one that it inherits.
    """

    def __init__(self, name: str, model: Any = "", **options: Any) -> None:
        self.name = name
        self.model = model
        self.options = options
        self.instruction = ""
        self.output_keys: tuple[str, ...] = ()
        self.spec: Expr | None = None
        self.patterns: tuple[str, ...] = ()

    def instruct(self, instruction: str) -> "Agent":
        """With this instruction; `{key}` in it stands for a state value."""
        return self._with(instruction=instruction)

    def outputs(self, *keys: str) -> "Agent":
        """With its reply under these state keys: as it is under one; for several it is asked
        for a JSON object with these names."""
        return self._with(output_keys=keys)

    def context(self, spec: SpecLike) -> "Agent":
        """Seeing what this spec, its text or recipe says; a second one adds to the first."""
        where = f"Agent({self.name!r}).context(spec)"
        resolved = spec_or_compiler(spec, where)
        if not isinstance(resolved, Expr):
            raise SpecError(
                f"expected a spec, which a pipeline can check, got {type(resolved).__name__}",
                where=where,
                fix="with_context(AGENT, COMPILER) takes a compiler",
            )
        return self._with(spec=resolved if self.spec is None else _joined(self.spec, resolved))

    def boundary(self, *patterns: str) -> "Agent":
        """Declare what must not reach it, as `C.redact` names it: the checker minds it."""
        return self._with(patterns=patterns)

    def _agent(self, options: "_BuildOptions", names: "_Names") -> LlmAgent:
        names.take(self.name)
        several = len(self.output_keys) > 1
        reply_format = (
            f"\n\nReply with one JSON object with the keys {', '.join(self.output_keys)}."
        )
        agent = LlmAgent(
            name=self.name,
            model=self.model,
            instruction=self.instruction + (reply_format if several else ""),
            output_key=self.output_keys[0] if len(self.output_keys) == 1 else None,
            **self.options,
        )
        if several:
            after = [
                *agent.canonical_after_agent_callbacks,
                spread_reply(self.name, self.output_keys),
            ]
            agent.after_agent_callback = after
        if self.spec is None:
            return agent
        requests = ModelRequests(
            self.spec, models=options.models, mirrors=options.mirrors, where=BUILD, **options.ports
        )
        return put_requests(agent, requests)

    def _contract(self) -> Contract:
        model = self.model if isinstance(self.model, str) else getattr(self.model, "model", "")
        return (
            AgentStep(
                agent=self.name,
                spec=self.spec,
                instruction=self.instruction,
                outputs=self.output_keys,
                model=model,
                boundary=self.patterns,
            ),
        )


class Pipeline(PipelineStep):
    """Steps in turn. A spec among them writes what it captures; `S.tag` labels what the agents of
    the step before it said in this run."""

    def __init__(self, steps: Sequence["PipelineStep | Expr | StateStep"]) -> None:
        self.steps = tuple(steps)

    def _agent(self, options: "_BuildOptions", names: "_Names") -> BaseAgent:
        made: list[BaseAgent] = []
        before: list[str] = []
        for step in self.steps:
            if isinstance(step, PipelineStep):
                made.append(step._agent(options, names))
                before = _names_of(made[-1])
            else:
                name = names.new("write")
                made.append(_Writing(name=name, step=step, options=options, before=before))
        return _InTurn(name=names.new("pipeline"), sub_agents=made)

    def _contract(self) -> Contract:
        return tuple(
            part
            for step in self.steps
            for part in (
                step._contract()
                if isinstance(step, PipelineStep)
                else (AgentStep(agent="", spec=step),)
                if isinstance(step, Expr)
                else ()
            )
        )


class Route(PipelineStep):
    """One of several steps, by the value of a state key."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.cases: tuple[tuple[str, PipelineStep], ...] = ()
        self.default: PipelineStep | None = None

    def eq(self, value: str, step: PipelineStep) -> "Route":
        """This step where the key has this value; white space and case do not matter."""
        return self._with(cases=(*self.cases, (value, step)))

    def otherwise(self, step: PipelineStep) -> "Route":
        """This step where no other one fits; without it, none runs then."""
        return self._with(default=step)

    def _agent(self, options: "_BuildOptions", names: "_Names") -> BaseAgent:
        steps = [step for _, step in self.cases] + ([self.default] if self.default else [])
        made = [step._agent(options, names) for step in steps]
        return _Chosen(
            name=names.new(f"route_{self.key}"),
            sub_agents=made,
            key=self.key,
            values=[value for value, _ in self.cases],
            has_default=self.default is not None,
        )

    def _contract(self) -> Contract:
        cases = {value: step._contract() for value, step in self.cases}
        default = self.default._contract() if self.default else ()
        return (Branch(on=self.key, cases=cases, default=default),)


class _At(BaseAgentState):
    """Where a pipeline waits."""

    agent: str = ""


class _InTurn(BaseAgent):
    """Runs its agents one after the other. It waits where one waits for a tool, and resumes
    there: what ADK's `SequentialAgent` does, which is deprecated."""

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        at = self._load_agent_state(ctx, _At)
        names = [agent.name for agent in self.sub_agents]
        start = names.index(at.agent) if at and at.agent in names else 0
        for place in range(start, len(names)):
            if ctx.is_resumable and not (at and place == start):
                ctx.set_agent_state(self.name, agent_state=_At(agent=names[place]))
                yield self._create_agent_state_event(ctx)
            waits = False
            async with aclosing(self.sub_agents[place].run_async(ctx)) as events:
                async for event in events:
                    yield event
                    waits = waits or ctx.should_pause_invocation(event)
            if waits:
                return
        if ctx.is_resumable:
            ctx.set_agent_state(self.name, end_of_agent=True)
            yield self._create_agent_state_event(ctx)


class _Chosen(BaseAgent):
    """Runs the agent whose value a state key has."""

    key: str
    values: list[str]
    has_default: bool

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        value = _folded(ctx.session.state.get(self.key))
        folded = [_folded(known) for known in self.values]
        place = folded.index(value) if value in folded else len(folded)
        if place < len(folded) or self.has_default:
            async with aclosing(self.sub_agents[place].run_async(ctx)) as events:
                async for event in events:
                    yield event


class _Writing(BaseAgent):
    """Writes what a spec captures, or a state step says."""

    step: Any
    options: Any
    before: list[str]

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        state, view = dict(ctx.session.state), VisibleEvents.of(ctx)
        session: Session = await self.options.mirrors.asession(ctx.session, state, view)
        since = len(session.changes)
        step = self.step
        if isinstance(step, StateStep) and step.word == "tag":
            step = self._naming_events(step, session, ctx.invocation_id)
        if isinstance(step, Expr):
            ports = checked_ports(self.options.ports, BUILD)
            asking = writing(session, step, ports=ports)
            await adrive(asking, answering_by(self.options.models), session.id)
        elif step is not None:
            await off_loop(record, session, step)
        delta: dict[str, Any] = {}
        write_changes(session, since, delta)
        if delta:
            yield Event(
                author=self.name,
                invocation_id=ctx.invocation_id,
                branch=ctx.branch,
                actions=EventActions(state_delta=delta),
            )

    def _naming_events(self, tag: Any, session: Session, invocation: str) -> StateStep | None:
        """`S.tag` with what the agents before it said in this run, unless it names events itself;
        None where none of them ran."""
        if tag.event_ids:
            return tag
        ids = tuple(
            event.id
            for event in session.log
            if event.invocation == invocation and event.speaker in self.before
        )
        return msgspec.structs.replace(tag, event_ids=ids) if ids else None


def _names_of(root: BaseAgent) -> list[str]:
    """The names of an agent and of those under it."""
    return [root.name, *(name for agent in root.sub_agents for name in _names_of(agent))]


class _Names:
    """Names of the agents of one build; ADK wants each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> None:
        """Reserve a name.

        Raises:
            SpecError: it is taken.
        """
        if name in self._taken:
            raise SpecError(
                f"two agents are called {name!r}",
                where=f"Agent({name!r})",
                fix="give every agent a name of its own",
            )
        self._taken.add(name)

    def new(self, stem: str) -> str:
        """A name that nobody has."""
        plain = re.sub(r"\W", "_", stem)
        name, number = plain, 2
        while name in self._taken:
            name, number = f"{plain}_{number}", number + 1
        self._taken.add(name)
        return name


def _steps(step: Any) -> tuple[PipelineStep | Expr | StateStep, ...]:
    if isinstance(step, Pipeline):
        return step.steps
    if isinstance(step, PipelineStep | Expr | StateStep):
        return (step,)
    raise SpecError(
        f"a {type(step).__name__} is no step of a pipeline",
        where=f"... >> {step!r}"[:120],
        fix="use Agent(...), Route(...), S.tag('name') or a spec that writes, C.capture('key')",
    )


def _joined(first: Expr, second: Expr) -> Expr:
    """Both; where the first ends in a limit, the limit holds for both."""
    if not isinstance(first, Pipe):
        return first + second
    outer = tuple(s for s in first.steps if s.kind in {Kind.TERMINAL, Kind.ASSEMBLY})
    inner = tuple(s for s in first.steps if s not in outer)
    return reduce(or_, outer, (Pipe(first.head, inner) if inner else first.head) + second)


def _folded(value: Any) -> str:
    return str(value).strip().casefold() if value is not None else ""
