"""State keys along a pipeline: who writes them before who reads them."""

from collections.abc import Iterator

from contextwright.atoms.select.template import needed
from contextwright.check.pipeline import AgentStep, Branch, Pipeline, steps_of
from contextwright.check.report import Finding
from contextwright.compiler.plan import conditions, walk
from contextwright.session.state import FACTS_PREFIX, NOTES_PREFIX
from contextwright.spec.expr import Atom, When
from contextwright.spec.word_roles import Writer


def findings(pipeline: Pipeline, known: frozenset[str]) -> list[Finding]:
    """Keys that are read and never written before, on all paths or on some; notes that wait for
    each other; notes that nobody reads."""
    results: list[Finding] = []
    _follow(pipeline, known, known, "", results)
    return results + _circles(pipeline) + _dead_notes(pipeline) + _unwritten_notes(pipeline, known)


def written(step: AgentStep) -> tuple[str, ...]:
    """The state keys that an agent writes, notes and facts as they are stored."""
    keys = (key for atom in _words(step) for key in atom.written())
    return tuple(dict.fromkeys((*step.outputs, *keys)))


def read(step: AgentStep) -> tuple[str, ...]:
    """The state keys that an agent reads."""
    asked_of = (key for condition in _conditions(step) for key in condition.keys)
    keys = (key for atom in _words(step) for key in atom.reads())
    return tuple(dict.fromkeys((*needed(step.instruction), *asked_of, *keys)))


def before_turn(step: AgentStep) -> frozenset[str]:
    """State keys that an agent itself writes before it sees its context."""
    writers = [atom for atom in _words(step) if isinstance(atom, Writer)]
    return frozenset(key for atom in writers if atom.before_turn for key in atom.written())


def _words(step: AgentStep) -> Iterator[Atom]:
    return walk(step.spec) if step.spec is not None else iter(())


def _conditions(step: AgentStep) -> Iterator[When]:
    return conditions(step.spec) if step.spec is not None else iter(())


def _follow(
    pipeline: Pipeline,
    always: frozenset[str],
    maybe: frozenset[str],
    path: str,
    results: list[Finding],
) -> tuple[frozenset[str], frozenset[str]]:
    """State keys that are written for sure, and on some path, behind a pipeline."""
    for part in pipeline:
        if isinstance(part, Branch):
            always, maybe = _branch(part, always, maybe, path, results)
            continue
        own = before_turn(part)
        results += _unwritten(part, always | own, maybe | own, path)
        keys = frozenset(written(part))
        always, maybe = always | keys, maybe | keys
    return always, maybe


def _branch(
    branch: Branch,
    always: frozenset[str],
    maybe: frozenset[str],
    path: str,
    results: list[Finding],
) -> tuple[frozenset[str], frozenset[str]]:
    if branch.on not in maybe:
        results.append(_unwritten_key("", branch.on, f"Branch(on={branch.on!r})"))
    ends: list[tuple[frozenset[str], frozenset[str]]] = []
    for value, case in branch.cases.items():
        ends.append(_follow(case, always, maybe, f"{path}{branch.on}={value} ", results))
    ends.append(_follow(branch.default, always, maybe, f"{path}{branch.on}=... ", results))
    for_sure = frozenset.intersection(*(end[0] for end in ends))
    return for_sure, frozenset.union(*(end[1] for end in ends))


def _unwritten(
    step: AgentStep, always: frozenset[str], maybe: frozenset[str], path: str
) -> Iterator[Finding]:
    for key, where, hard in _reads(step):
        stored = {key, key.replace(NOTES_PREFIX, FACTS_PREFIX, 1)}
        if stored & always or (key.startswith(NOTES_PREFIX) and not hard):
            continue
        if not stored & maybe:
            yield _unwritten_key(step.agent, key, where, hard=hard, path=path)
        else:
            yield Finding(
                "error" if hard else "warning",
                "template-variable" if hard else "unwritten-key",
                step.agent,
                where,
                f"{key!r} is written on some paths only",
                f"write it on every path{_make_optional(key, hard)}",
            )


