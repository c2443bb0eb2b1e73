"""Specs for a whole ADK app: every request to a model is compiled."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.genai import types

from contextwright.adapters.adk.extra_contents import extra_contents, put_extra_contents
from contextwright.adapters.adk.instruction import MIRRORS, window_of
from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.scope import keep_only, tools_of
from contextwright.adapters.adk.services import Supply
from contextwright.adapters.adk.visible_events import VisibleEvents
from contextwright.adapters.adk.writing import publish, write_changes
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import Compiler
from contextwright.engine.door import SpecLike, spec_or_compiler
from contextwright.engine.engine import Engine
from contextwright.engine.run_tasks import TaskRunner
from contextwright.engine.store_manifest import store_manifest
from contextwright.render.providers import provider_named
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.counter import counter_for

LOG = logging.getLogger("contextwright.adk")
MANIFEST = "temp:_manifest_"
"""State key of the address of an agent's newest manifest, before the agent's name."""


class ContextPlugin(BasePlugin):
    """Replaces what ADK would send of a conversation by what a spec says.

    ADK's own instruction, tools and settings stay as they are, and so does what stands beside
    the conversation, such as a loaded artifact; they count against the budget.

    Args:
        specs: one for all agents, or one for each by name; agents without one are left alone: a
            spec, its text, a recipe, or any compiler with `compile(snapshot, target)`. A
            PackBuilder reads the step from the state key `plan`, the tools in scope from `tools`,
            memories from `knowledge` and ADK's MemoryService, evidence from `evidence` and ADK's
            ArtifactService.
        artifacts: where manifests are kept, each with its address in the log, and where
            `C.offload` puts tool results.
        models: who summarizes, scores and extracts; by default the embedded models.
        mirrors: where sessions are mirrored; by default shared by the process.
        window: tokens of the models' window, where a name is not known.
    """

    def __init__(
        self,
        specs: SpecLike | Mapping[str, SpecLike],
        *,
        artifacts: ArtifactStore | None = None,
        models: TaskRunner | None = None,
        mirrors: Mirrors | None = None,
        window: int | None = None,
        name: str = "contextwright",
    ) -> None:
        super().__init__(name=name)
        where = "ContextPlugin(specs)"
        self._specs: dict[str, Expr | Compiler] | None = None
        self._for_all: Expr | Compiler | None = None
        if isinstance(specs, Mapping):
            self._specs = {n: spec_or_compiler(s, f"{where}, {n}") for n, s in specs.items()}
        else:
            self._for_all = spec_or_compiler(specs, where)
        self._artifacts = artifacts
        self._supply = Supply()
        self._models = models
        self._mirrors = mirrors or MIRRORS
        self._window = window
        self._engines: dict[tuple[str, str], Engine] = {}

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Put the compiled request in place of ADK's."""
        chosen_spec = self._spec(callback_context.agent_name)
        if chosen_spec is None:
            return None
        session = self._session(callback_context)
        model = llm_request.model or ""
        engine = self._engine(callback_context.agent_name, chosen_spec, model)
        spec = engine.spec
        since = len(session.changes)
        await self._supply.fill(session, spec, callback_context)
        added = extra_contents(llm_request.contents, callback_context.session.events)
        tools = tools_of(llm_request) if plan(spec).tools is not None else ()
        counted = {tool.name for tool in tools}
        own = _own_tokens(llm_request, model, [content for content, _ in added], counted)
        pack = await engine.acompile(session, reserved_system=own, tools=tools)
        write_changes(session, since, callback_context.state)
        publish(pack, callback_context.agent_name, callback_context.state)
        self._keep(pack, callback_context)
        if pack.manifest.tools is not None:
            keep_only(llm_request, pack.manifest.tools.sent)
        request = pack.request
        contents = [types.Content.model_validate(one) for one in request["contents"]]
        llm_request.contents = put_extra_contents(contents, added)
        instruction = request.get("config", {}).get("system_instruction")
        if instruction:
            llm_request.append_instructions([_text(instruction)])
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Learn from the bill how the provider counts tokens."""
        usage = llm_response.usage_metadata
        if usage is not None and usage.prompt_token_count and not llm_response.partial:
            engine = self._newest(callback_context.agent_name)
            if engine is not None:
                engine.learn(self._session(callback_context), usage.prompt_token_count)
        return None

    async def after_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Record: notes, captured outputs."""
        if self._spec(agent.name) is None or not isinstance(agent, LlmAgent):
            return None
        session = self._session(callback_context)
        since = len(session.changes)
        engine = self._newest(agent.name)
        if engine is not None:
            await engine.arecord(session)
        write_changes(session, since, callback_context.state)
        return None

    def _keep(self, pack: Pack, context: CallbackContext) -> None:
        """Keep the manifest, and say where, with what its events are found by."""
        if self._artifacts is None:
            return
        ref = store_manifest(pack, self._artifacts)
        context.state[MANIFEST + context.agent_name] = ref
        LOG.info(
            "%s: session %s, %d events, %d tokens",
            ref,
            pack.manifest.session_id,
            pack.manifest.position,
            pack.tokens,
        )

    def _spec(self, agent: str) -> Expr | Compiler | None:
        return self._for_all if self._specs is None else self._specs.get(agent)

    def _newest(self, agent: str) -> Engine | None:
        """The engine that compiled for this agent last."""
        engines = [engine for (name, _), engine in self._engines.items() if name == agent]
        return engines[-1] if engines else None

    def _session(self, context: CallbackContext) -> Session:
        return self._mirrors.session(
            context.session, context.state.to_dict(), VisibleEvents.of(context)
        )

    def _engine(self, agent: str, spec: Expr | Compiler, model: str) -> Engine:
        """The engine for an agent with this model; the one used last stands last."""
        engine = self._engines.pop((agent, model), None) or Engine(
            spec,
            model or "gemini",
            models=self._models,
            artifacts=self._artifacts,
            agent=agent,
            format="gemini",
            window=window_of(model, self._window),
            tools=(),
        )
        self._engines[agent, model] = engine
        return engine


