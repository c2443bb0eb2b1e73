"""SELECT: what each word brings, and what it keeps after a pipe."""

import pytest

from contextwright import C, S, Session, compile, record
from contextwright.compiler.assemble import BY_THE_ENGINE
from contextwright.compiler.left_out import SOURCE
from contextwright.errors import RefError, SpecError
from contextwright.testing import session_of, target_for


def research():
    session = Session("s", state={"intent": "billing", "profile": {"name": "Ada", "ssn": "1"}})
    session.add("system", "be brief")
    for turn in range(6):
        session.user(f"question {turn}")
        session.call("search", '{"q": "x"}', id=f"c{turn}", author="researcher")
        session.result(f"c{turn}", f"found {turn}")
        session.assistant(f"draft {turn}", author="critic", tags=("approved",) if turn == 2 else ())
    return session


def kept(session, spec):
    """Ids of the conversation blocks that the spec brings, what the engine adds aside."""
    pack = compile(session, spec, target=target_for("openai-chat"))
    return [b.id for b in pack.manifest.kept if b.source not in {*BY_THE_ENGINE, SOURCE}]


TURN = {turn: [f"e{1 + turn * 4 + n}" for n in (0, 1, 3)] for turn in range(6)}


def turns(*numbers):
    return [id for number in numbers for id in TURN[number]]


def test_window_is_the_newest_turns_with_the_running_one():
    assert kept(research(), C.window(n=2)) == turns(4, 5)
    assert kept(research(), C.last_n_turns(2)) == turns(4, 5)
    assert kept(research(), C.window(n=99)) == turns(*range(6))


def test_window_behind_a_selection_counts_the_selections_own_turns():
    session = research()
    session.user("a turn without research")
    ids = kept(session, C.select(author="researcher") | C.window(n=1))
    assert ids == ["e22"]


@pytest.mark.parametrize(
    ("spec", "ids"),
    [
        (C.select(author="critic"), [f"e{4 + 4 * t}" for t in range(6)]),
        (C.select(role="user"), [f"e{1 + 4 * t}" for t in range(6)]),
        (C.user_only(), [f"e{1 + 4 * t}" for t in range(6)]),
        (C.select(type="tool_result"), [f"e{2 + 4 * t}" for t in range(6)]),
        (C.select(author="researcher", type="tool_call"), [f"e{2 + 4 * t}" for t in range(6)]),
        (C.select(author="researcher", type="tool_result"), []),
        (C.select(tag="approved"), ["e12"]),
        (C.select(role="user", position="first"), ["e1"]),
        (C.select(role="user", position="last"), ["e21"]),
        (C.select(scope="tool_results", position="last"), ["e22"]),
        (
            C.from_agents("researcher", "critic"),
            [id for t in range(6) for id in (f"e{2 + 4 * t}", f"e{4 + 4 * t}")],
        ),
        (C.exclude_agents("critic", "researcher"), [f"e{1 + 4 * t}" for t in range(6)]),
        (C.select("nobody"), []),
        (C.none(), []),
        (C.default(), turns(*range(6))),
        (C.window(2) | C.select(author="critic"), ["e20", "e21", "e24"]),
        (C.default() | C.select(tag="approved"), ["e1", "e12", "e21", "e24"]),
    ],
    ids=repr,
)
def test_selection_by_what_events_are(spec, ids):
    assert kept(research(), spec) == ids


def test_what_is_before_the_window_is_what_the_window_left():
    session = research()
    before = kept(session, C.select(scope="before_window") + (C.window(n=2) | C.priority(4)))
    assert before == [*turns(0, 1, 2, 3), "e21", "e24"]  # the live edge is in no archive
    with pytest.raises(SpecError, match=r"no C\.window"):
        kept(session, C.select(scope="before_window"))


def test_a_tag_set_by_a_state_step_is_found():
    session = research()
    record(session, S.tag("checked", "e8"), S.tag("newest"))
    assert kept(session, C.select(tag="checked")) == ["e8"]
    assert kept(session, C.select(tag="newest")) == ["e24"]
    assert session.state["temp:_event_tags_e8"] == ["checked"]


