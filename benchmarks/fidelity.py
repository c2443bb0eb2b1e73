"""What is left after many compactions of what was said once: rules, decisions, what was only heard,
what was said beside a request, tasks that ended.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.fidelity [--write docs/reference/fidelity.md]

In the first half of a recorded tool session twenty rules, twenty decisions, twenty statements that
have the words of neither and were only heard, twenty that stand beside a request, twenty tasks that
were finished and twenty that were cancelled are planted, each with a name of its own. The session is
sent request by request, until ours has gone down many steps; the last request is looked at. No
model is asked, so nobody is graded by one: a name stands in the request, or it does not.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import figures
from benchmarks.economy_metrics import Message, tokens_of
from benchmarks.fidelity_languages import FILE, language_table, measured_languages
from benchmarks.fidelity_methods import (
    METHODS,
    Method,
    assistant,
    budget_of,
    recorded,
    requests_with_places,
    spread,
    user,
)
from benchmarks.fidelity_tasks import LISTS_IN, measured_tasks, task_table

PLANTED = 20
"""Of each kind."""
NAMES = ("pi_coding", "tau_chained", "swe_agent", "se_agent", "who_when")
"""Files of one coding session, of service sessions as one, of two coding agents, one without function
calls, whose tools answer in the user's name, and of teams of agents."""
RULES = (
    "Never touch {0}, whatever happens.",
    "{0} must stay as it is.",
    "From now on ask me before you open {0}.",
    "Please do not mention {0} to anybody.",
    "pls dont rename {0}",
    "{0} needs to be signed off by Dana.",
    "You can't use {0} for tests.",
    "{0} is read-only.",
    "Leave {0} alone.",
    "No changes to {0}, please.",
    "Keep {0} under 300 lines.",
    "Rule: {0} goes last.",
    "Max size of {0}: 4 MB.",
    "Nobody else may see {0}.",
    "I'd rather you asked before you run {0}.",
    "Going forward, write {0} in lower case.",
    "We use {0}, not the old name.",
    "For the rest of this, {0} is off limits.",
    "Every report gets {0} as its title.",
    "Answer with {0} in the subject.",
)
DECISIONS = (
    "We decided to use {0} for this.",
    "Let's use {0} as the name.",
    "Fine, we agreed on {0} then.",
    "We'll keep {0} as it was.",
    "{0} it is.",
    "Decision: {0}.",
    "We chose {0} over the other one.",
    "Let's stick with {0}.",
    "Go ahead with {0}.",
    "I'll take the {0} one.",
    "We picked {0}.",
    "We won't use {0} after all.",
    "I'm going to use {0}.",
    "Rejected: {0}.",
    "The team approved {0}.",
    "We settled on {0}.",
    "My choice is {0}.",
    "Let's not do {0}.",
    "Scratch that, {0} instead.",
    "We're dropping {0}.",
)
HEARD = (
    "Our plant in {0} closes at five.",
    "Ops already knows {0}, so the stack has it.",
    "The second draft of {0} was better.",
    "I have {0} read pages to me.",
    "Everything about {0} goes to Lena from legal.",
    "My daughter gets seasick, so a car through {0}.",
    "The one with the balcony, {0}.",
    "{0} costs us too much memory at more than two workers.",
    "Amounts like {0} are in francs here.",
    "Between midnight and six wake Tomasz about {0}.",
    "Short replies about {0}, I read them on a watch.",
    "Green for {0}, red is for alarms.",
    "The people behind {0} are our oldest customer.",
    "Two replicas of {0} suffice.",
    "{0} wins, four votes to one.",
    "Sold, the {0} one.",
    "The name on the invoice is {0}.",
    "In this company {0} means the staging machines.",
    "Happy with {0} as it stands.",
    "Metric for {0}, please.",
)
"""What holds though no wording says so; what came of it says it."""
BESIDE = (
    "Set up part{1}. Our runners for {0} are ARM only.",
    "Suggest a title for part{1}. Puns on {0} make me cringe.",
    "Could you draft part{1}? Marketing hates the word {0}.",
    "Plot part{1} by month. The printer near {0} is black and white.",
    "hey rewrite part{1}, its too stiff. also our ceo loathes {0}",
    "Add retries to part{1}; five attempts at {0} is the house maximum.",
    "Write the docstrings of part{1}. {0} style is what the others have.",
    "Fix part{1}. Juniors read {0} to learn the trade.",
    "Send part{1} to the client. They have moved to {0} as of this month.",
    "Clean up part{1}. Anything tagged {0} belongs to the auditors.",
    "Benchmark part{1}. Anything under {0} is noise on this machine.",
    "Book part{1} for us. My wife uses a cane and {0} has cobbles.",
    "What does part{1} cost? Whatever it is, {0} pays half.",
    "Explain part{1}. I'm new to {0}, assume nothing.",
    "Can you turn part{1} into minutes? We refer to {0} by initials.",
    "Investigate part{1}. The {0} box belongs to the network team.",
    "Order part{1} again. Oh, I've gone off {0}, heart thing.",
    "Draw up part{1}. There's no {0} in this place.",
    "Score part{1}. Names of {0} stay hidden till the end of term.",
    "Translate part{1}. Our readers of {0} are in Mexico.",
)
"""What is asked for, and what is said beside it."""
ANSWERS = ("Understood.", "Noted, thanks.", "Got it.", "OK.", "Sure, I'll keep that in mind.")