MESSAGE = provider_named("gemini").renderer.overhead.message
BLOB = 258
"""Tokens of a picture that ADK adds: what Gemini counts for a tile (ai.google.dev, tokens)."""


def before_model(
    spec: SpecLike,
    *,
    artifacts: ArtifactStore | None = None,
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    window: int | None = None,
) -> Callable[..., Awaitable[LlmResponse | None]]:
    """A `before_model_callback` for one agent: the same as the plugin, for this agent only.

    What a spec writes after the turn is the plugin's: a callback before the model does not run
    then.
    """
    plugin = ContextPlugin(spec, artifacts=artifacts, models=models, mirrors=mirrors, window=window)
    return plugin.before_model_callback


def _own_tokens(
    request: LlmRequest, model: str, added: list[types.Content], counted: set[str]
) -> int:
    """Tokens of what ADK sends beside the conversation: its instruction, tools and contents.

    Args:
        counted: functions that the compile counts itself.
    """
    config = request.config
    own = [_text(config.system_instruction)] if config and config.system_instruction else []
    tools: Any = config.tools if config and config.tools else []
    own += [json.dumps(_dumped(tool, counted), sort_keys=True) for tool in tools]
    parts = [part for content in added for part in content.parts or ()]
    own += [part.text for part in parts if part.text]
    blobs = sum(BLOB for part in parts if part.inline_data or part.file_data)
    counter = counter_for(model or "gemini")
    return blobs + sum(map(counter.count, own)) + MESSAGE * len(added)


def _dumped(tool: Any, counted: set[str]) -> Any:
    if not hasattr(tool, "model_dump"):
        return {}
    dumped = tool.model_dump(mode="json", exclude_none=True)
    declared = dumped.get("function_declarations")
    if declared:
        dumped["function_declarations"] = [d for d in declared if d.get("name") not in counted]
    return dumped


def _text(instruction: Any) -> str:
    """The text of an instruction in any of the forms that the SDK takes."""
    if isinstance(instruction, str):
        return instruction
    if isinstance(instruction, list | tuple):
        items: Any = instruction
        return "\n".join(map(_text, items))
    if isinstance(instruction, Mapping):
        parts: Any = instruction.get("parts", [])  # pyright: ignore
        return "\n".join(str(part.get("text", "")) for part in parts)
    parts = getattr(instruction, "parts", None)
    if parts is not None:
        return "\n".join(part.text or "" for part in parts)
    return str(getattr(instruction, "text", "") or "")
