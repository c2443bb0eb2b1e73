"""Salience as a score, and the sliding window, over the blocks of a session
(cooling-and-forgetting.md)."""

import pytest
from hypothesis import given, settings

from contextwright import C, Session, SpecError, compile, parse, target
from contextwright.spec import ATOMS
from contextwright.testing import FORMATS, session_of, sessions

TALK = (
    "u: please look after order 48213 | a: order 48213 is at the depot | u: how is the weather"
    " | a: rather grey today I would say | u: and the news | a: nothing much in the papers"
    " | u: what of my order 48213?"
)


def texts(pack):
    return [message["content"] for message in pack.request["messages"]]


def kept(session, spec, **options):
    pack = compile(session, spec | C.silent(), model="gpt-5", **options)
    return [block.id for block in pack.manifest.kept]


def test_what_is_salient_enough_stays_with_its_score():
    session = session_of(TALK)
    assert kept(session, C.salient(0.6)) == ["e0", "e1", "e6"]
    pack = compile(session, C.salient(), model="gpt-5")
    found = {block.id: block.score / 1_000_000 for block in pack.manifest.kept}
    assert list(found) == [f"e{n}" for n in range(7)]
    # recency 2^-0.3, names 48213 again, and speaks of what is asked last
    assert found["e1"] == pytest.approx(0.3 * 2**-0.3 + 0.3 * 0.5 + 0.2 + 0.2 * 0.3, abs=0.001)
    assert found["e3"] == pytest.approx(0.3 * 2**-0.2 + 0.2 * 0.3, abs=0.001)


def test_names_of_ones_own_count():
    session = session_of(TALK)
    assert "e5" in kept(session, C.salient(0.6, entities=["the papers"]))
    assert "e5" not in kept(session, C.salient(0.6, entities=["pape"]))


def test_weights_decide():
    session = session_of(TALK)
    only = {"recency": 0, "entity": 0, "user_reference": 1, "structural": 0}
    # what the user said, what has the words of what is asked, and the running turn
    assert kept(session, C.salient(0.5, **only)) == ["e0", "e1", "e2", "e4", "e6"]
    with pytest.raises(SpecError, match="weights"):
        C.salient(recency=0, entity=0, user_reference=0, structural=0)


def test_pins_and_tier_one_and_the_running_turn_stay():
    session = Session()
    session.user("hello")
    session.assistant("grey words", pinned=True)
    session.assistant("grey words again")
    session.user("next")
    session.assistant("of the running turn")
    assert kept(session, C.salient(1)) == ["e0", "e1", "e3", "e4"]
    assert kept(session, C.default() | C.priority(1) | C.salient(1)) == [f"e{n}" for n in range(5)]


def test_a_budget_lets_the_least_salient_go():
    session = session_of(TALK)
    whole = compile(session, C.default(), model="gpt-5").tokens
    spec = C.default() | C.budget(whole - 12, overflow="truncate_least_salient", steps=False)
    assert kept(session, spec) == ["e0", "e1", "e2", "e4", "e6"]
    assert "e1" not in kept(session, C.default() | C.budget(whole - 12))


def test_a_score_of_the_spec_comes_before_the_default():
    session = session_of(TALK)
    whole = compile(session, C.default(), model="gpt-5").tokens
    budget = C.budget(whole - 12, overflow="truncate_least_salient", steps=False)
    assert "e3" in kept(session, C.default() | C.salient(entities=["grey"]) | budget)


def test_fit_by_salience_asks_nobody_and_keeps_what_matters():
    session = session_of(TALK)
    whole = compile(session, C.default(), model="gpt-5").tokens
    pack = compile(
        session, C.default() | C.fit(whole - 12, strategy="salience", steps=False), model="gpt-5"
    )
    assert [block.id for block in pack.manifest.kept] == ["e0", "e1", "e2", "e4", "e6"]
    assert not pack.manifest.answers


def test_recency_may_be_weighed_by_salience():
    session = session_of(TALK)
    by_age = C.recent(1, min_score=0.6)
    assert kept(session, by_age) == ["e0", "e6"]
    assert kept(session, C.recent(1, min_score=0.42, by="salience")) == ["e0", "e1", "e6"]


def test_relevance_by_salience_goes_by_what_is_asked():
    session = session_of(TALK)
    best = kept(session, C.relevant(top_k=2, scorer="salience") + C.window(1))
    assert best == ["e0", "e2", "e4", "e6"]  # the task and the question stand beside the two
    papers = C.relevant(query="the papers", top_k=1, scorer="salience")
    assert "e5" in kept(session, C.exclude_agents("user") | papers)


def test_decay_spares_what_is_salient():
    session = Session()
    for number, text in enumerate(("about INV-0042 and its refund", "about nothing in particular")):
        session.user("please search" if number else "please look for INV-0042")
        session.call("search", '{"q": "x"}', id=f"c{number}")
        session.result(f"c{number}", f"{text} " * 60)
        session.assistant("done")
    for _ in range(3):
        session.user("go on")
        session.assistant("well")
    session.user("and now?")
    plain = compile(session, C.decay(2, 9), model="gpt-5").body
    spared = compile(session, C.decay(2, 9, spare=0.4), model="gpt-5").body
    assert plain.count(b"refund about INV-0042") < 9
    assert spared.count(b"refund about INV-0042") == 59
    assert spared.count(b"particular about nothing") < 9
    summed = compile(session, C.decay(2, 0, max_tokens=40), model="gpt-5").manifest
    assert not {"e1", "e5"} & {block.id for block in summed.kept}
    folded = compile(session, C.decay(2, 0, spare=0.4, max_tokens=40), model="gpt-5").manifest
    assert {"e1", "e5"} & {block.id for block in folded.kept} == {"e1"}