def _reads(step: AgentStep) -> Iterator[tuple[str, str, bool]]:
    """(key, place, whether the agent can not run without it)."""
    for key in needed(step.instruction):
        yield key, f"instruction: {{{key}}}", True
    for condition in _conditions(step):
        for key in condition.keys:
            yield key, f"C.when({condition.condition!r}, ...)", False
    for atom in _words(step):
        missing = atom.traits.missing_key
        for key in atom.reads() if missing != "normal" else ():
            yield key, repr(atom), missing == "fails"


def _unwritten_key(
    agent: str, key: str, where: str, *, hard: bool = False, path: str = ""
) -> Finding:
    """A key that nobody writes on any path.

    Args:
        hard: whether the agent can not run without it. path: the branches on the way.
    """
    way = f" (on the path {path.strip()})" if path else ""
    return Finding(
        "error",
        "template-variable" if hard else "unwritten-key",
        agent,
        where,
        f"nobody writes {key!r} before it is read{way}",
        "write it before, with outputs, C.capture or C.extract, name it as known"
        + _make_optional(key, hard),
    )


def _make_optional(key: str, hard: bool) -> str:
    return f", or write {{{key}?}}" if hard else ""


def _circles(pipeline: Pipeline) -> list[Finding]:
    """Agents whose notes wait for each other's: each reads what the other writes from it."""
    steps = list(steps_of(pipeline))
    notes = {step.agent: _notes(step) for step in steps}
    after = {
        agent: {
            other
            for other, (_, wrote) in notes.items()
            if other != agent and wrote & reads and not wrote & notes[agent][1]
        }
        for agent, (reads, _) in notes.items()
    }
    results: list[Finding] = []
    for agent in after:
        circle = _way(agent, agent, after)
        if circle and min(circle) == agent:
            shown = " → ".join([*circle, agent])
            what = f"notes wait for each other: {shown}"
            fix = "let one of them read what it needs from the state, or write to a key of its own"
            results.append(Finding("error", "circular-notes", "", shown, what, fix))
    return results


def _notes(step: AgentStep) -> tuple[frozenset[str], frozenset[str]]:
    prefixes = (NOTES_PREFIX, FACTS_PREFIX)
    reads = {key for key in read(step) if key.startswith(prefixes)}
    reads |= {key.replace(NOTES_PREFIX, FACTS_PREFIX, 1) for key in reads}
    return frozenset(reads), frozenset(k for k in written(step) if k.startswith(prefixes))


def _way(start: str, goal: str, after: dict[str, set[str]]) -> list[str]:
    """A shortest way from an agent back to itself."""
    ways = [[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        for agent in sorted(after.get(way[-1], ())):
            if agent == goal:
                return way
            if agent not in seen:
                seen.add(agent)
                ways.append([*way, agent])
    return []


def _all_words(steps: list[AgentStep]) -> Iterator[tuple[str, Atom]]:
    return ((step.agent, atom) for step in steps for atom in _words(step))


def _unwritten_notes(pipeline: Pipeline, known: frozenset[str]) -> list[Finding]:
    """Notes that no agent writes, before or after: their reader never sees any."""
    steps = list(steps_of(pipeline))
    wrote = known.union(*(written(step) for step in steps))
    results: list[Finding] = []
    for agent, atom in _all_words(steps):
        for stored in atom.reads():
            key = stored.removeprefix(NOTES_PREFIX)
            if key != stored and not {stored, FACTS_PREFIX + key} & wrote:
                what = f"nobody writes the notes {key!r}"
                fix = f"write them: C.write_notes(key={key!r}), or name them as known"
                results.append(Finding("warning", "unwritten-notes", agent, repr(atom), what, fix))
    return results


def _dead_notes(pipeline: Pipeline) -> list[Finding]:
    steps = list(steps_of(pipeline))
    reads = {key for step in steps for key in read(step)}
    results: list[Finding] = []
    for agent, atom in _all_words(steps):
        dead = [key for key in atom.written() if key.startswith(NOTES_PREFIX)]
        if dead and not reads & set(dead):
            key = dead[0].removeprefix(NOTES_PREFIX)
            what, fix = f"nobody reads the notes {key!r}", f"read them: C.notes(key={key!r})"
            results.append(Finding("warning", "dead-notes", agent, repr(atom), what, fix))
    return results