class Survivors(NamedTuple):
    """How many names the last request has, by kind; tasks that ended and look as if they had not,
    in whichever request most do; requests that miss a rule, a decision or what was only heard by
    then, of how many."""

    rules: int
    decisions: int
    heard: int
    beside: int
    open: int
    missing: int
    requests: int
    tokens: int
    steps: int


def planted_turns() -> Iterator[list[Message]]:
    """What is put in, a turn each."""
    for n in range(PLANTED):
        yield [user(RULES[n].format(f"rule{n}x")), assistant("Understood.")]
        yield [user(DECISIONS[n].format(f"choice{n}x")), assistant("Noted.")]
        yield [user(HEARD[n].format(f"heard{n}x")), assistant(ANSWERS[n % len(ANSWERS)])]
        yield [user(BESIDE[n].format(f"aside{n}x", n)), assistant(f"part{n} is done.")]
        yield [user(f"Please do task{n}x."), assistant(f"task{n}x is done.")]
        yield [
            user(f"Please start stopped{n}x."),
            assistant(f"Started with stopped{n}x."),
            user(f"Cancel stopped{n}x, we do not need it."),
            assistant(f"stopped{n}x is cancelled."),
        ]


def survivors(messages: list[Message], method: Method) -> Survivors:
    """What the last request has, and the others had not; a step is a request that has not the
    beginning of the one before."""
    texts = [json.dumps(message) for message in messages]
    first = {name: next(at for at, text in enumerate(texts) if name in text) for name in _names()}
    laid_down = {name for name in first if not name.startswith("aside")}
    ends = [pair for pair in _ended() if any(pair[1] in text for text in texts)]
    ended = {pair: next(at for at, text in enumerate(texts) if pair[1] in text) for pair in ends}
    steps, missing, still_open, count, text, before = 0, 0, 0, 0, "", list[Message]()
    for place, sent in requests_with_places(messages, method):
        steps += sent[: len(before)] != before
        count, before, text = count + 1, sent, json.dumps(sent)
        missing += any(first[name] < place and name not in text for name in laid_down)
        over = (pair for pair, at in ended.items() if at < place)
        still_open = max(still_open, sum(a in text and b not in text for a, b in over))
    left = Counter(name.rstrip("0123456789x") for name in first if name in text)
    kinds = (left["rule"], left["choice"], left["heard"], left["aside"])
    return Survivors(*kinds, still_open, missing, count, sum(map(tokens_of, before)), steps)


def _names() -> list[str]:
    return [f"{kind}{n}x" for kind in ("rule", "choice", "heard", "aside") for n in range(PLANTED)]


def _ended() -> list[tuple[str, str]]:
    """What is asked for, and what says that it is over."""
    done = [(f"do task{n}x.", f"task{n}x is done") for n in range(PLANTED)]
    return done + [(f"start stopped{n}x.", f"stopped{n}x is cancelled") for n in range(PLANTED)]


