"""The tools that a request needs among many: by what they say of themselves, by the family they
belong to, and by what one gives that another takes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Any, cast

from contextwright.argument_types import expect_types
from contextwright.errors import SpecError
from contextwright.retrieval.features import about
from contextwright.retrieval.fuse import fused
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.stems import stems
from contextwright.retrieval.vectors import Vectorizer
from contextwright.session.event import Tool
from contextwright.text.sentences import sentences

FAMILY = 0.2
"""Weight of a family's score beside a tool's own. Of 564 tools that BFCL's requests need 509 are
among the ten best of 128 with .2, 507 with .1."""
PURPOSE = 0.3
"""Weight of the words of a tool's purpose by themselves, and of the words of the purposes that are
found first: what a tool is for counts for more than what its parameters mention. Of BFCL's tools
507 without, of 113 tools of ToolTalk's requests 52 among the three best without, 58 with it."""
WORDS = 0.5
"""Weight of a tool's words beside its purpose's vector."""
GIVES = 0.6
"""Share of a tool's score that is due to the only one that gives what it takes."""
TAKERS = 5
"""Best tools whose parameters are looked at."""
SHARED = 3
"""Tools that have a sentence in their description, for it to be about their family."""
_QUOTED = re.compile(r"""(?<!\w)(['"])(?=\S)([^\n]{0,400}?\S)\1(?!\w)|“([^”\n]{1,400})”""")
OUTPUTS = ("outputSchema", "output_schema", "response", "returns")
"""Where a definition has the schema of what a tool gives, in `Tool.extra`."""
ONE = 1_000_000


class ToolIndex:
    """Tools that are found for a request in the user's words.

    A family is the tools whose descriptions have a sentence in common (`This tool belongs to
    ...`), or whose names begin alike (`mcp__github__`). A tool needs another where a name that
    only that one gives stands in a parameter or its description, and not in the request: who
    says it has it.

    Args:
        tools: all there are; what they give is read from the output schema, where they have one.
        embedder: as of an `Index`.

    Raises:
        SpecError: something that is no tool.
    """

    def __init__(self, tools: Iterable[Tool], embedder: Vectorizer | None = None) -> None:
        expect_types("ToolIndex(tools)", SpecError, tools=(tools, Iterable))
        tools = tuple(tools)
        for tool in tools:
            expect_types("ToolIndex(tools)", SpecError, tool=(tool, Tool))
        self._names = [tool.name for tool in tools]
        described = [list(sentences(tool.description)) for tool in tools]
        counts = Counter(one for each in described for one in dict.fromkeys(each))
        common = [[one for one in each if counts[one] >= SHARED] for each in described]
        own = [[one for one in each if counts[one] < SHARED] for each in described]
        texts = ["\n".join([_text(t), *purpose]) for t, purpose in zip(tools, own, strict=True)]
        self._index = Index()
        self._index.add(Item(t.name, text, "tool") for t, text in zip(tools, texts, strict=True))
        # a vector of all that a tool takes and gives is about none of it
        self._purposes = Index(embedder)
        self._purposes.add(
            Item(t.name, f"{t.name}: {' '.join(purpose)}", "tool")
            for t, purpose in zip(tools, own, strict=True)
        )
        self._family = {
            tool.name: _family(tool, shared) for tool, shared in zip(tools, common, strict=True)
        }
        together: dict[str, list[str]] = {}
        for tool, text in zip(tools, texts, strict=True):
            together.setdefault(self._family[tool.name], []).append(text)
        self._families = Index()
        self._families.add(
            Item(name, "\n".join([name, *parts]), "tool") for name, parts in together.items()
        )
        self._needs = _needs(tools)

    def search(self, request: str, k: int = 10) -> list[str]:
        """The names of the tools that help most, the best first; of equals by their names."""
        request = self._unquoted(request)
        own = self._own_scores(request)
        scores = dict.fromkeys(self._names, 0.0) | own
        words = frozenset(stems(request))
        for taker in nsmallest(TAKERS, own, key=lambda name: (-own[name], name)):
            for giver, taken in self._needs[taker].items():
                if not all(field <= words for field in taken):
                    scores[giver] = max(scores[giver], GIVES * own[taker])
        families = {hit.item.id: hit.score for hit in self._families.search(request, ONE)}
        for name in scores:
            scores[name] += FAMILY * families.get(self._family[name], 0)
        best = [name for name in scores if scores[name] > 0]
        return nsmallest(k, best, key=lambda name: (-scores[name], name))

    def _unquoted(self, request: str) -> str:
        """A request without what it quotes, a tool's name aside: that is what a call is made with,
        and tells not which. Of all tools that BFCL's requests need, .892 were among the ten best
        with it, .895 without."""
        names = frozenset(self._names)

        def instruction(match: re.Match[str]) -> str:
            return match[0] if (match[2] or match[3]) in names else " "

        bare = _QUOTED.sub(instruction, request)
        return bare if about(bare) else request

    def _own_scores(self, request: str) -> dict[str, float]:
        """By words, and by meaning where there is an embedder, in millionths."""
        sums = {hit.item.id: float(hit.score) for hit in self._index.search(request, ONE)}
        for name, score in self._purposes.scores(request, feedback=True).items():
            sums[name] = sums.get(name, 0.0) + PURPOSE * score
        best = max(sums.values(), default=0.0)
        by_words = {name: round(score * ONE / best) for name, score in sums.items()}
        near = self._purposes.likeness(request)
        if not near:
            return {name: float(score) for name, score in by_words.items()}
        names = list(near)
        lexical = [by_words.get(name, 0) for name in names]
        both = fused(lexical, [near[name] for name in names], WORDS)
        return {name: float(score) for name, score in zip(names, both, strict=True) if score > 0}