def test_spare_is_a_salience():
    with pytest.raises(SpecError, match="spare"):
        C.decay(spare=1.5)


LONG = Session("long")
LONG.user("# Task\nMove all invoices of Ada Lovelace.")
for n in range(40):
    LONG.assistant(f"turn {n}: " + ("INV-0042 is moved " if n % 7 == 0 else "some words ") * 8)
    LONG.user(f"go on {n}")


def test_a_sliding_window_keeps_its_first_and_newest_and_the_most_salient():
    spec = C.sliding(600, sinks=4, recent=100)
    ids = kept(LONG, spec)
    assert ids[0] == "e0" and ids[-2:] == ["e79", "e80"]
    middle = [id for id in ids if 0 < int(id[1:]) < 73]
    assert middle
    assert all("INV-0042" in LONG.log[int(id[1:])].text or LONG.log[int(id[1:])].role == "user"
               for id in middle)  # fmt: skip
    pack = compile(LONG, spec | C.silent(), model="gpt-5")
    assert sum(block.tokens for block in pack.manifest.kept) <= 600


def test_what_fits_is_untouched():
    assert kept(LONG, C.sliding(100_000)) == kept(LONG, C.default())


def test_between_two_steps_only_the_end_of_a_sliding_window_moves():
    session, moves, before = Session("grown"), 0, []
    for event in LONG.log:
        session.append(event)
        ids = kept(session, C.sliding(600, sinks=4, recent=100))
        moves += ids[: len(before)] != before
        before = ids
    total = sum(block.tokens for block in compile(LONG, C.default(), model="gpt-5").manifest.kept)
    assert 3 < moves <= (total - 600) / 55 + 1


@settings(deadline=None)
@given(sessions())
def test_sinks_and_newest_survive_and_the_window_holds(session):
    spec = C.sliding(120, sinks=10, recent=40)
    inside = kept(session, spec)
    whole = kept(session, C.default())
    assert inside == [id for id in whole if id in set(inside)]
    assert inside[:1] == whole[:1] and inside[-1:] == whole[-1:]


@pytest.mark.parametrize("sizes", [{"sinks": 4000}, {"recent": -1}, {"sinks": -1}])
def test_a_sliding_window_without_room_is_refused(sizes):
    with pytest.raises(SpecError, match="window of 4096") as caught:
        C.sliding(**sizes)
    assert repr(parse(caught.value.fix)).startswith("C.sliding(")


@pytest.mark.parametrize("window", [1, 3, 500, 1000])
def test_the_fix_for_a_small_window_is_one_that_fits(window):
    with pytest.raises(SpecError) as caught:
        C.sliding(window)
    assert f"window={window}," in caught.value.fix
    assert parse(caught.value.fix) is not None


def test_a_sliding_window_may_stand_behind_a_selection():
    both = (C.select(role="user") | C.sliding(60, recent=20)) + (
        C.select(role="assistant") | C.sliding(60, recent=20)
    )
    roles = [LONG.log[int(id[1:])].role for id in kept(LONG, both)]
    assert {"user", "assistant"} == set(roles)
    assert len(roles) < 20


def test_the_words_are_in_the_table():
    assert {"salient", "sliding"} <= set(ATOMS)


@pytest.mark.parametrize(
    "spec",
    [
        C.sliding(500, sinks=4, recent=100),
        C.relevant(query="answer 7", max_tokens=300, scorer="lexical") + C.window(1),
        C.salient(0.3) | C.budget(600, overflow="truncate_least_salient", steps=False),
        C.decay(3, 3, spare=0.4),
    ],
    ids=repr,
)
def test_what_was_chosen_for_one_format_is_not_taken_for_another(spec):
    session = Session("s")
    for n in range(30):
        session.user(f"question {n}")
        session.assistant(f"answer {n} " + "b " * ((n * 7) % 23))
    targets = [target("gpt-5", format=name) for name in (*FORMATS, "text")]
    for one in targets:
        for other in targets:
            compile(session, spec, target=one)
            pack = compile(session, spec, target=other)
            fresh = Session("s", session.log)
            assert compile(fresh, spec, target=other).body == pack.body


def test_a_large_result_leaves_a_sliding_window_when_it_is_no_longer_the_newest():
    session = Session()
    session.user("Repair it.")
    for n, size in enumerate((40, 40, 700, 700, 5)):
        session.call("write" if n == 2 else "read", f'{{"n": {n}}}', id=f"c{n}")
        session.result(f"c{n}", f"page {n} " + "word " * size, error=n == 2)
    pack = compile(session, C.sliding(window=1200, recent=200) | C.silent(), model="gpt-5")
    assert [block.id for block in pack.manifest.kept] == ["e0", "e5", "e9"]
    assert pack.tokens < 1200