@pytest.mark.parametrize(
    ("spec", "first", "scores"),
    [
        (C.recent(1, min_score=0.25), 3, [250_000, 500_000, 1_000_000]),
        (C.recent(decay="linear", window=4, min_score=0.5), 3, [500_000, 750_000, 1_000_000]),
        (C.recent(decay="step", window=1), 4, [1_000_000, 1_000_000]),
    ],
    ids=repr,
)
def test_recency_follows_its_formula(spec, first, scores):
    pack = compile(research(), spec, target=target_for("openai-chat"))
    found = {b.score: None for b in pack.manifest.kept if b.source.startswith("recent")}
    assert list(found) == list(dict.fromkeys(scores))
    assert kept(research(), spec) == turns(*range(first, 6))


def text(session, spec):
    return compile(session, spec, target=target_for("text")).text


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        (C.from_state("intent"), "Intent: billing"),
        (C.from_state("intent", format="plain"), "billing"),
        (C.from_state("intent", format="json"), '"billing"'),
        (C.from_state("profile"), 'Profile: {"name":"Ada","ssn":"1"}'),
        (C.template("You handle {intent} for {nobody?}."), "You handle billing for ."),
    ],
    ids=repr,
)
def test_state_is_shown_as_asked(spec, shown):
    assert f">\n{shown}\n<" in text(research(), spec)


def test_a_missing_key_is_noted():
    pack = compile(research(), C.from_state("nope"), target=target_for("openai-chat"))
    assert pack.manifest.notes == ("state has no 'nope'",)


@pytest.mark.parametrize(
    "spec",
    [C.from_agents("nobody"), C.window(2) | C.exclude_agents("nobody")],
    ids=repr,
)
def test_an_author_who_wrote_nothing_is_noted(spec):
    pack = compile(research(), spec, target=target_for("openai-chat"))
    assert "no event is by an author 'nobody'" in pack.manifest.notes


def test_a_template_puts_values_in_once_and_refuses_missing_ones():
    session = research()
    session.update({"intent": "{profile}"})
    assert "{profile}" in text(session, C.template("{intent}"))
    assert "{a.b[0]}" in text(session, C.template("{a.b[0]}"))
    with pytest.raises(SpecError, match="'absent'"):
        text(session, C.template("{absent}"))


def test_or_else_takes_the_second_where_the_first_gives_nothing():
    session = research()
    assert kept(session, C.select("nobody").or_else(C.window(1))) == turns(5)
    pack = compile(
        session, C.select("nobody").or_else(C.window(1)), target=target_for("openai-chat")
    )
    assert any("gave nothing" in note for note in pack.manifest.notes)


def test_expand_brings_what_a_ref_names():
    session = research()
    session.update({"ref": "event://e2#0"})
    assert "found 0" in text(session, C.expand("event://e2#0"))
    assert "Ref: found 0" in text(session, C.from_state("ref") | C.expand())
    with pytest.raises(RefError):
        text(session, C.expand("event://nothing"))


def test_an_event_that_two_terms_bring_is_sent_once():
    ids = kept(research(), C.window(2) + C.select(author="critic"))
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "make",
    [
        lambda: C.window(0), lambda: C.recent(0), lambda: C.recent(min_score=2), lambda: C.from_state(),
        lambda: C.from_agents(), lambda: C.priority(5), lambda: C.budget(0), lambda: C.fit(0),
        lambda: C.compact("stale", stale_after=0), lambda: C.truncate(0), lambda: C.project(),
        lambda: C.project(["a"], exclude=["b"]), lambda: C.fresh(-1), lambda: C.redact(),
        lambda: C.redact("emial"), lambda: C.validate([]), lambda: C.expand_refs(),
    ],
)  # fmt: skip
def test_options_out_of_range_are_refused_with_a_fix(make):
    with pytest.raises(SpecError) as caught:
        make()
    assert caught.value.where
    assert caught.value.fix