def _text(tool: Tool) -> str:
    parts = [part for named in _fields(tool.parameters) for part in named]
    outputs = [part for named in _fields(_output(tool)) for part in named]
    return "\n".join([tool.name, *parts, *outputs])


def _output(tool: Tool) -> Any:
    return next((tool.extra[key] for key in OUTPUTS if key in tool.extra), {})


def _fields(schema: Any, depth: int = 8) -> Iterator[tuple[str, str]]:
    """Names and descriptions of a JSON Schema's properties, those within others too."""
    if not isinstance(schema, Mapping) or not depth:
        return
    node = cast("Mapping[str, Any]", schema)
    properties: Any = node.get("properties")
    if isinstance(properties, Mapping):
        for name, each in cast("Mapping[str, Any]", properties).items():
            described: Any = each.get("description") if isinstance(each, Mapping) else ""
            yield name, described if isinstance(described, str) else ""
            yield from _fields(each, depth - 1)
    yield from _fields(node.get("items"), depth - 1)


def _family(tool: Tool, shared: Sequence[str]) -> str:
    if shared:
        return "\n".join(shared)
    for sign in ("__", ".", "/", ":"):
        head, sign_there, _ = tool.name.rpartition(sign)
        if sign_there and head:
            return head
    return tool.name


def _needs(tools: Sequence[Tool]) -> dict[str, dict[str, list[frozenset[str]]]]:
    """By its name, the tools that alone give what a tool takes, and the words of that."""
    givers: dict[frozenset[str], set[str]] = {}
    for tool in tools:
        for name, _ in _fields(_output(tool)):
            givers.setdefault(frozenset(stems(name)), set()).add(tool.name)
    only = {words: next(iter(who)) for words, who in givers.items() if words and len(who) == 1}
    by_word: dict[str, list[frozenset[str]]] = {}
    for words in only:
        by_word.setdefault(min(words), []).append(words)
    needs: dict[str, dict[str, list[frozenset[str]]]] = {}
    for tool in tools:
        givers_of: dict[str, list[frozenset[str]]] = {}
        for name, description in _fields(tool.parameters):
            taken = frozenset(stems(f"{name}\n{description}"))
            near = (words for word in sorted(taken) for words in by_word.get(word, ()))
            for words in near:
                if words <= taken and only[words] != tool.name:
                    givers_of.setdefault(only[words], []).append(words)
        needs[tool.name] = givers_of
    return needs
