"""A target is a value: a worker of a process pool takes it, and its counter."""

import copy
import pickle

import pytest

from contextwright import C, compile, target
from contextwright.testing import session_of
from contextwright.tokens.counter import Counter, counter_for, scaled

SESSION = session_of("s: be brief | u: hi | c: look(a) | r: found | a: hello | u: more")


class Words:
    """A counter of an application's."""

    def count(self, text):
        return len(text.split())


def pickled(value):
    return pickle.loads(pickle.dumps(value))


WAYS = pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])


@WAYS
@pytest.mark.parametrize("model", ["gpt-5", "claude-opus-4-5", "gemini-2.5-pro"])
@pytest.mark.parametrize("own", [None, Words()])
def test_a_copied_target_makes_the_same_request(again, model, own):
    made = target(model, counter=own, read_back=True, response_format={"type": "json_object"}
                  if model == "gpt-5" else None)  # fmt: skip
    before = compile(SESSION, C.compaction(8000), target=made)
    after = compile(SESSION, C.compaction(8000), target=again(made))
    assert after.body == before.body and after.manifest == before.manifest


@WAYS
def test_a_named_counter_stays_the_one_of_its_name(again):
    counter = scaled(counter_for("gemini-2.5-pro"), 110)
    assert again(counter) is counter


@WAYS
def test_a_counter_of_ones_own_id_counts_the_same(again):
    counter = Counter("ours", "o200k_base", 120, digits=True)
    other = again(counter)
    assert (other.id, other.count("12 apples")) == ("ours", counter.count("12 apples"))
