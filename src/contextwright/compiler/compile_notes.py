"""What a reader of a manifest should know of a compile."""

import sys
from collections.abc import Iterator

import msgspec

from contextwright.compiler.assemble import Assembled
from contextwright.compiler.plan import Plan
from contextwright.render.message_layout import Layout
from contextwright.render.renderer import Renderer
from contextwright.render.target import Target
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import Terminal


def limit_notes(terminal: Terminal | None, target: Target) -> list[str]:
    """Whether the spec allows more than the model takes: then the model's limit holds."""
    if terminal is None:
        return []
    allowed = terminal.limit(sys.maxsize)
    if not target.max_input < allowed < sys.maxsize:
        return []
    limit = f"{target.model} takes {target.max_input:,} tokens of input"
    return [f"{terminal!r} allows {allowed:,} tokens and {limit}: that is the limit"]


def tool_notes(
    planned: Plan, assembled: Assembled, target: Target, renderer: Renderer
) -> Iterator[str]:
    """That the tools take more than their cap: none is left out but by name."""
    if planned.tools_cap and target.takes_messages:
        layout = Layout(tools=assembled.tools, system=(), conversation=(), tail=())
        request = renderer.request(layout, target)
        bare = renderer.request(msgspec.structs.replace(layout, tools=()), target)
        taken = renderer.measure(request, target) - renderer.measure(bare, target)
        if taken > planned.tools_cap:
            yield (
                f"C.cap({planned.tools_cap}) is passed by {taken - planned.tools_cap:,} tokens: "
                f"{len(assembled.tools)} tools stay; C.tools(...) names those that are needed"
            )


def model_notes(inputs: Inputs, later: Inputs) -> list[str]:
    """What models did not do, and who did it instead."""
    if not (inputs.asked or later.asked or inputs.used):
        return []
    tasks = {**inputs.asked, **later.asked}
    missing = [
        f"{kind} was not prepared: done without a model"
        for kind in dict.fromkeys(task.kind for task in tasks.values())
    ]
    instead = [
        f"{answer.kind} by {answer.model}: {answer.fallback}"
        for answer in inputs.used.values()
        if answer.fallback
    ]
    notes = [f"{one.kind} by {one.model}: {one.note}" for one in inputs.used.values() if one.note]
    return missing + list(dict.fromkeys([*instead, *notes]))
