"""How well premise checks tell questions whose premise is wrong from questions that have an answer.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.premises [--write docs/reference/premises.md]

LoCoMo: two people talk over months; its adversarial questions (category 5) take for granted what
the other one said or did, or what never happened; those of categories 1 to 4 have an answer in the
conversation. A question is flagged where the verdict is `invalid` or `unknown`. Thresholds were
chosen on the conversations at even places, but the figures of the others were in sight.

BEAM: a user and an assistant. Its questions are not about premises: the 20 of `abstention` ask for
something that was never told, often about something that was. One threshold was chosen on the chats
at even places, and rules were mended by what was misread in any. And whatever users said in sessions with agents: what is flagged there, mostly is
not wrong.
"""

import argparse
import gzip
import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from contextwright import read_session
from contextwright.blocks.of_exchange import block_of
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering
from contextwright.premises.block_items import items_of
from contextwright.premises.findings import PremiseResult
from contextwright.premises.premise_check import check_premises
from contextwright.premises.presuppositions import extract_premises
from contextwright.retrieval.item import Item

DATA = Path(os.environ.get("CONTEXTWRIGHT_DATA", "data"))
ADVERSARIAL = 5
OWN = Path(__file__).parents[1] / "tests" / "premises" / "questions.json"


class Judged(NamedTuple):
    """A question, whether its premise is wrong, its kind, its conversation's place, the verdict."""

    wrong: bool
    category: str
    place: int
    verdict: str
    premises: int


class Scores(NamedTuple):
    """Shares from 0 to 1, and how many were flagged."""

    flagged: int
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def rows(name: str) -> Iterator[Any]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def turns(row: Any, *, speakers: bool = True, captions: bool = True) -> list[Item]:
    """The lines of a conversation, each with who said it; a picture's caption behind its line."""
    found = []
    for part in row["sessions"]:
        for turn in part["turns"]:
            text = turn["text"]
            if captions and turn.get("image_caption"):
                text = f"{text} {turn['image_caption']}"
            who = turn["speaker"] if speakers else ""
            found.append(Item(turn["id"], text, "turn" if speakers else "passage", who))
    return found


def locomo(data: Iterable[Any], **options: bool) -> list[Judged]:
    found = []
    for place, row in enumerate(data):
        items = turns(row, **options)
        with remembering(Tables()):  # as an engine does for a session
            for asked in row["qa"]:
                result = checked(asked["question"], items)
                wrong = asked["category"] == ADVERSARIAL
                category, count = str(asked["category"]), len(result.findings)
                found.append(Judged(wrong, category, place, result.verdict, count))
    return found


def beam(data: Iterable[Any]) -> list[Judged]:
    found = []
    for place, row in enumerate(data):
        items = [Item(str(m["id"]), m["content"], "turn", m["role"]) for m in row["messages"]]
        with remembering(Tables()):
            for asked in row["qa"]:
                result = checked(asked["question"], items, asker="user")
                wrong = asked["category"] == "abstention"
                verdict, count = result.verdict, len(result.findings)
                found.append(Judged(wrong, asked["category"], place, verdict, count))
    return found


TURNS = ("tau_bench_airline", "sgd", "tooltalk", "beam_100k")


def ordinary(name: str, most: int = 60) -> str:
    """Every user's message of the first sessions of a file, against what was before it."""
    asked, verdicts = 0, Counter[str]()
    for row in islice(rows(name), most):
        items: list[Item] = []
        with remembering(Tables()):
            for exchange in read_session(row).snapshot().exchanges():
                block = block_of(exchange)
                if block.role == "user" and items:
                    asked += 1
                    premises = extract_premises(exchange.first.text)
                    if premises:
                        verdicts[check_premises(premises, items, asker="user").verdict] += 1
                items += items_of(block)
    shown = " | ".join(str(verdicts[verdict]) for verdict in ("valid", "unknown", "invalid"))
    return f"| {name} | {asked} | {verdicts.total()} | {shown} |"


def checked(question: str, items: list[Item], asker: str = "") -> PremiseResult:
    return check_premises(extract_premises(question), items, asker=asker)


