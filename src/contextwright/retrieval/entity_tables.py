"""What a conversation is about and what was settled in it: two tables by rules, no model.

Every row says where it is from, and is an `Item` like any other, so that a search finds it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from contextwright.retrieval.item import Item
from contextwright.text.search_terms import STOP
from contextwright.text.sentences import sentences

LEAST = 2
"""Times that a name is said before it counts as one."""
SHOWN = 8
"""Sources that the text of a row names; the row has them all."""
MOST = 200
"""Rows of a table of entities."""
QUOTED = 200
"""Characters of a sentence that a row quotes."""
LONGEST = 400
"""Characters of a sentence that can be a decision; longer ones are pasted text."""

_UNIT = (
    r"(?:%|percent\b|[kKMGT]i?B\b|ms\b|seconds?\b|minutes?\b|hours?\b|days?\b|weeks?\b|months?\b|"
    r"years?\b|km\b|kg\b|cm\b|mm\b|miles?\b|tokens?\b|USD\b|EUR\b|GBP\b|dollars?\b|euros?\b|"
    r"people\b|users?\b|items?\b|pages?\b)"
)
IDENTIFIER = (
    # half of all ends of words begin none, and most words are plain: letters of one hump, or digits
    r"\b(?=\w)(?!(?:[A-Za-z][a-z]*+|\d++)(?![\w.-]))(?:[A-Za-z][^\W_]*+_\w+|[a-z]++(?:[A-Z][a-z0-9]++)+|(?:[A-Z][a-z0-9]++){2,}"
    r"|[A-Za-z]++-?\d[\w-]*|\w++(?:\.\w++){0,8}\.(?:py|js|ts|md|json|ya?ml|toml|sql|html|css|go|rs)"
    r"|v?\d++\.\d++\.\d+)\b"
)
"""The expression of one that stands in no backquotes."""
SORTS = (
    ("url", re.compile(r"\bhttps?://[^\s<>\"'`)\]]+[^\s<>\"'`)\].,;:!?]")),
    ("email", re.compile(r"\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+\b")),
    ("path", re.compile(r"(?<![\w/:.-])(?:~|\.{1,2})?(?:/?[\w.-]+)?(?:/[\w.@-]*\w)+/?")),
    (
        "amount",
        re.compile(
            # most digits stand in a word, and are asked for that first
            rf"[$€£¥\d](?:(?<!\w\d)(?<=\d)(?<!\d[.,]\d)[\d.,]*+\s?{_UNIT}"
            r"|(?<=[$€£¥])\s?\d[\d.,]*\d?[kKmM]?\b)"
        ),
    ),
    (
        "identifier",
        re.compile(rf"`([^`\n]{{2,60}})`|{IDENTIFIER}"),
    ),
    (
        "name",
        re.compile(r"\b[A-Z][a-z\u00df-\u024f]+(?:[ -](?:of |de |van )?[A-Z][\w\u00c0-\u024f]+)*"),
    ),
)
_STARTS = re.compile(r"(?:^|[.!?:\n]\s*|[-*#>\u2022\"'(]\s*)$")
"""What comes before a capital that any sentence has."""
_DECIDED = re.compile(
    r"\b(?:(?:we|i|they|he|she|you|team|everyone|all|both|group|board|committee)(?:'ve|'d"
    r"| have| had| has| all| both| finally| just| then| also)*\s+(?:decided|agreed|chose"
    r"|concluded|settled|opted|resolved|approved|voted|picked|selected)\b"
    r"|(?:it|this|that|which) (?:was|is|has been) (?:decided|agreed|settled|approved)\b"
    r"|(?:was|were|is|are|been) (?:agreed|decided) (?:on|upon|to|that)\b"
    r"|(?:let's|let us|we(?:'ll| will| are going to|'re going to)) (?:go with|go for|use"
    r"|stick with|adopt|settle on|switch to|keep)\b"
    r"|(?:decision|conclusion|agreement|resolution)(?: is| was|:)"
    r"|(?:decided|agreed) (?:to|that|on|against)\b)",
    re.IGNORECASE,
)
_LOWER = re.compile(r"(?<![\w/._`-])[a-z\u00df-\u024f]{3,}(?![\w/_`-])")
_FENCES = ("```", "~~~")
_OPEN = re.compile(
    r"\b(?:(?:not|n't|never|haven't|hasn't|yet to)\s+(?:\w+\s+)?(?:decided|agreed|chose|chosen|"
    r"settled|approved)|if we|should we|whether we|before we decide|once we decide|undecided)\b",
    re.IGNORECASE,
)
"""What is still open is no decision."""


class Entity(msgspec.Struct, frozen=True):
    """Something that is spoken of more than once.

    Args:
        sort: url, email, path, amount, identifier or name.
        sources: ids of the items that say it, in their order.
    """

    name: str
    sort: str
    times: int
    sources: tuple[str, ...]
    sentence: str

    def item(self) -> Item:
        """The row as something that can be found."""
        more = f" and {len(self.sources) - SHOWN} more" if len(self.sources) > SHOWN else ""
        where = ", ".join(self.sources[:SHOWN]) + more
        text = f"{self.name} ({self.sort}), {self.times} times, in {where}: {self.sentence}"
        return Item(f"entity:{self.name.casefold()}", text, "entity")


class Decision(msgspec.Struct, frozen=True):
    """A sentence that settles something.

    Args:
        place: its place among the decisions of that item, from 1.
        time_ms: when, in milliseconds since 1970, where that is known.
    """

    text: str
    source: str
    place: int = 1
    role: str = ""
    time_ms: int | None = None

    def item(self) -> Item:
        """The row as something that can be found."""
        who = f"{self.role}, " if self.role else ""
        return Item(
            f"decision:{self.source}:{self.place}",
            f"Decided ({who}{self.source}): {self.text}",
            "decision",
            time_ms=self.time_ms,
        )


def entities(items: Iterable[Item], *, least: int = LEAST, most: int = MOST) -> list[Entity]:
    """What the items speak of, what most of them speak of first; equals by name.

    Args:
        least: how often a thing is said before it counts.
    """
    entries: dict[str, _Mentions] = {}
    lower: Counter[str] = Counter()
    for item in items:
        for sentence in sentences(item.text):
            if sentence.startswith(_FENCES):
                continue
            lower.update(_LOWER.findall(sentence))
            for name, sort, sure in _named(sentence):
                entry = entries.setdefault(name.casefold(), _Mentions(name, sort, sentence))
                entry.times += 1
                entry.sure += sure
                if entry.sources[-1:] != [item.id] and item.id not in entry.sources:
                    entry.sources.append(item.id)
    rows = [
        Entity(entry.name, entry.sort, entry.times, tuple(entry.sources), entry.sentence[:QUOTED])
        for key, entry in entries.items()
        # a name is not a word that starts sentences, or that is written small as often
        if entry.times >= least and entry.sure * 3 >= entry.times and lower[key] * 2 < entry.times
    ]
    rows.sort(key=lambda row: (-len(row.sources), -row.times, row.name.casefold()))
    return rows[:most]


def decisions(items: Iterable[Item]) -> list[Decision]:
    """Decisions in the order of the texts; no questions, nothing that is still open."""
    entries: list[Decision] = []
    for item in items:
        place = 0
        for sentence in sentences(item.text):
            if len(sentence) > LONGEST or sentence.endswith("?"):
                continue
            if _DECIDED.search(sentence) and not _OPEN.search(sentence):
                place += 1
                entries.append(Decision(sentence, item.id, place, item.role, item.time_ms))
    return entries


def tables(items: Sequence[Item]) -> list[Item]:
    """Both tables as items, to be added to an index next to their sources."""
    return [row.item() for row in (*entities(items), *decisions(items))]


class _Mentions:
    def __init__(self, name: str, sort: str, sentence: str) -> None:
        self.name, self.sort, self.sentence = name, sort, sentence
        self.times = 0
        self.sure = 0
        self.sources: list[str] = []


def _named(sentence: str) -> list[tuple[str, str, bool]]:
    """(name, sort, whether it is surely one) of a sentence, in its order, none inside another."""
    taken: list[tuple[int, int, str, str, bool]] = []
    for sort, pattern in SORTS:
        for match in pattern.finditer(sentence):
            start, end = match.span()
            if any(start < other_end and end > other for other, other_end, *_ in taken):
                continue
            name = str(match[1] or match[0] if pattern.groups else match[0])
            if sort == "name":
                while (first := name.partition(" "))[0].casefold() in STOP and first[2]:
                    name, start = first[2], start + len(first[0]) + 1
                sure = not _STARTS.search(sentence[:start]) or " " in name
                if name.casefold() in STOP or len(name) < 3:
                    continue
            else:
                sure = True
            taken.append((start, end, name.strip(), sort, sure))
    return [(name, sort, sure) for _, _, name, sort, sure in sorted(taken)]
