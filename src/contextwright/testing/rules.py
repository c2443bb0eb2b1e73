"""The rules of every compile, each with a name that a violation says and a reader can grep.

A rule is a function of a `Case`, one compiled session, that yields where it is broken. It reads
the session and the request; of the manifest only what the rule is about.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

import msgspec

from contextwright.blocks.minified_results import WHY
from contextwright.compiler.change import Change
from contextwright.compiler.lineage_ranges import written_out
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import Plan, plan
from contextwright.compiler.replay_pack import replay
from contextwright.engine.one_call import compile
from contextwright.errors import ContextwrightError
from contextwright.render.providers import provider_named
from contextwright.render.target import Target
from contextwright.session.exchange import Exchange
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.codec import from_json, to_json
from contextwright.spec.expr import Expr
from contextwright.stores.refs import Refs
from contextwright.tasks.payload import TITLE
from contextwright.testing.oracle import Protected, protected, texts_of
from contextwright.testing.sent import SentPart, sent_parts, strings
from contextwright.text.json_rows import minimal

REF = re.compile(r"(?:event|artifact|state)://[^\s\"'\])>,]+")
HALF_REF = re.compile(r"(?<![a-z])://[^\s\"'\])>,]+|\bevent:/?(?!/)e?\d+#?")
"""What is left of a ref that was cut through."""
SECTION = re.compile(r"<context_block\b.*?</context_block>", re.DOTALL)
MARK = re.compile(r"\bU\d+ ")
"""Begins every user message of the sessions of `rule_sessions`."""
SHORT = 12
"""Characters up to which a text may stand in a request by chance."""
FRAMING_SHARE = 4
"""The task framing stays whole up to a quarter of the budget."""


class Case(msgspec.Struct, frozen=True, eq=False):
    """One compile: the session and the spec that went in, the pack that came out.

    Args:
        before: digest of the log, the state and the spec's text before the compile.
    """

    session: Session
    spec: Expr
    target: Target
    pack: Pack
    before: tuple[object, ...]

    @property
    def planned(self) -> Plan:
        """The spec as the state has its conditions."""
        return _planned(self.spec, self.session.snapshot())

    @property
    def texts(self) -> list[str]:
        """Every text of the request."""
        return list(strings(self.pack.request))

    @property
    def parts(self) -> list[SentPart]:
        """The parts of the request."""
        return sent_parts(self.pack)

    def holds(self, text: str) -> bool:
        """Whether the request holds a text byte for byte, but for what the spec redacts, or as the
        JSON that it is without blanks where the receipt says so; where it may not, it is said
        to."""
        planned = self.planned
        whole = planned.clean(text)
        for redaction in planned.every_redaction:
            text = redaction.cleaned(text, planned.ports)
        # a term that redacts brings its own text so, and another as it was
        forms = {whole.strip(), text.strip()}
        if any(change.reason == WHY for change in self.pack.manifest.changes):
            forms |= {minimal(whole), minimal(text)}
        return _is_escaped(whole) or any(form in sent for sent in self.texts for form in forms)

    def is_telling(self, text: str) -> bool:
        """Whether a text in the request proves that its event is there: it stands once in the
        session, and is long enough not to stand anywhere by chance."""
        if len(text) <= SHORT or _is_escaped(text):
            return False
        return sum(text in other for other in _session_texts(self.session.snapshot())) == 1


def _is_escaped(text: str) -> bool:
    """Whether rendering changes a text by rules.md#escaping: it imitates a section or a ref, or has
    no encoding."""
    if "context_block" in text or "[full output" in text or "<|" in text:
        return True
    return any("\ud800" <= letter <= "\udfff" or letter < " " for letter in text.strip())


@lru_cache(maxsize=64)
def _session_texts(snapshot: Snapshot) -> list[str]:
    texts = [
        text
        for exchange in snapshot.exchanges()
        for event in exchange.events
        for text in texts_of(event, exchange)
    ]
    return [*texts, *strings(dict(snapshot.state))]


@lru_cache(maxsize=64)
def _planned(spec: Expr, snapshot: Snapshot) -> Plan:
    return plan(spec, snapshot.state)


Breach = tuple[str, str]
"""The event or place where a rule is broken, and what is wrong there."""
Rule = Callable[[Case], Iterator[Breach]]

RULES: dict[str, Rule] = {}
"""Every rule by name."""


def rule(name: str) -> Callable[[Rule], Rule]:
    """Enter a rule under its name."""

    def enter(check: Rule) -> Rule:
        RULES[name] = check
        return check

    return enter


def state_of(session: Session, spec: Expr) -> tuple[object, ...]:
    """What a compile must leave as it is."""
    return (session.snapshot().digest, msgspec.json.encode(dict(session.state)), repr(spec))


@rule("provider-rules")
def _provider_rules(case: Case) -> Iterator[Breach]:
    """rules.md#provider-rules: the request satisfies its provider's own rules."""
    for problem in provider_named(case.target.format).renderer.validate(
        case.pack.request, case.target
    ):
        yield problem.where, f"{problem.rule}: {problem.what}"