def flagged(one: Judged) -> bool:
    return one.verdict != "valid"


def scores(judged: list[Judged], flag: Callable[[Judged], bool] = flagged) -> Scores:
    taken = [one for one in judged if flag(one)]
    right = sum(one.wrong for one in taken)
    wrong = sum(one.wrong for one in judged)
    return Scores(len(taken), right / max(1, len(taken)), right / max(1, wrong))


def line(name: str, judged: list[Judged], flag: Callable[[Judged], bool] = flagged) -> str:
    found = scores(judged, flag)
    halves = [scores([one for one in judged if one.place % 2 == half], flag) for half in (0, 1)]
    cells = [name, str(found.flagged)]
    for get in (lambda s: s.precision, lambda s: s.recall, lambda s: s.f1):
        cells.append(f"{get(found):.2f} ({get(halves[0]):.2f} {get(halves[1]):.2f})")
    return "| " + " | ".join(cells) + " |"


def by_category(judged: list[Judged]) -> list[str]:
    found = []
    for category in sorted({one.category for one in judged}):
        mine = [one for one in judged if one.category == category]
        count = Counter(one.verdict for one in mine)
        none = sum(not one.premises for one in mine)
        shares = [f"{count[verdict] / len(mine):.1%}" for verdict in ("unknown", "invalid")]
        found.append(f"| {category} | {len(mine)} | {' | '.join(shares)} | {none} |")
    return found


HEAD = (
    "| what is flagged | questions | precision | recall | F1 |\n| --- | ---: | ---: | ---: | ---: |"
)
CATEGORIES = (
    "| category | questions | unknown | invalid | no premise found |\n"
    "| --- | ---: | ---: | ---: | ---: |"
)


def own() -> list[Judged]:
    """The questions of our own: their category is the verdict that a reader gives."""
    judged: list[Judged] = []
    for place, chat in enumerate(json.loads(OWN.read_text(encoding="utf-8"))):
        items = [Item(f"i{n}", text, "turn", who) for n, (who, text) in enumerate(chat["known"])]
        for question, wanted in chat["questions"]:
            result = checked(question, items, "user")
            is_wrong = wanted != "valid"
            judged.append(Judged(is_wrong, wanted, place, result.verdict, len(result.findings)))
    return judged


def by_verdict(judged: list[Judged]) -> list[str]:
    """A row a verdict: how often it is right, and how many of those it should be it finds."""
    lines: list[str] = []
    for verdict in ("valid", "invalid", "unknown"):
        said = [one for one in judged if one.verdict == verdict]
        wanted = [one for one in judged if one.category == verdict]
        right = sum(one.category == verdict for one in said)
        precision, recall = right / max(1, len(said)), right / max(1, len(wanted))
        lines.append(
            f"| {verdict} | {len(wanted)} | {len(said)} | {precision:.2f} | {recall:.2f} |"
        )
    return lines


def invalid(one: Judged) -> bool:
    return one.verdict == "invalid"


