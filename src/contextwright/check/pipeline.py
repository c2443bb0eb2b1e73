"""A pipeline as the checker sees it: agents in turn, and branches by the value of a key."""

from collections.abc import Iterator

import msgspec

from contextwright.spec.expr import Expr


class AgentStep(msgspec.Struct, frozen=True, kw_only=True):
    """One agent.

    Args:
        agent: its name; empty for a spec that only writes.
        spec: what it sees; None where nothing was said.
        instruction: a text; `{key}` in it stands for a state value, `{key?}` may be missing.
        outputs: the state keys that its reply is kept under.
        model: its model; the checker's default where none is named.
        boundary: patterns of what it must not be sent, as `C.redact` names them.
        tools: the names of its tools, where they are known; a session's are known.
        read_back: whether its requests have the tools that read refs; reader: which of its own
            tools reads them.
        source: the spec as text, where it was written as one.
        wrong: what, where and how to mend it, where the spec could not be read.
    """

    agent: str
    spec: Expr | None = None
    instruction: str = ""
    outputs: tuple[str, ...] = ()
    model: str = ""
    boundary: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    read_back: bool = False
    reader: str = ""
    source: str = ""
    wrong: tuple[str, str, str] | None = None


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """One of several pipelines, by the value of a state key.

    Args:
        on: the key.
        cases: what runs for which value.
        default: what runs where no value fits.
    """

    on: str
    cases: dict[str, "Pipeline"]
    default: "Pipeline" = ()


Pipeline = tuple[AgentStep | Branch, ...]


def steps_of(pipeline: Pipeline) -> Iterator[AgentStep]:
    """Every agent, in the order in which they could run."""
    for part in pipeline:
        if isinstance(part, AgentStep):
            yield part
        else:
            for case in (*part.cases.values(), part.default):
                yield from steps_of(case)
