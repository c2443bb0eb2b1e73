"""The requests of ADK's agents to their models, compiled: what the plugin and the callbacks of a
single agent share, by ADK's moments."""

import logging
from typing import Unpack

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from contextwright.adapters.adk.agent_engines import AgentEngines, Specs
from contextwright.adapters.adk.beside_conversation import OwnParts, own_parts, put
from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.reading import adk_tools
from contextwright.adapters.adk.request_sessions import RequestSessions
from contextwright.adapters.adk.request_table import RequestTable
from contextwright.adapters.adk.services import Supply
from contextwright.adapters.adk.writing import publish, write_changes
from contextwright.adapters.refusals import aanswered
from contextwright.compiler.pack import Pack
from contextwright.engine.context import Context
from contextwright.engine.door import Ports
from contextwright.engine.run_tasks import TaskRunner
from contextwright.engine.store_manifest import store_manifest
from contextwright.errors import SpecError
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.context_overflow import overflow_of
from contextwright.tokens.usage import usage_of
from contextwright.worker_threads import off_loop

LOG = logging.getLogger("contextwright.adk")
MANIFEST = "temp:_manifest_"
"""State key of the address of an agent's newest manifest, before the agent's name."""
MIRRORS = Mirrors()
"""Shared by the agents of this process: a session is taken over once for all of them."""


