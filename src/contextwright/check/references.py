"""Names that nobody bears: agents, authors and tags of a pipeline, and keys written in vain."""

from collections.abc import Iterable

from contextwright.check.keys import read, written
from contextwright.check.pipeline import AgentStep, Branch, Pipeline, steps_of
from contextwright.check.report import Finding
from contextwright.compiler.plan import walk
from contextwright.errors import nearest
from contextwright.session.event import ROLES
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import FACTS_PREFIX, NOTES_PREFIX
from contextwright.spec.expr import Atom

_OTHERS = frozenset({*ROLES, "agent", "model"})
"""Speakers that are no agents of a pipeline."""


def findings(
    pipeline: Pipeline, samples: list[list[Snapshot]], tagged: frozenset[str] = frozenset()
) -> list[Finding]:
    """Agents of one name, authors and tags that nobody bears, keys that are overwritten unread.

    Args:
        pipeline: all of it; of a single agent nothing is known of the others.
        samples: sessions, whose authors and tags are known too.
        tagged: tags that are set outside of the specs.
    """
    steps = list(steps_of(pipeline))
    named = [step.agent for step in steps if step.agent]
    results = _same_names(pipeline)
    sessions = [session[-1] for session in samples]
    if len(set(named)) > 1 or sessions:
        results += _authors(steps, {*named, *_OTHERS}, sessions)
        results += _tags(steps, tagged, sessions)
    _overwritten(pipeline, {}, results)
    return results


def _same_names(pipeline: Pipeline) -> list[Finding]:
    """Two agents of one name that may both run: cases of one branch exclude each other."""
    results: list[Finding] = []

    def follow(parts: Pipeline, before: frozenset[str]) -> frozenset[str]:
        for part in parts:
            if isinstance(part, Branch):
                cases = (*part.cases.values(), part.default)
                before = before.union(*(follow(case, before) for case in cases))
                continue
            if part.agent and part.agent in before:
                what = f"two agents are called {part.agent!r}: their words can not be told apart"
                fix = "give each a name of its own"
                results.append(Finding("error", "same-name", part.agent, part.agent, what, fix))
            before |= {part.agent} - {""}
        return before

    follow(pipeline, frozenset())
    return results


def _authors(steps: list[AgentStep], known: set[str], sessions: list[Snapshot]) -> list[Finding]:
    spoke = known | {event.speaker for session in sessions for event in session.log}
    results: list[Finding] = []
    for agent, atom in _words(steps):
        wanted = (getattr(atom, "author", "") or "", *getattr(atom, "not_authors", ()))
        for author in wanted:
            if author and author not in spoke:
                what = f"nobody is called {author!r}: this selects nothing of it"
                fix = nearest(author, sorted(spoke - _OTHERS) or ["user"])
                results.append(Finding("warning", "unknown-author", agent, repr(atom), what, fix))
    return results


def _tags(
    steps: list[AgentStep], tagged: frozenset[str], sessions: list[Snapshot]
) -> list[Finding]:
    results: list[Finding] = []
    for agent, atom in _words(steps):
        tag = getattr(atom, "tag", "") or ""
        in_samples = any(one.positions("tag", tag) for one in sessions) if tag else False
        if tag and tag not in tagged and not in_samples:
            what = f"nobody sets the tag {tag!r}: this selects nothing"
            fix = f"record(session, S.tag({tag!r})), or Event(tags=({tag!r},))"
            results.append(Finding("warning", "unknown-tag", agent, repr(atom), what, fix))
    return results


def _words(steps: list[AgentStep]) -> Iterable[tuple[str, Atom]]:
    return ((s.agent, atom) for s in steps if s.spec is not None for atom in walk(s.spec))


def _overwritten(
    pipeline: Pipeline, unread: dict[str, str], results: list[Finding]
) -> dict[str, str]:
    """State keys that nobody read since they were written, with who wrote them."""
    for part in pipeline:
        if isinstance(part, Branch):
            unread = {key: who for key, who in unread.items() if key != part.on}
            cases = (*part.cases.values(), part.default)
            ends = [_overwritten(case, dict(unread), results) for case in cases]
            unread = {k: who for k, who in ends[0].items() if all(k in end for end in ends)}
            continue
        for key in read(part):
            unread.pop(key, None)
        for key in written(part):
            if key.startswith((NOTES_PREFIX, FACTS_PREFIX)):
                continue
            if key in unread and unread[key] != part.agent:
                what = f"{key!r} of {unread[key]} is overwritten before anybody reads it"
                fix = f"give one of them another key, or let {part.agent or 'it'} read it first"
                results.append(Finding("warning", "overwritten-key", part.agent, key, what, fix))
            unread[key] = part.agent
    return unread
