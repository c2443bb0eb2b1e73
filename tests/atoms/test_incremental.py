"""What a task covers of a growing conversation is hashed once."""

from hashlib import sha256
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Engine, Session, replay
from contextwright.atoms import incremental
from contextwright.atoms.incremental import CHECKPOINTS, RunningDigest
from contextwright.blocks.block import Blocks
from contextwright.compiler import horizon, word_left
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Answers, Task, answer_to

DIGESTS = [sha256(bytes([n])).digest() for n in range(6)]


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(DIGESTS), max_size=12), st.integers(0, 12)), max_size=9
    )
)
def test_it_is_the_hash_of_what_the_conversation_begins_with(looks):
    running = RunningDigest()
    for digests, count in looks:
        running.follow(tuple(digests))
        for first in {min(count, len(digests)), len(digests)}:
            assert running.digest(first) == sha256(b"".join(digests[:first])).hexdigest()


def test_a_turn_hashes_what_is_new_and_keeps_few():
    running, digests = RunningDigest(), tuple(DIGESTS * 100)
    hashed: list[int] = []
    for stop in range(300, 600, 10):
        running.follow(digests[:stop])
        before = max(running._known, default=0)
        running.digest(stop)
        hashed.append(stop - before)
    assert hashed[1:] == [10] * 29
    assert len(running._known) <= CHECKPOINTS + 1


def test_another_one_long_ago_is_seen_whichever_hash_it_has():
    old = tuple(sha256(bytes([n])).digest() for n in range(100))
    for other in (bytes(32), b"\xff" * 32):
        running = RunningDigest()
        for stop in (90, 95):
            running.follow(old[:stop])
            running.digest(stop)
        changed = (*old[:10], other, *old[11:])
        running.follow(changed)
        assert running.digest(90) == sha256(b"".join(changed[:90])).hexdigest()


def test_the_same_words_read_for_two_conversations_are_two_answers():
    tasks = [
        Task(kind="summary", source="new", series="s", covers=n, whole=f"w{n}") for n in (2, 5)
    ]
    assert len({task.fingerprint for task in tasks}) == 1
    answers = Answers([answer_to(task, "It began.", "extractive") for task in tasks])
    assert [one.covers for one in answers.newest("s")] == [5, 2]
    assert [answers.get(task).covers for task in tasks] == [2, 5]
    assert all(answers.gives(answers.get(task)) for task in tasks)
    other = answer_to(tasks[0], "It went on.", "extractive")
    assert not answers.gives(other) and not Answers().gives(other)


class Exchanges(NamedTuple):
    """A conversation of so many exchanges that was asked about before."""

    size: int

    def digest(self, count, without):
        return f"w{count}"


def test_what_was_answered_for_all_of_it_is_taken_before_what_is_newer():
    """A limit that summarizes twice in a turn, more at first and then less, asked for both anew,
    and a replay, whose answers stand in another order, missed one."""
    tasks = [
        Task(kind="summary", source=f"new {n}", series="s", covers=n, whole=f"w{n}") for n in (5, 2)
    ]
    answers = [answer_to(task, "It began.", "extractive") for task in tasks]
    for order in (answers, answers[::-1]):
        newest = [*Answers(order).newest("s")]
        assert [incremental._known(newest, Exchanges(n)).covers for n in (2, 5)] == [2, 5]
    assert incremental._known(answers, Exchanges(9)) is answers[0]
    assert incremental._known(answers, Exchanges(1)) is None


def read_again(spec, session, monkeypatch):
    """Blocks that models are given at each turn while a failure in the middle is mended."""
    given, ask = list[Blocks](), Inputs.ask
    monkeypatch.setattr(
        Inputs, "ask", lambda self, task: given.append(task.blocks) or ask(self, task)
    )
    engine = Engine(spec, "gpt-5")
    for n in range(120):
        session.user(f"Where is order {n}?")
        if n in {20, 100}:
            session.call("find", f'{{"order": {n}}}', id=f"c{n}")
            session.result(f"c{n}", "no such order" if n == 20 else "it is here", error=n == 20)
        session.assistant(f"Order {n} is on its way to depot {n % 7}, as it was before. " * 3)
        pack = engine.compile(session)
        assert replay(pack, session).body == pack.body
    return given[len(given) // 4 :]


@pytest.mark.parametrize("divided", (True, False), ids=("from the log", "given all"))
@pytest.mark.parametrize(
    "spec",
    (C.decay(full=3, fold=3, max_tokens=60), C.default() | C.fit(900), C.summarize(max_tokens=60)),
    ids=repr,
)
def test_what_may_go_later_is_told_beside_what_is_new(spec, divided, monkeypatch):
    """A failure stays until it is mended; then it is told, and nothing is read again for it."""
    if not divided:
        monkeypatch.setattr(word_left, "in_two", lambda *_: None)
        monkeypatch.setattr(horizon, "_step_starts", lambda *_: ())
    given = read_again(spec, Session("s"), monkeypatch)
    assert max(map(len, given)) < 40
    told = [block for blocks in given for block in blocks if "no such order" in block.plain_text]
    assert {block.order for block in told} == {told[0].order}


def test_answers_name_few_places(monkeypatch):
    monkeypatch.setattr(incremental, "MAX_WITHOUT", 0)
    given = read_again(C.decay(full=3, fold=3, max_tokens=60), Session("s"), monkeypatch)
    assert max(map(len, given)) > 60  # all is read again