class ModelRequests:
    """Replaces what ADK would send of a conversation by what a spec says, for some agents.

    The whole request is covered, the running turn too. ADK's own instruction, tools and contents
    beside the conversation stay, redacted as the spec says, and count against its budget.

    Args:
        specs: for every agent, or for each by name.
        artifacts: where manifests are kept.
        models: who summarizes, scores and extracts.
        mirrors: where sessions are mirrored; by default shared by the process.
        window: tokens of the model's window, where its name is not known.
        where: the call that is given the ports, for errors.
        context: whose spec it is, and who says what the last request held.
        ports: what the application gives to the specs.
    """

    def __init__(
        self,
        specs: Specs,
        *,
        artifacts: ArtifactStore | None = None,
        models: TaskRunner | None = None,
        mirrors: Mirrors | None = None,
        window: int | None = None,
        where: str = "ContextPlugin(...)",
        context: Context | None = None,
        **ports: Unpack[Ports],
    ) -> None:
        self._engines = AgentEngines(
            specs,
            context=context,
            artifacts=artifacts,
            models=models,
            window=window,
            where=where,
            **ports,
        )
        self._context, self._artifacts = context, artifacts
        self._sessions = RequestSessions(mirrors or MIRRORS)
        self._supply = Supply()
        self._own: RequestTable[OwnParts] = RequestTable()

    def covers(self, agent: BaseAgent) -> bool:
        """Whether an agent's requests are compiled here."""
        return isinstance(agent, LlmAgent) and self._engines.spec(agent.name) is not None

    async def before_agent(self, callback_context: CallbackContext) -> None:
        """Prepare, and write what comes before the turn: an instruction may name it."""
        agent = callback_context.get_invocation_context().agent
        spec = self._engines.spec(callback_context.agent_name)
        if spec is None or not isinstance(agent, LlmAgent):
            return
        expect_requests(callback_context, agent.name)
        session = await self._sessions.around(callback_context)
        if not len(session.log):
            return  # a delegated agent's task may not be told yet
        since = len(session.changes)
        engine = self._engines.engine(agent.name, spec, agent.canonical_model.model)
        pack = await engine.acompile(session)
        write_changes(session, since, callback_context.state)
        publish(pack, agent.name, callback_context.state)

    async def before_callbacks(
        self, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Show the agent's own callbacks before the model the whole conversation."""
        await self._sessions.put_history(callback_context, llm_request)
        return None

    async def before_model(
        self, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Put the compiled request in place of ADK's."""
        spec = self._engines.spec(callback_context.agent_name)
        if spec is None:
            return None
        expect_requests(callback_context, callback_context.agent_name)
        session, added = await self._sessions.of_request(callback_context, llm_request)
        engine = self._engines.engine(callback_context.agent_name, spec, llm_request.model or "")
        since = len(session.changes)
        await self._supply.fill(session, engine.spec, callback_context)
        own = await off_loop(own_parts, engine, session, llm_request, added)
        if not len(session.log):
            return None  # the instruction and the tools are all there is to send
        self._own[llm_request] = own
        pack = await engine.acompile(
            session, reserved_system=own.tokens, tools=own.tools, counted=True
        )
        if self._context is not None:
            self._context.show(engine, session, pack)
        write_changes(session, since, callback_context.state)
        publish(pack, callback_context.agent_name, callback_context.state)
        await self._keep(pack, callback_context)
        await off_loop(put, pack, llm_request, own.added)
        if engine.target.read_back:
            llm_request.append_tools(adk_tools(engine, self._sessions.newest))
        return None

    async def on_model_error(
        self, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """The answer to a smaller request where this one was too long; None for all else."""
        name, own = callback_context.agent_name, self._own.get(llm_request)
        agent = callback_context.get_invocation_context().agent
        engine = self._engines.newest(name)
        if own is None or engine is None or not isinstance(agent, LlmAgent):
            return None
        if overflow_of(error) is None:
            return None
        session, model = await self._sessions.newest(callback_context), agent.canonical_model

        async def smaller(refusal: Exception) -> LlmRequest:
            pack = await engine.arecover(
                session, refusal, reserved_system=own.tokens, tools=own.tools, counted=True
            )
            await off_loop(put, pack, llm_request, own.added, True)
            return llm_request

        async def send(request: LlmRequest) -> LlmResponse:
            answers = model.generate_content_async(request)
            return [answer async for answer in answers][-1]

        return await aanswered(send, await smaller(error), smaller)

    async def after_model(
        self, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Learn from the bill how the provider counts tokens."""
        usage = llm_response.usage_metadata
        if usage is not None and usage.prompt_token_count and not llm_response.partial:
            engine = self._engines.newest(callback_context.agent_name)
            if engine is not None:
                session = await self._sessions.newest(callback_context)
                await off_loop(engine.bill, session, usage_of(usage))
        return None

    async def after_agent(self, callback_context: CallbackContext) -> types.Content | None:
        """Record: notes, captured outputs."""
        name = callback_context.agent_name
        engine = self._engines.newest(name)
        if self._engines.spec(name) is None or engine is None:
            return None
        session = await self._sessions.around(callback_context)
        since = len(session.changes)
        await engine.arecord(session)
        write_changes(session, since, callback_context.state)
        return None

    async def _keep(self, pack: Pack, context: CallbackContext) -> None:
        """Keep the manifest, and say where, with what its events are found by."""
        if self._artifacts is None:
            return
        ref = await off_loop(store_manifest, pack, self._artifacts)
        context.state[MANIFEST + context.agent_name] = ref
        LOG.info(
            "%s: session %s, %d events, %d tokens",
            ref,
            pack.manifest.session_id,
            pack.manifest.position,
            pack.tokens,
        )


def has_own_context(agent: object) -> bool:
    """Whether an agent's requests are compiled by callbacks of its own."""
    if not isinstance(agent, LlmAgent):
        return False
    owners = (getattr(one, "__self__", None) for one in agent.canonical_before_model_callbacks)
    return any(isinstance(owner, ModelRequests) for owner in owners)


def expect_requests(context: CallbackContext, agent: str) -> None:
    """Refuse a live session. ADK gives its history to the connection past every callback, and shows
    `before_model_callback` the new words alone, to stop them, not to change them
    (google/adk/live/_live_llm_flow.py of 2.13); what was sent stays in the provider's own window.

    Raises:
        SpecError: it is one.
    """
    if context.get_invocation_context().live_request_queue is not None:
        raise SpecError(
            "expected a run of requests, got a live session, which ADK streams to the model past "
            "every spec",
            where=f"agent {agent!r}",
            fix="Runner.run_async; for Runner.run_live an agent without a context, whose window is "
            "the provider's: RunConfig(context_window_compression=...)",
        )
