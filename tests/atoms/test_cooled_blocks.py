"""Cooling that goes on from the last turn sends what cooling from the beginning sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.render.strategies import SAID
from tests.work_counts import exchanges_read

from contextwright import C, Engine, Session, compile
from contextwright.atoms import cooled_blocks
from contextwright.atoms.compress import cool
from contextwright.atoms.compress.cool import SHARES, STEP
from contextwright.blocks.block import Block
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.block_cost import Presentation, costs_of
from contextwright.session.event import Event, Text, ToolCall, ToolResult
from contextwright.spec.memo import Memo
from contextwright.testing import target_for

TARGET = target_for("openai-chat")


def shares_of(gains, over):
    """The share of each block that may be cooled: step by step, the definition."""
    chosen = {}
    for at, share in enumerate(SHARES):
        for start in range(0, len(gains), STEP):
            if over <= 0:
                break
            for place in range(start, min(len(gains), start + STEP)):
                over -= gains[place][at] - (gains[place][0] if at else 0)
                chosen[place] = share
    return chosen, over


class Column:
    """Inputs as far as a word asks them which blocks to cool."""

    def __init__(self, gains):
        self.gains = gains
        self.memo = self
        self.counter_id = ""

    def costs(self, blocks):
        return [sum(pair) for pair in self.gains] + [0]

    def column(self, key, blocks, read):
        return [True] * len(blocks)

    def whole_places(self, by, blocks):
        return set()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.integers(1, 200))
def test_as_many_are_cooled_as_it_takes(pairs, threshold):
    gains = [(least, least + more) for least, more in pairs]
    blocks = tuple(Block(id=str(n), source="s") for n in range(len(gains)))
    taken = {}

    def cooled(word, chosen, share, is_over, inputs):
        taken.update({int(block.id): (share, is_over) for block in chosen})
        return chosen

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            cool, "_gains", lambda share, some, inputs: [g[SHARES.index(share)] for g in gains]
        )
        patch.setattr(cool.Cool, "_cooled", cooled)
        cool.Cool(threshold=threshold).apply(blocks, Column(gains))
    wanted, over = shares_of(gains, sum(map(sum, gains)) - threshold)
    assert taken == {place: (share, over > 0) for place, share in wanted.items()}


def grow(session, number):
    session.user(f"question {number}: what of order A-{number}?")
    session.call("search", f'{{"q": "A-{number}"}}', id=f"c{number}")
    text = " ".join(f"Order A-{number} has part {n} of {n * number % 97} euros." for n in range(25))
    session.result(f"c{number}", text)
    session.assistant(f"It is there. {text}")


def test_a_turn_shortens_what_is_new(monkeypatch):
    spec = C.default() | C.cool(1_500) | C.budget(6_000)
    session = Session("s")
    for number in range(60):
        grow(session, number)
    compile(session, spec, target=TARGET)
    made = []
    shortened = cooled_blocks.shortened
    monkeypatch.setattr(
        cooled_blocks, "shortened", lambda *given: made.append(given[0]) or shortened(*given)
    )
    for number in range(60, 66):
        made.clear()
        grow(session, number)
        pack = compile(session, spec, target=TARGET)
        assert len(made) <= 8
        fresh = Session("s", events=list(session.log))
        assert compile(fresh, spec, target=TARGET).body == pack.body


LONG = "It was late, and the harbour lay in fog; nobody had seen the ship come in. " * 8
NOTED = f"{LONG}\n[full output: event://e0, 900 tokens]"
WORDS = st.sampled_from((LONG, NOTED, f"{NOTED} [1, 2]")) | SAID
RESULTS = st.lists(st.builds(Text, text=WORDS), max_size=2).map(tuple)
PARTS = st.one_of(
    st.builds(Text, text=WORDS),
    st.builds(ToolCall, id=st.just("a"), name=st.just("find"), arguments=st.just("{}")),
    st.builds(ToolResult, call_id=st.just("a"), content=RESULTS),
)
EVENTS = st.builds(
    Event,
    id=st.just(""),
    role=st.sampled_from(("user", "assistant", "tool")),
    parts=st.lists(PARTS, min_size=1, max_size=3).map(tuple),
    pinned=st.booleans(),
)


class Counting:
    """Inputs as far as a word asks them what an exchange costs."""

    def __init__(self):
        shown = Presentation("", framed=False, refs=True)
        costs = costs_of(Memo(), TARGET.provider.renderer, TARGET, shown)
        self.cost, self.event_cost = costs.block, costs.events
        self.count, self.counter_id = TARGET.counter.count, TARGET.counter.id
        self.count_in_passing = self.count
        self.memo, self.clean = Memo(), str


@pytest.mark.parametrize("word", [C.cool(400), C.compress_results(900, min_tokens=60)], ids=repr)
@given(st.lists(EVENTS, min_size=1, max_size=5))
def test_what_it_leaves_at_least_is_told_from_events_as_from_a_block_or_not_at_all(word, events):
    session, inputs = Session("s"), Counting()
    session.extend(replace(event, id=f"e{place}") for place, event in enumerate(events))
    inputs.snapshot = session.snapshot()
    for exchange in session.snapshot().exchanges():
        of_events = word.least_of_events(exchange.events, inputs)
        assert of_events in {None, word.least(block_of(exchange), inputs)}


def test_of_long_answers_and_results_it_is_told():
    session, inputs, word = Session("s"), Counting(), C.cool(400)
    session.user("Find it.")
    session.call("find", {"what": "it"}, id="a")
    session.result("a", LONG)
    session.assistant(LONG)
    for exchange in session.snapshot().exchanges():
        of_events = word.least_of_events(exchange.events, inputs)
        assert of_events == word.least(block_of(exchange), inputs)
        assert (of_events < inputs.event_cost(exchange.events)) is (exchange.index > 0)


def test_a_first_compile_reads_no_more_of_what_is_only_counted():
    """A session twice as long has no more exchanges that its request looks at."""

    def read(turns):
        session = Session("s")
        for turn in range(turns):
            session.user(f"Find number {turn}.")
            session.call("find", {"what": turn}, id=f"c{turn}")
            session.result(f"c{turn}", f"{turn}: {LONG}")
            session.assistant(f"Number {turn} is there.")
        engine = Engine(C.default() | C.cool(600) | C.budget(1_200), TARGET.model, window=8_000)
        return exchanges_read(lambda: engine.compile(session))

    assert read(400) <= read(200) * 1.2


def test_of_results_that_stay_none_is_looked_at():
    session, inputs, word = Session("s"), Counting(), C.compress_results(900, min_tokens=60)
    for n, text in enumerate(("found", LONG)):
        session.call("find", {"what": n}, id=f"c{n}")
        session.result(f"c{n}", text)
    small, large = (one.events for one in session.snapshot().exchanges())
    assert word.least_of_events(small, inputs) == inputs.event_cost(small)
    assert word.least_of_events(large, inputs) is None