@rule("within-budget")
def _within_budget(case: Case) -> Iterator[Breach]:
    """rules.md#budgets: counted over what is really sent, never more than the budget."""
    manifest = case.pack.manifest
    counted = provider_named(case.target.format).renderer.measure(case.pack.request, case.target)
    if counted != manifest.tokens:
        yield "tokens", f"expected {counted} as recounted, got {manifest.tokens}"
    if counted > manifest.budget:
        yield "budget", f"expected at most {manifest.budget} tokens, got {counted}"
    parts = manifest.fixed_tokens + sum(block.tokens for block in manifest.kept)
    if manifest.tokens != parts:
        yield "kept", f"the parts count {parts} tokens, the request has {manifest.tokens}"


@rule("exchanges-are-atomic")
def _exchanges_are_atomic(case: Case) -> Iterator[Breach]:
    """rules.md#whole-exchanges: as many results as calls, each with its own."""
    calls = [part.call_id for part in case.parts if part.kind == "call"]
    results = [part.call_id for part in case.parts if part.kind == "result"]
    for call_id in {*calls, *results}:
        if calls.count(call_id) != results.count(call_id):
            yield (
                call_id,
                f"{calls.count(call_id)} calls, {results.count(call_id)} results in the request",
            )


def _last_resort(change: Change) -> bool:
    """Whether a budget that nothing else could hold shortened what is protected, and said so."""
    return "cap what is protected" in change.step or "no room for more" in change.reason


HISTORY_RULES = frozenset({"task-framing-stays", "open-failures-stay"})
"""A spec that selects nothing of the conversation, such as `C.none()`, has its running turn."""


def _protected_rule(name: str) -> Rule:
    def check(case: Case) -> Iterator[Breach]:
        for part in protected(case.session.snapshot()):
            if part.rule == name and _applies(part, case) and not case.holds(part.text):
                yield part.event, f"not in the request: {part.text[:60]!r}"

    check.__doc__ = f"rules.md#protection: {name.replace('-', ' ')}, byte for byte."
    return check


def _applies(part: Protected, case: Case) -> bool:
    """Not to a task larger than its share, nor to what a budget had to cut."""
    if any(map(_last_resort, case.pack.manifest.changes_of(part.event, case.session))):
        return False
    if part.rule in HISTORY_RULES and not case.planned.stands_on_conversation:
        return False
    if part.rule == "task-framing-stays":
        return case.target.counter.count(part.text) * FRAMING_SHARE <= case.pack.manifest.budget
    return True


for _name in (
    "system-instruction-stays",
    "task-framing-stays",
    "newest-user-message-stays",
    "live-edge-stays",
    "pinned-stays",
    "open-failures-stay",
):
    RULES[_name] = _protected_rule(_name)


