"""What a receipt says of the spec, the receiver, the tools and the state: the same from request to
request, while none of them moves."""

from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from contextwright.blocks.read_back_tools import is_read_back
from contextwright.compiler.assemble import Assembled
from contextwright.compiler.manifest import ToolPolicy, Unrendered
from contextwright.compiler.of_body import unrendered_parameters
from contextwright.compiler.plan import Plan
from contextwright.compiler.unrendered import unrendered_tools
from contextwright.memo.by_identity import NEWEST, same_objects
from contextwright.render.message_layout import Layout
from contextwright.render.target import Target
from contextwright.render.wire import scrubbed
from contextwright.session.event import Tool
from contextwright.session.state import State
from contextwright.spec.codec import to_data
from contextwright.spec.expr import Expr
from contextwright.spec.memo import Memo
from contextwright.spec.terminal import ModelWindow

_FACTS = "lasting facts"


class LastingFacts(NamedTuple):
    """The facts of some objects, none of which changes. Those of a receiver that holds a session's
    log are not kept.

    Args:
        fields: of the manifest. spec: as JSON.
        unrendered: tools and parameters that the receiver can not be sent.
    """

    objects: tuple[object, ...]
    limit: int
    fields: dict[str, Any]
    spec: bytes
    unrendered: tuple[Unrendered, ...]

    def copy(self) -> dict[str, Any]:
        """The fields of a manifest, for nobody else to write into."""
        renamed = {**self.fields["renamed_tools"]}
        spec = msgspec.json.decode(self.spec)
        return {**self.fields, "renamed_tools": renamed, "spec": spec}


def lasting_facts(
    spec: Expr,
    planned: Plan,
    target: Target,
    assembled: Assembled,
    layout: Layout,
    state: State,
    limit: int,
    memo: Memo,
) -> LastingFacts:
    """What of a manifest goes by these alone.

    Args:
        limit: tokens of the whole request.
    """
    known: LastingFacts | None = memo.newest(_FACTS)
    tools = (assembled.tools, assembled.available, assembled.unsent_tools, layout.tools)
    # by which objects they are: those of equal specs may differ, such as of 1 and 1.0
    about = (spec, planned, target, state, *map(len, tools), *chain.from_iterable(tools))
    if known is not None and known.limit == limit and same_objects(known.objects, about):
        return known
    fields = {
        **_of_target(target),
        **_of_tools(planned, target, assembled, layout),
        "state_version": state.version,
        "state_digest": _state_digest(state, memo),
        "budget": limit,
        "soft_threshold": (planned.terminal or ModelWindow()).due_at(limit),
        "overflow": planned.terminal.label if planned.terminal is not None else "",
    }
    data, fields["spec_hash"] = _spec_data(spec, memo)
    unrendered = (*unrendered_tools(assembled, target), *unrendered_parameters(target))
    made = LastingFacts(about, limit, fields, data, unrendered)
    if target.sources is None:
        memo.table(_FACTS)[NEWEST] = made
    return made


def _of_target(target: Target) -> dict[str, Any]:
    return {
        "model": target.model,
        "format": target.format,
        "window": target.window,
        "reserved_output": target.reserved_output,
        "reserved_system": target.reserved_system,
        "response_format": target.response_format,
        "cache": target.cache,
        "overrides": tuple(sorted(target.overrides)),
        "counter": target.counter.id,
        "counter_factor": target.counter.factor,
        "counter_exact": target.counter.exact,
        "read_back": target.read_back,
    }


def _of_tools(
    planned: Plan, target: Target, assembled: Assembled, layout: Layout
) -> dict[str, Any]:
    return {
        "tools_digest": tools_digest(assembled.available),
        "renamed_tools": _renamed_tools(layout, target),
        "tools": _policy(planned, target, assembled),
    }


def _renamed_tools(layout: Layout, target: Target) -> dict[str, str]:
    """The name in the request to the name that a tool was given, where a provider's rules
    changed it: what the model calls, and what it means."""
    draft = target.provider.renderer.draft()
    sent = ((draft.name(tool.name), tool.name) for tool in layout.tools)
    return {name: original for name, original in sent if name != original}


def _policy(planned: Plan, target: Target, assembled: Assembled) -> ToolPolicy | None:
    clean = planned.clean_id
    names = tuple(clean(tool.name) for tool in assembled.available)
    if not names or not target.takes_messages:
        return None
    sent = tuple(tool.name for tool in assembled.tools)
    rule = "step-only" if planned.tools is not None else "all"
    return ToolPolicy(rule, sent, tuple(name for name in names if name not in sent))


def tools_digest(tools: tuple[Tool, ...]) -> str:
    """sha256 of the schemas of the agent's own tools."""
    own = tuple(tool for tool in tools if not is_read_back(tool))
    plain = scrubbed(msgspec.to_builtins(own))
    return sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()


def _state_digest(state: State, memo: Memo) -> str:
    """sha256 of a state, worked out once while it stays."""
    table = memo.table("state digest")
    known: tuple[State, str] | None = table.known("")
    if known is None or known[0] is not state:
        values = msgspec.json.encode(dict(state), order="sorted")
        known = table[""] = state, sha256(values).hexdigest()
    return known[1]


def _spec_data(spec: Expr, memo: Memo) -> tuple[bytes, str]:
    """A spec as JSON data, and its sha256."""
    table = memo.table("spec data")
    # by which object it is: those of equal specs may differ, such as of 1 and 1.0
    known: tuple[Expr, bytes, str] | None = table.known("")
    if known is None or known[0] is not spec:
        data = to_data(spec)
        hashed = sha256(msgspec.json.encode(data, order="sorted")).hexdigest()
        known = table[""] = spec, msgspec.json.encode(data), hashed
    return known[1], known[2]
