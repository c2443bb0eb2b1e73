"""What a spec shortens and the model can read nowhere: its originals are kept behind refs, and no
tool of the request reads one."""

from contextwright.check.pipeline import AgentStep
from contextwright.check.report import Finding
from contextwright.compiler.change import Change
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import Plan, walk
from contextwright.spec.expr import Atom
from contextwright.spec.kind import Verb
from contextwright.spec.terminal import Refuse, Terminal

_LOWERED = {"compacted", "truncated", "summarized", "placeholder"}
"""What a receipt says of what was shortened."""


def findings(step: AgentStep, planned: Plan | None, packs: list[Pack]) -> list[Finding]:
    """A warning where an agent with tools is shown short forms that none of the tools can expand.

    Measured in the packs where there are some; else told from the spec, if the agent's tools are
    known.
    """
    if planned is None or step.read_back:
        return []
    what = _measured(packs) if packs else _possible(step, planned)
    if not what:
        return []
    fix = "Engine(..., read_back=True) adds tools that read them, or reader='YOUR_TOOL' names one"
    return [Finding("warning", "dangling-ref", step.agent, repr(step.spec), what, fix)]


def _measured(packs: list[Pack]) -> str:
    """What requests with tools had in short, with no tool among them that reads the whole."""
    hidden = [pack.manifest for pack in packs if _has_tools(pack) and not pack.manifest.shows_refs]
    shortened = max((_shortened(manifest.changes) for manifest in hidden), default=0)
    if not shortened:
        return ""
    return f"{shortened} messages of a request were shortened, and none of its tools reads refs"


def _has_tools(pack: Pack) -> bool:
    return pack.manifest.tools is not None and bool(pack.manifest.tools.sent)


def _shortened(changes: tuple[Change, ...]) -> int:
    return sum(one.exchanges for one in changes if one.ref and one.action in _LOWERED)


def _possible(step: AgentStep, planned: Plan) -> str:
    """The word whose short forms nothing could expand, by the spec and the names of the tools."""
    scope = planned.tools
    scoped = tuple(getattr(scope, "names", ())) if scope is not None else ()
    tools = scoped or step.tools
    if not tools or step.reader in tools:
        return ""
    shortens = next((atom for atom in walk(planned.body) if _may_shorten(atom)), None)
    atom = shortens or (planned.terminal if _may_shorten(planned.terminal) else None)
    if atom is None:
        return ""
    if step.reader:
        return f"{atom!r} shortens, and {step.reader!r}, which reads refs, is none of the tools"
    return f"{atom!r} shortens, and none of the tools reads what it shortened"


def _may_shorten(atom: Atom | None) -> bool:
    if isinstance(atom, Terminal):
        return any(not isinstance(stage, Refuse) for stage in atom.stages)
    return atom is not None and atom.verb is Verb.COMPRESS
