"""What a task covers of a growing conversation is hashed once."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from contextwright.atoms.incremental import CHECKPOINTS, RunningDigest
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
