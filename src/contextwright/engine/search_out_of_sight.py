"""What of a session a request does not show, by the words of a query: refs with passages."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from contextwright.blocks.provider_runs import provider_runs
from contextwright.blocks.read_back_tools import is_reading
from contextwright.blocks.ref import Ref, event_ref
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.plan import Plan
from contextwright.engine.prepare import memo_of
from contextwright.errors import ContextwrightError
from contextwright.memo.ownership import remembering
from contextwright.retrieval.bm25 import BM25
from contextwright.retrieval.query_weights import query_terms, with_synonyms
from contextwright.retrieval.stems import stems
from contextwright.session.event import Event, Text, ToolCall
from contextwright.session.exchange import Exchange
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import NOTES_PREFIX
from contextwright.tasks.plan_step import EVIDENCE
from contextwright.tasks.proofs import listed_proofs
from contextwright.text.cut import cut

PASSAGE = 1_500
"""Characters of a passage: what is scored, and shown, as one."""
SHOWN = 20
"""Passages that are looked at to fill an answer, at most."""
PER_PASSAGE = 160
"""Tokens of a passage that is shown."""


_FOOT = re.compile(r"\n\[\d+ of \d+ passages; \w+\(ref, lines\) reads on\]\Z")
"""The last line of what a search gave."""


class Passage(msgspec.Struct, frozen=True, gc=False):
    """A part of what a ref names.

    Args:
        order: the exchange that it is of; -1 for notes and artifacts.
        lines: its lines in what the ref names, such as `10-40`; empty where it is all of it, or
            the ref names more than this text.
        kind: who said it, or which tool gave it.
    """

    ref: str
    order: int
    lines: str
    kind: str
    text: str


class _Index:
    """The passages of a log, and their words; what is new is added when it is searched."""

    def __init__(self) -> None:
        self.rows = BM25()
        self.passages: list[Passage] = []
        self.upto = 0

    def follow(self, snapshot: Snapshot, clean: Callable[[str], str]) -> None:
        """Take in the exchanges that have come. The newest waits: results may still come."""
        stop = max(self.upto, snapshot.exchange_count - 1)
        for exchange in snapshot.exchanges(self.upto, stop):
            for passage in _of_exchange(exchange, clean):
                _add(self.rows, self.passages, passage)
        self.upto = stop


_INDEXES: WeakKeyDictionary[Log, dict[str, _Index]] = WeakKeyDictionary()
"""By log and by what is redacted."""


class Sight(NamedTuple):
    """A session, and what of it the model was shown last.

    Args:
        read: the text behind a ref.
        planned: has what is redacted.
    """

    snapshot: Snapshot
    seen: Manifest
    read: Callable[[str], str]
    planned: Plan


def found_out_of_sight(
    query: str, sight: Sight, count: Callable[[str], int], max_tokens: int, *, expand: str
) -> str:
    """Refs with passages that share the query's words, best first, as text for a model; what it
    sees whole is not looked for.

    Args:
        max_tokens: of the answer. expand: the name of the tool that reads refs.
    """
    snapshot, seen, read, planned = sight
    by_redaction = _INDEXES.setdefault(snapshot.log, {})
    index = by_redaction.setdefault(repr(planned.redactions), _Index())
    with remembering(memo_of(snapshot.log)):  # a word is taken apart once, not where it stands
        index.follow(snapshot, planned.clean)
    stop = snapshot.exchange_count  # the index may have seen more than an older snapshot
    whole = {block.order for block in seen.kept if block.fidelity == "raw" and block.order >= 0}
    in_sight = {block.ref for block in seen.kept if block.fidelity == "raw" and block.ref}
    weights = with_synonyms(dict.fromkeys(query_terms(query), 1.0))
    scored = [
        (score, index.passages[row])
        for row, score in index.rows.scores(weights).items()
        if index.passages[row].order < stop and index.passages[row].order not in whole
    ]
    scored += _scored_state(snapshot, read, planned.clean, in_sight, weights)
    scored.sort(key=lambda pair: (-pair[0], -pair[1].order, pair[1].ref, pair[1].lines))
    return _listed(
        frozenset(weights), [passage for _, passage in scored], count, max_tokens, expand
    )


def _listed(
    words: frozenset[str],
    passages: list[Passage],
    count: Callable[[str], int],
    max_tokens: int,
    expand: str,
) -> str:
    """The passages that fit, each with its ref."""
    if not passages:
        return "Nothing out of sight shares a word with this query."
    # as `_FOOT` finds it: what was found once is not found again where it was listed
    foot = f"[{{}} of {len(passages)} passages; {expand}(ref, lines) reads on]"
    left = max_tokens - count(foot) - 4
    shown: list[str] = []
    for passage in passages[:SHOWN]:
        where = f"{passage.ref} lines {passage.lines}" if passage.lines else passage.ref
        head = f"{where} ({passage.kind}): "
        room = min(PER_PASSAGE, left - count(head) - 2)
        if room < 8:
            break
        item = head + cut(_from_best_line(passage.text, words), room, "head", count, "\u2026")
        shown.append(item)
        left -= count(item) + 1
    return "\n".join((*shown, foot.format(len(shown))))


def _from_best_line(text: str, words: frozenset[str]) -> str:
    """A passage from its line on that has most of the words, on one line."""
    lines = text.split("\n")
    hits = [len(words.intersection(stems(line))) for line in lines]
    return " ".join(" ".join(lines[hits.index(max(hits)) :]).split())


def _add(rows: BM25, passages: list[Passage], passage: Passage) -> None:
    terms = stems(f"{passage.kind} {passage.text}")
    rows.add(len(passages), terms, len(terms))
    passages.append(passage)


def _scored_state(
    snapshot: Snapshot,
    read: Callable[[str], str],
    clean: Callable[[str], str],
    in_sight: set[str],
    weights: dict[str, float],
) -> Iterator[tuple[float, Passage]]:
    """Notes and artifacts: they change, so they are read each time."""
    refs = {
        str(Ref("state", key)): "notes" for key in snapshot.state if key.startswith(NOTES_PREFIX)
    }
    for proof in listed_proofs(snapshot.state.get(EVIDENCE)):
        refs[proof.uri] = proof.tool or "artifact"
    rows, passages = BM25(), list[Passage]()
    for ref, kind in refs.items():
        if ref in in_sight and kind == "notes":
            continue
        try:
            text = clean(read(ref))
        except ContextwrightError:
            continue  # what can not be read can not be found
        for passage in _passages(ref, -1, kind, text):
            _add(rows, passages, passage)
    for row, score in rows.scores(weights).items():
        yield score, passages[row]


def _of_exchange(exchange: Exchange, clean: Callable[[str], str]) -> Iterator[Passage]:
    """What was said and given in an exchange; what was read back stands where it is from."""
    for place, call in enumerate(exchange.calls):
        result = exchange.results.get(call.id)
        if result is not None and not is_reading(call) and not _FOOT.search(result.text):
            ref = event_ref(exchange.first.id, place)
            yield from _passages(ref, exchange.index, clean(call.name), clean(result.text))
    for event in exchange.events:
        if event.role != "system":
            yield from _words_of(event, exchange.index, clean)


def _words_of(event: Event, order: int, clean: Callable[[str], str]) -> Iterator[Passage]:
    ref = event_ref(event.id)
    only_text = all(isinstance(part, Text) for part in event.parts)
    for passage in _passages(ref, order, clean(event.speaker), clean(event.text)):
        yield passage if only_text else msgspec.structs.replace(passage, lines="")
    for call in event.calls:
        if not is_reading(call):
            yield from _arguments(call, ref, order, clean)
    for call, result in provider_runs(event.parts):
        yield from _arguments(call, ref, order, clean)
        gave = clean(result.text) if result is not None else ""
        for passage in _passages(ref, order, clean(call.name), gave):
            yield msgspec.structs.replace(passage, lines="")


def _arguments(
    call: ToolCall, ref: str, order: int, clean: Callable[[str], str]
) -> Iterator[Passage]:
    for passage in _passages(ref, order, f"call of {clean(call.name)}", clean(call.arguments)):
        yield msgspec.structs.replace(passage, lines="")


def _passages(ref: str, order: int, kind: str, text: str) -> Iterator[Passage]:
    """A text in passages that end at lines where lines are short."""
    first, taken, number = 1, list[str](), 0
    size = 0
    for number, line in enumerate(text.split("\n"), 1):
        if taken and size + len(line) > PASSAGE:
            yield Passage(ref, order, f"{first}-{number - 1}", kind, "\n".join(taken))
            first, taken, size = number, [], 0
        if len(line) > PASSAGE:
            for at in range(0, len(line), PASSAGE):
                yield Passage(ref, order, str(number), kind, line[at : at + PASSAGE])
            first = number + 1
            continue
        taken.append(line)
        size += len(line) + 1
    if "".join(taken).strip():
        yield Passage(ref, order, f"{first}-{number}" if first > 1 else "", kind, "\n".join(taken))