@rule("user-words-are-never-rewritten")
def _user_words_are_never_rewritten(case: Case) -> Iterator[Breach]:
    """rules.md#user-words: a user's text is in the request as it was written, or not at all."""
    if case.planned.every_redaction:
        return
    snapshot = case.session.snapshot()
    originals = [
        (event.id, text)
        for exchange in snapshot.exchanges()
        for event in exchange.events
        if event.role == "user"
        for text in texts_of(event, exchange)
    ]
    whole = _raw_conversation(case)
    for event_id, text in originals:
        if event_id in whole and not case.holds(text):
            yield event_id, f"kept as it was, yet not in the request: {text[:60]!r}"
    longest_first = sorted((text for _, text in originals), key=len, reverse=True)
    for part in case.parts:
        # a pack's sections stand in the user's message, and quote what they are made of
        if part.kind == "user" and not part.text.startswith(TITLE):
            rest = SECTION.sub("", part.text)
            for text in longest_first:
                rest = rest.replace(text, "")
            if MARK.search(rest):
                yield "user", f"the user never wrote {rest.strip()[:60]!r}"


@rule("dropped-is-not-sent")
def _dropped_is_not_sent(case: Case) -> Iterator[Breach]:
    """rules.md#manifest: nothing that is sent is called dropped."""
    sent_ids = {block.id for block in case.pack.manifest.kept}
    for change in case.pack.manifest.changes:
        if change.action != "dropped":
            continue
        if change.id in sent_ids:
            yield change.id, f"dropped by {change.step} and kept"
        for exchange in _exchanges_of(change, case):
            if exchange.first.id in sent_ids:
                yield exchange.first.id, f"in a range that {change.step} dropped, and kept"
            for event in exchange.events:
                for text in texts_of(event, exchange):
                    if case.is_telling(text) and _in_messages(case, text):
                        yield event.id, f"dropped by {change.step}, yet sent: {text[:60]!r}"


def _exchanges_of(change: Change, case: Case) -> list[Exchange]:
    """The exchanges that a change is about; none for a text."""
    snapshot = case.session.snapshot()
    position = snapshot.log.position_of(change.id)
    if position is None:
        return []
    first = snapshot.log.exchange_index(position)
    return snapshot.exchanges(first, first + change.exchanges)


def _in_messages(case: Case, text: str) -> bool:
    """Whether a message of the conversation says it; a section may quote it under its own id."""
    return any(text in SECTION.sub("", part.text) for part in case.parts)


@rule("kept-is-sent")
def _kept_is_sent(case: Case) -> Iterator[Breach]:
    """rules.md#manifest: what the manifest lists as kept and raw stands in the request."""
    if case.planned.every_redaction:
        return
    whole = _raw_conversation(case)
    snapshot = case.session.snapshot()
    for exchange in snapshot.exchanges(snapshot.preamble):
        if exchange.first.id in whole and exchange.mark != "orphan":
            for event in exchange.events:
                for text in texts_of(event, exchange):
                    if not case.holds(text):
                        yield event.id, f"kept and raw, yet not sent: {text[:60]!r}"


def _raw_conversation(case: Case) -> set[str]:
    """Ids of the blocks of the conversation that the manifest calls raw."""
    listed = case.pack.manifest.kept
    return {b.id for b in listed if b.layer == "conversation" and b.fidelity == "raw"}


@rule("nothing-leaves-in-silence")
def _nothing_leaves_in_silence(case: Case) -> Iterator[Breach]:
    """rules.md#manifest: every exchange is kept, changed, or in a range of what was not
    selected."""
    manifest, snapshot = case.pack.manifest, case.session.snapshot()
    log = snapshot.log
    named = {id for b in manifest.kept for id in (b.id, *written_out(b.lineage, log))}
    for change in manifest.changes:
        named |= {change.id, *written_out(change.lineage, log)}
        named |= {exchange.first.id for exchange in _exchanges_of(change, case)}
    for gap in manifest.left_out:
        first = snapshot.log.exchange_index(snapshot.log.position_of(gap.first) or 0)
        named |= {e.first.id for e in snapshot.exchanges(first, first + gap.exchanges)}
    for exchange in snapshot.exchanges(snapshot.preamble):
        if exchange.first.id not in named:
            yield exchange.first.id, "neither kept nor changed nor left out"


