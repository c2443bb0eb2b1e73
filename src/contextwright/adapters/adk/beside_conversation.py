"""What ADK's request has beside the conversation, and the compiled one put in its place."""

from typing import NamedTuple

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from contextwright.adapters.adk.extra_contents import put_extra_contents
from contextwright.adapters.adk.own_parts import added_tokens, clean_own_parts, own_tokens, text_of
from contextwright.adapters.adk.scope import keep_only, tools_of
from contextwright.compiler.of_body import redaction_of
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.engine.default_spec import in_shares, limit_of
from contextwright.engine.engine import Engine
from contextwright.session.event import Tool
from contextwright.session.session import Session


class OwnParts(NamedTuple):
    """What ADK's request has beside the conversation.

    Args:
        added: contents, each with its place.
        tools: those in the spec's scope.
        tokens: of all else, in whole shares of the limit where it comes and goes.
    """

    added: list[tuple[types.Content, int]]
    tools: tuple[Tool, ...]
    tokens: int


def own_parts(
    engine: Engine,
    session: Session,
    request: LlmRequest,
    added: list[tuple[types.Content, int]],
) -> OwnParts:
    """What ADK's request has beside the conversation, redacted as the spec says.

    Args:
        added: its contents there, each with how many of the conversation follow it.
    """
    planned = plan(engine.spec, session.state, engine.ports)
    redaction = redaction_of(planned)
    if redaction.cleaners:
        added = clean_own_parts(request, added, redaction)
    tools = tools_of(request)
    if planned.tools is None:  # then ADK's stay as they are, and one tells whether refs can be read
        tools = tuple(tool for tool in tools if tool.name == engine.target.reader)
    counted = {tool.name for tool in tools}
    model = request.model or ""
    extra = added_tokens([content for content, _ in added], model)
    limit = limit_of(engine.spec, engine.target)
    return OwnParts(added, tools, own_tokens(request, model, counted) + in_shares(extra, limit))


def put(
    pack: Pack,
    request: LlmRequest,
    added: list[tuple[types.Content, int]],
    again: bool = False,
) -> None:
    """Put what was compiled into ADK's request; `again` has its instruction already."""
    policy = pack.manifest.tools
    if policy is not None and policy.rule == "step-only":
        keep_only(request, policy.sent)
    contents = [types.Content.model_validate(one) for one in pack.request["contents"]]
    request.contents = put_extra_contents(contents, added)
    # the provider's own memory of the conversation would stand beside it, uncompiled
    request.previous_interaction_id = None
    instruction = pack.request.get("config", {}).get("system_instruction")
    if instruction and not again:
        request.append_instructions([text_of(instruction)])