def measured(name: str) -> dict[str, Any]:
    """What each method leaves of a file's session."""
    session = spread(recorded(name), list(planted_turns()))
    budget = budget_of(name)
    rows = []
    for label, make in METHODS.items():
        rows.append({"method": label, **survivors(session, make(budget))._asdict()})
        print(name, rows[-1], flush=True)
    return {"file": name, "budget": budget, "messages": len(session), "rows": rows}


def table(found: dict[str, Any]) -> Iterator[str]:
    """A line for each method."""
    yield f"## {found['file']}, {found['budget']:,} tokens, {found['messages']:,} messages"
    yield ""
    yield "| | rules | decisions | only heard | beside a request | ended, shown as open | requests that miss any | tokens | steps |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for row in found["rows"]:
        label = row["method"]
        made = Survivors(*(row[name] for name in Survivors._fields))
        yield (
            f"| {label} | {made.rules} of {PLANTED} | {made.decisions} of {PLANTED} "
            f"| {made.heard} of {PLANTED} | {made.beside} of {PLANTED} | {made.open} of {2 * PLANTED} "
            f"| {made.missing} of {made.requests} | {made.tokens:,} | {made.steps} |"
        )
    yield ""


HEAD = """# What outlives many compactions

What is left of what was said once. In the first half of a recorded tool session {0} rules, {0} decisions, {0} statements in the words of neither, {0} beside a request, {0} tasks that were
finished and {0} that were cancelled are planted; where a file's sessions are short, the six longest are one. The session is sent request by request, and the last request is looked at:
a name stands in it, or it does not. Summaries are made by the embedded rules: no model is asked. `python -m benchmarks.fidelity`; the recordings are not part of the project.

- **only heard**: statements ("Our plant in Graz closes at five", "The one with the balcony") that no wording tells as a rule or a decision; they were answered by "Understood." or the like, and nothing else came of them.
- **beside a request**: statements in plain words that stand in a message with a task ("Fix part7. Juniors read it to learn the trade"), which was done.
- **ended, shown as open**: tasks whose beginning a request has, and whose end it has not, in the request with most.
- **requests that miss any**: those of all in which a rule, a decision or what was only heard is missing that was said by then: one is enough to do what was forbidden.
- **steps**: requests that do not begin as the one before: there the provider's cache is written anew.

Rules and decisions are told by their wording ([ADR 55](../adr/0055-rules-outlive-steps.md)), in English and, for the plain ones, in other languages, in which all else may hold ([below](#in-other-languages)); the planted ones
have forty wordings ([ADR 167](../adr/0167-rules-in-plain-words.md)). In whatever words, what was only heard holds on ([ADR 177](../adr/0177-what-was-only-heard-holds-on.md)), and what is said beside a request has the room that these leave ([ADR 178](../adr/0178-remarks-outlive-steps.md)). All else is kept as any other sentence is: while there is room.
Beside its usual size a summary of `C.rolling`, `C.summarize` and `C.decay` has room for what holds, with 3,000 tokens in all
([ADR 162](../adr/0162-rules-have-room-of-their-own-in-a-summary.md)); `C.fit` and `C.budget` tell it beside, in 40 percent of what they leave for exchanges at most ([ADR 217](../adr/0217-what-holds-outlives-a-limit.md)),
`C.sliding` in as much of its window beside that ([ADR 220](../adr/0220-what-holds-outlives-a-sliding-window.md)).
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", type=Path)
    parser.add_argument("names", nargs="*", default=list(NAMES))
    options = parser.parse_args()
    parts = [measured(name) for name in options.names]
    tasks = [measured_tasks(name) for name in options.names if name in LISTS_IN]
    lines = [HEAD.format(PLANTED), *(line for part in parts for line in table(part))]
    lines += task_table(tasks) if tasks else ()
    languages = [measured_languages()] if FILE in options.names else []
    lines += ("", *(line for found in languages for line in language_table(found)))
    figures.save("fidelity", "python -m benchmarks.fidelity", (), parts)
    figures.save("fidelity-tasks", "python -m benchmarks.fidelity", (), tasks)
    figures.save("fidelity-languages", "python -m benchmarks.fidelity", (), languages)
    if options.write:
        options.write.write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