def report() -> str:
    talks, chats = list(rows("locomo")), list(rows("beam_100k"))
    known = locomo(talks)
    blind = locomo(talks, speakers=False)
    bare = locomo(talks, captions=False)
    chat = beam(chats)
    wrong = sum(one.wrong for one in known)
    return f"""# Premise checks, measured

`python -m benchmarks.premises` with the real sessions in `CONTEXTWRIGHT_DATA`. Premise checks are
experimental. The embedded model judges: a short set of English rules, no network, the same every time.
No language model was measured, and none of these figures is one of a language model's.

## Questions of our own, by verdict

`tests/premises/questions.json`: 40 questions about two chats, each with the verdict that a reader gives:
negations, legends, `never`, other values, verb forms, and things that nobody spoke of. They were written
before the rules were mended and were in sight while they were, so this is no untouched test.

| verdict | questions | said | precision | recall |
| --- | ---: | ---: | ---: | ---: |
{chr(10).join(by_verdict(own()))}

## Talk between two people (LoCoMo)

{len(known)} questions about {len(talks)} conversations; {wrong} are adversarial (category 5): they take for
granted what the other one said or did, or what never happened. The others have an answer. In
brackets, the conversations at even places and those at odd places.

Thresholds were chosen on the even ones. The odd ones are no untouched test: their figures were in
sight while rules were compared, and patterns were mended by the wording of questions of all five.

{HEAD}
| all questions | {len(known)} | {wrong / len(known):.2f} | 1.00 | {2 * wrong / (wrong + len(known)):.2f} |
{line("`invalid` or `unknown`", known)}
{line("the same, without picture captions", bare)}
{line("the same, without knowing who said what", blind)}

`invalid` was said of {sum(map(invalid, known))} of them: that takes a statement that denies the premise or gives another
value, and these questions are wrong about who did a thing, which nobody denied. So what is flagged
here is `unknown`: it was told of somebody else, or of nobody.

How often each kind of question is flagged; for 1 to 4 that is a false alarm:

{CATEGORIES}
{chr(10).join(by_category(known))}

## A user and an assistant (BEAM, 100k tokens)

{len(chat)} questions about {len(chats)} chats; one threshold was chosen on those at even places, and rules
were mended by what was misread in any, so that no half is an untouched test. These questions are not about premises: `abstention` asks for what was never told about things that mostly were, so
that its premises often hold. The table says how often ordinary questions raise a false alarm.

{HEAD}
{line("`invalid` or `unknown`", chat)}

{CATEGORIES}
{chr(10).join(by_category(chat))}

## What users say to agents

Every user's message of the first 60 sessions of each, against what was said before it. These premises
were not judged by hand; next to none should be called wrong, and many are told for the first time
here. Rules were mended by what was misread in tau-bench and BEAM, so the figures of these two are no
test. The one that is left says "I've never attended any literary festival" after one was spoken of as
attended; BEAM plants such contradictions.

| sessions | messages | with a premise | valid | unknown | invalid |
| --- | ---: | ---: | ---: | ---: | ---: |
{chr(10).join(map(ordinary, TURNS))}

## What it can not do

- It goes by words. A premise that is told in other words is `unknown`, though it is so; one whose
  words were said about something else is `valid`, though it is not. `valid` takes half of its words, the
  rare ones counting most, and in a chat all of its names and numbers in one message: rather `unknown`
  than a `valid` that nobody said.
- That something is told of another person makes a premise `unknown`, never `invalid`: both may have
  done it. Where nobody knows the speakers, next to nothing is found.
- `invalid` takes a clause with `not`, `never`, `there is no` or the like that has the premise's words,
  or another value for it. A sentence with `no server`, `nobody`, `if` or `may` neither denies nor
  supports: what such a word belongs to takes grammar.
- It reads `why`, `when`, `where`, `who`, `what`, `which` and `how` with `did`, `is`, `has` and the like,
  `how do I fix`, and `the fact that`. It does not read what `my gold card`, `still`, `stopped`, `after the
  migration failed` or the name of a file take for granted. A question that it does not read is `valid`.
- It does not know that Atlantis is no country, that an error is a bug, or any language but English:
  only a model does.
- An adversarial question may not have a wrong premise at all; where it asks for another answer to
  something that happened (a gift of the grandfather instead of the grandmother), words do not tell.
"""


def speed() -> str:
    """Milliseconds for a question against 10,000 lines, the first time and then."""
    data = [item for row in rows("locomo") for item in turns(row)]
    items = [
        Item(f"{n}-{item.id}", f"{item.text} {n}", item.kind, item.role)
        for n in range(10_000 // len(data) + 1)
        for item in data
    ][:10_000]
    asked = [qa["question"] for row in rows("locomo") for qa in row["qa"]][:40]
    start = time.perf_counter()
    checked(asked[0], items)
    first = time.perf_counter() - start
    took = []
    for question in asked:
        start = time.perf_counter()
        checked(question, items)
        took.append(time.perf_counter() - start)
    return (
        f"10,000 lines: {1000 * first:.0f} ms first, then {1000 * statistics.median(took):.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    text = report()
    print(text)
    print(speed())
    if given.write:
        given.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