def compacted(covers=None):
    session = session_of("s: brief | u: one | a: first | u: two | a: second")
    metadata = {"kind": "summary", "scope": "historical", **({"covers": covers} if covers else {})}
    session.assistant("Summary: one and two were asked.", id="sum", metadata=metadata)
    session.user("three")
    session.assistant("third")
    session.user("four")
    return session


@pytest.mark.parametrize(
    ("covers", "ids"),
    [
        (None, ["e1", "e6", "e7", "e8", "summary:sum"]),
        (["e1", "e2"], ["e1", "e3", "e4", "e6", "e7", "e8", "summary:sum"]),
    ],
)
def test_a_summary_in_the_log_replaces_what_it_covers(covers, ids):
    session = compacted(covers)
    spec = C.from_compaction() | C.window(n=5)
    assert spec == C.from_compaction().or_else(C.window(5))
    pack = compile(session, spec, target=target_for("openai-chat"))
    assert [b.id for b in pack.manifest.kept] == ids
    assert {b.id: b.fidelity for b in pack.manifest.kept}["summary:sum"] == "summarized"
    assert "first" not in pack.body.decode()


def test_without_a_summary_the_window_is_taken():
    assert kept(research(), C.from_compaction() | C.window(n=1)) == turns(5)


@pytest.mark.parametrize(
    ("molecule", "atoms"),
    [
        (
            C.from_agents_windowed(researcher=1, critic=None),
            (C.select(author="researcher") | C.window(n=1)) + C.select(author="critic"),
        ),
        (
            C.user("bookend"),
            C.select(role="user", position="first") + C.select(role="user", position="last"),
        ),
        (C.user("last"), C.select(role="user", position="last")),
        (C.user(), C.user_only()),
        (C.from_agents("a", "b"), C.select(author="a") + C.select(author="b")),
    ],
    ids=repr,
)
def test_molecules_are_the_atoms_they_are_said_to_be(molecule, atoms):
    assert molecule == atoms
    assert kept(research(), molecule) == kept(research(), atoms)


@pytest.mark.parametrize(
    "make",
    [
        lambda: C.window("3"), lambda: C.window(steps="3"), lambda: C.window(2.5), lambda: C.budget("many"),
        lambda: C.priority("1"), lambda: C.compact("gently"), lambda: C.select(role="robot"),
        lambda: C.select(type="sound"), lambda: C.budget(9, overflow="explode"), lambda: C.fit(9, strategy="x"),
        lambda: C.truncate(9, strategy="middle"), lambda: C.fresh(1, stale_action="eat"), lambda: C.redact(7),
        lambda: C.validate(["vibes"]), lambda: C.notes(3), lambda: C.from_state(1), lambda: C.template(None),
        lambda: C.recent("x"), lambda: C.capture(None), lambda: C.dedup("by feel"), lambda: C.relevant(top_k="all"),
            lambda: C.summarize(max_tokens="few"), lambda: C.extract({}, key="x"),
            lambda: C.extract({"a": "maybe"}, key="x"), lambda: C.write_notes("k", strategy="shout"),
            lambda: C.distill(None), lambda: C.relevant("intent", query="q"), lambda: C.relevant(top_k=0),
    ],
)  # fmt: skip
def test_options_of_the_wrong_type_are_refused_with_place_and_fix(make):
    with pytest.raises(SpecError) as caught:
        make()
    assert caught.value.where
    assert caught.value.fix


def test_what_is_no_session_no_model_and_no_part_is_refused():
    from contextwright.errors import ModelError, SessionError

    with pytest.raises(SessionError, match="expected a session"):
        compile("session.json", C.default(), model="gpt-5")
    with pytest.raises(ModelError, match="not a model"):
        compile(research(), C.default(), model=7)
    with pytest.raises(SessionError, match="part"):
        Session().user(7)
    with pytest.raises(SessionError, match="role"):
        Session().append({"role": "user"})