@rule("changes-say-why")
def _changes_say_why(case: Case) -> Iterator[Breach]:
    """rules.md#manifest: a change names layer, reason, tokens, and where the original is."""
    for change in case.pack.manifest.changes:
        if not (change.reason and change.layer and change.tokens_before >= 0):
            yield change.id, f"no reason or layer or tokens: {change.step}"
        if case.session.log.position_of(change.id) is not None and not change.ref:
            yield change.id, f"no ref to the event: {change.step}"


@rule("refs-resolve")
def _refs_resolve(case: Case) -> Iterator[Breach]:
    """rules.md#lineage: a ref of the request or the manifest gives what it names, and is whole."""
    refs = Refs(case.session.snapshot())
    artifacts = {str(item.get("uri", "")) for item in case.session.state.get("evidence", ())}
    shown = {ref for text in case.texts for ref in REF.findall(text)}
    for ref in sorted(shown | {change.ref for change in case.pack.manifest.changes if change.ref}):
        if ref in artifacts:
            continue
        try:
            refs.read(ref)
        except ContextwrightError as error:
            yield ref, error.what
    logged = _session_texts(case.session.snapshot())
    for half in sorted({half for text in case.texts for half in HALF_REF.findall(text)}):
        if not any(half in text for text in logged):
            yield half, "a ref was cut through"


@rule("shortening-pays")
def _shortening_pays(case: Case) -> Iterator[Breach]:
    """rules.md#it-must-pay: no block is dearer after it was shortened. A record (`schema=`) is
    asked for as such."""
    if "schema=" in repr(case.spec):
        return
    for change in case.pack.manifest.changes:
        shorter = change.action in {"compacted", "truncated", "summarized"}
        if shorter and change.tokens_after > change.tokens_before:
            yield change.id, f"{change.tokens_before} tokens became {change.tokens_after}"


@rule("trust-only-goes-down")
def _trust_only_goes_down(case: Case) -> Iterator[Breach]:
    """rules.md#trust: no text of a user, an agent, a tool or the state has the system role."""
    snapshot = case.session.snapshot()
    system = "\n".join(part.text for part in case.parts if part.kind == "system")
    if "trusted=True" not in repr(case.spec):
        for key, value in case.session.state.items():
            for text in strings(value):
                if case.is_telling(text) and text in system and text not in repr(case.spec):
                    yield f"state:{key}", f"in the system role: {text[:60]!r}"
    for exchange in snapshot.exchanges(snapshot.preamble):
        for event in exchange.events:
            for text in texts_of(event, exchange):
                if event.role != "system" and case.is_telling(text) and text in system:
                    yield event.id, f"in the system role: {text[:60]!r}"


def stored_again(session: Session) -> Session:
    """The session as it comes out of a store: nothing that compiles of it asked is known."""
    again = Session(session.id, session.log, tools=session.tools)
    for change in session.changes:
        again.restore(change)
    return again


@rule("deterministic")
def _deterministic(case: Case) -> Iterator[Breach]:
    """rules.md#same-bytes: the same bytes again, out of a stored session and a stored spec, and by
    replay."""
    again = stored_again(case.session)
    stored = from_json(to_json(case.spec))
    if compile(again, stored, target=case.target).body != case.pack.body:
        yield "request", "other bytes out of the stored session and spec"
    try:
        replayed = replay(case.pack.manifest, case.session).body
    except ContextwrightError as error:
        yield "replay", error.what
        return
    if replayed != case.pack.body:
        yield "replay", "other bytes"


@rule("reading-never-mutates")
def _reading_never_mutates(case: Case) -> Iterator[Breach]:
    """rules.md#read-only: session, state and spec are as before."""
    after = state_of(case.session, case.spec)
    for place, old, new in zip(("log", "state", "spec"), case.before, after, strict=True):
        if old != new:
            yield place, "changed by the compile"
