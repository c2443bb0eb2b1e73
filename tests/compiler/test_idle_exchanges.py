"""What the limit drops whatever words make of it stays as it came, and nobody can tell."""

import random

import pytest
from tests.compiler.test_step_left import engine_of, steps_of
from tests.parameters import few

from contextwright import C, Engine, Session
from contextwright.atoms.compress.compact import Compact
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler import idle_exchanges, spec_compiler

SHORT = C.compact(min_tokens=8, max_tokens=12)
SPECS = (
    C.default() | SHORT | C.dedup() | C.budget(300), SHORT | C.dedup() | C.budget(220),
    C.default() | C.compact("stale", stale_after=2, min_tokens=8, max_tokens=12) | C.dedup() | C.budget(300),
    C.default() | C.compact("tool_results", min_tokens=8, max_tokens=12) | C.dedup() | C.budget(400, steps=False),
)  # fmt: skip


def compared(spec, turns, monkeypatch):
    """Compare request and receipt, turn after turn and from nothing, with what comes of it where
    words make something of all; how often they did not.

    Args:
        turns: adds to a session, again and again.
    """
    monkeypatch.setattr(idle_exchanges, "FEWEST", 6)
    taken, are_gone = list[bool](), spec_compiler.are_gone

    def noted(*given):
        taken.append(are_gone(*given))
        return taken[-1]

    monkeypatch.setattr(spec_compiler, "are_gone", noted)
    session, copy = Session("grown"), Session("grown")
    session.user("Find it all.")
    idle, whole = engine_of(spec), engine_of(spec)
    for n, _ in enumerate(turns(session)):
        copy.extend(list(session.log)[len(copy) :])
        engines = [(idle, whole)]
        if n % 8 == 0:
            engines.append((engine_of(spec), engine_of(spec)))
        for one, all_of_it in engines:
            pack = one.compile(session)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(spec_compiler, "idle_exchanges", lambda *given: frozenset())
                other = all_of_it.compile(copy)
            assert pack.body == other.body
            assert pack.manifest.to_json() == other.manifest.to_json()
    return sum(taken)


@pytest.mark.parametrize("seed", few(range(24), 4))
def test_nobody_can_tell(seed, monkeypatch):
    spec, dice = SPECS[seed % len(SPECS)], random.Random(seed)
    assert compared(spec, lambda session: steps_of(session, dice, 110), monkeypatch) > 2


def quoting(session):
    """An agent that says again, word by word, what it was shown in short of what it once said."""
    ends = []
    for n in range(90):
        session.user(f"And {n}?")
        session.call("find", {"what": n}, id=f"c{n}")
        session.result(f"c{n}", f"part {n % 5} is here, " * 30)
        session.assistant(f"It is part {n}. " * 60)
        ends.append(session.snapshot().exchange_count - 1)
        if n % 7 == 3:
            before = block_of(session.snapshot().exchanges_at([ends[n - n % 3]])[0])
            session.user("Again?")
            session.assistant(SHORT.compacted(before, spec_inputs()).plain_text)
        yield


def test_what_is_quoted_is_known_again(monkeypatch):
    assert compared(SPECS[0], quoting, monkeypatch) > 3


def test_who_reads_back_is_known_again(monkeypatch):
    """Two calls that read one original are shortened to its ref."""

    def reading(session):
        for n in range(50):
            session.user(f"And {n}?")
            name, ref = ("expand", "event://e2#0") if n % 4 == 1 else ("find", f"r{n}")
            session.call(name, {"ref": ref, "page": n % 2}, id=f"c{n}")
            session.result(f"c{n}", f"part {n % 3} is here, " * 30)
            session.assistant(f"Part {n % 6}.")
            yield

    assert compared(SPECS[0], reading, monkeypatch) > 10


@pytest.mark.parametrize("dice", few(range(20), 5), ids=str)
def test_a_long_result_becomes_shorter_and_names_its_whole(dice):
    dice = random.Random(dice)
    word = Compact(min_tokens=dice.choice((5, 100)), max_tokens=dice.choice((5, 20, 175, 400)))
    inputs = spec_inputs()
    kinds = (
        lambda n: "\n".join(f"src/a{i}.py:{i}: def f{i}(x): return x" for i in range(n)),
        lambda n: str([{"id": i, "name": f"n{i}", "of": [i, {"a": "b" * (i % 9)}]} for i in range(n)]).replace("'", '"'),
        lambda n: "It is said that " + "it is so. " * n,
        lambda n: "x" * 9 * n, lambda n: "\u65e5\u672c" * n, lambda n: "<p>a</p>" * n, lambda n: "| a | b |\n" * n,
        lambda n: "Error: no\n" + "  File a, line 3\n" * n, lambda n: "\U0001f600 " * n, lambda n: "\n" * n + "1 2 3 " * n,
    )  # fmt: skip
    long = 0
    for kind in kinds:
        for n in (1, 5, 20, 60, 200, 900):
            session = Session("one")
            session.call("find", {"what": n}, id="c")
            session.result("c", kind(n))
            block = block_of(session.snapshot().exchanges(0, 1)[0])
            if word.is_long(block, inputs):
                long += 1
                made = word.compacted(block, inputs)
                assert made is not block and block.ref in made.plain_text
    assert long > 10


def spec_inputs():
    """What a word is given that counts texts alone."""
    from types import SimpleNamespace

    from contextwright.tokens.counter import counter_for

    count = counter_for("gpt-5").count
    return SimpleNamespace(count=count, count_in_passing=count)


def test_a_first_compile_of_a_long_session_shortens_no_more(monkeypatch):
    made, compacted = list[str](), Compact.compacted

    def noted(self, block, inputs):
        made.append(block.id)
        return compacted(self, block, inputs)

    monkeypatch.setattr(Compact, "compacted", noted)
    counts = []
    for turns in (300, 1_200):
        session = Session("long")
        for n in range(turns):
            session.user(f"What of parcel {n}?")
            session.call("track", {"parcel": n}, id=f"c{n}")
            session.result(f"c{n}", f"parcel {n} is in depot {n % 9}, " * 40)
            session.assistant(f"Parcel {n} is in depot {n % 9}.")
        made.clear()
        Engine(C.default() | C.compact() | C.dedup() | C.budget(4_000), "gpt-5").compile(session)
        counts.append(len(made))
    assert counts[1] <= counts[0] * 1.2
