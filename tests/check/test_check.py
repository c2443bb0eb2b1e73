"""Each rule of the contract checker: what triggers it, and a near miss."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from contextwright import C, Session, compile
from contextwright.check import AgentStep, Branch, check, read_pipeline
from contextwright.errors import SpecError
from contextwright.testing import session_of


def step(spec=None, agent="a", **fields):
    return AgentStep(agent=agent, spec=spec, **fields)


def codes(*parts, **options):
    return [(one.severity, one.code) for one in check(parts, **options).findings]


def test_a_template_variable_that_nobody_wrote_is_an_error():
    assert codes(step(instruction="Help {name}.")) == [("error", "template-variable")]
    assert codes(step(C.template("for {name}"))) == [("error", "template-variable")]
    assert codes(step(instruction="Help {name?}.")) == []
    assert codes(step(instruction="Help {name}."), known=["name"]) == []
    assert codes(C.capture("name"), step(instruction="Help {name}.")) == []
    assert codes(step(agent="b", outputs=("name",)), step(instruction="Help {name}.")) == []


def test_a_key_read_before_it_is_written_is_an_error():
    reads = step(C.from_state("plan"), agent="reader")
    writes = step(agent="planner", outputs=("plan",))
    assert codes(reads, writes) == [("error", "unwritten-key")]
    assert codes(writes, reads) == []
    assert codes(step(C.relevant("plan"))) == [("error", "unwritten-key")]
    assert codes(step(C.relevant("__user_content__"))) == []
    assert codes(step(C.extract({"a": "str"}, key="plan") + C.from_state("plan"))) == []
    assert codes(step(C.window(1) + C.capture("plan", what="output")), reads) == []


def test_a_key_written_on_some_paths_only_is_named_with_what_to_do():
    branch = Branch(
        on="kind",
        cases={
            "a": (step(agent="one", outputs=("result",)),),
            "b": (step(agent="two", outputs=("other",)),),
        },
    )
    found = check([branch, step(C.from_state("result"), agent="last")], known=["kind"]).findings
    assert [(one.severity, one.code) for one in found] == [("warning", "unwritten-key")]
    hard = [branch, step(instruction="Say {result}.", agent="last")]
    assert [one.code for one in check(hard, known=["kind"]).errors] == ["template-variable"]
    both = msgspec.structs.replace(
        branch, cases={"a": branch.cases["a"]}, default=(step(agent="d", outputs=("result",)),)
    )
    assert codes(both, step(C.from_state("result"), agent="last"), known=["kind"]) == []
    inside = Branch(on="kind", cases={"a": (step(C.from_state("x"), agent="in"),)})
    assert "on the path kind=a" in check([inside], known=["kind"]).findings[0].what
    assert codes(Branch(on="kind", cases={})) == [("error", "unwritten-key")]


def test_notes_that_wait_for_each_other_are_an_error():
    one = step(C.notes("b") + C.write_notes("a"), agent="one")
    two = step(C.notes("a") + C.write_notes("b"), agent="two")
    report = check([one, two])
    assert [one.code for one in report.errors] == ["circular-notes"]
    assert report.errors[0].where == "one → two → one"
    assert not report.rules["No circular note dependencies"]
    own = step(C.notes("a") + C.write_notes("a", strategy="replace"), agent="one")
    assert codes(own, step(C.notes("a"), agent="two")) == []


def test_notes_that_nobody_reads_are_a_warning():
    assert codes(step(C.window(1) + C.write_notes("log"))) == [("warning", "dead-notes")]
    written = step(C.window(1) + C.write_notes("log", strategy="replace"))
    assert codes(written, step(C.notes("log"), agent="b")) == []


def test_tier_1_over_its_budget_is_an_error_that_names_its_blocks():
    spec = (C.from_state("profile") | C.priority(1)) | C.budget(max_tokens=60)
    report = check(step(spec), state={"profile": "word " * 200})
    assert [one.code for one in report.errors] == ["tier-1-over-budget"]
    assert "state:profile" in report.errors[0].what
    assert check(step(spec), state={"profile": "short"}).findings == ()
    assert (
        codes(step(C.template("{gone}"), agent="b"), state={"x": "1"})[-1][1] == "does-not-compile"
    )


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (C.window(2).or_else(C.default()), "unreachable"),
        (C.default().or_else(C.notes("x")), "unreachable"),
        (C.none() | C.compact(), "unreachable"),
        (C.select(role="user") | C.select(role="assistant"), "unreachable"),
        (C.window(2) | C.priority(1) | C.priority(2), "no-effect"),
        (C.window(3) | C.window(5), "no-effect"),
        (C.window(5) | C.fresh(max_age=9), "no-effect"),
        (C.window(5) | C.compact("stale", stale_after=5), "no-effect"),
    ],
)
def test_what_can_never_do_anything_is_named(spec, code):
    found = check(spec).findings
    assert code in [one.code for one in found]
    assert all(one.where and one.fix for one in found)


@pytest.mark.parametrize(
    "spec",
    [
        C.from_compaction() | C.window(2),
        C.notes("x").or_else(C.default()) | C.budget(max_tokens=900),
        C.select(role="assistant") | C.select(author="researcher") | C.window(n=1),
        C.window(5) | C.window(3),
        C.window(3) | C.window(n=5, steps=9),  # nine steps may be less than three turns
        C.window(n=3, steps=9) | C.fresh(max_age=5),
        C.window(5) | C.fresh(max_age=3),
        C.window(5) | C.compact("stale", stale_after=4),
        C.rolling(n=3),
        C.relevant(top_k=3),
        C.manus_cascade(),
    ],
)
def test_near_misses_are_left_alone(spec):
    assert [
        one for one in check(spec, known=["_notes_x"]).findings if one.code != "unbounded"
    ] == []


def test_a_context_that_nothing_bounds_is_a_warning():
    loose = (
        C.default(),
        C.select(role="user"),
        C.compact(),
        C.default() | C.truncate(9),
        C.dedup() + C.notes("x"),
        C.salient(0.3),
        C.view(),
    )
    for spec in loose:
        assert [one.code for one in check(spec, known=["_notes_x"]).warnings] == ["unbounded"], spec
        assert check(spec | C.budget(max_tokens=900), known=["_notes_x"]).findings == ()
    for spec in (
        C.window(3),
        C.recent(),
        C.sliding(),
        C.default() | C.summarize(),
        C.select(position="last"),
        C.from_state("x"),
    ):
        assert check(spec, known=["x"]).findings == (), spec


def test_a_boundary_needs_a_redaction_that_covers_it():
    window = C.window(3)
    assert codes(step(window, boundary=("email",))) == [("error", "boundary")]
    assert codes(step(window | C.redact(["email"]), boundary=("email",))) == []
    assert codes(step(window | C.redact(["pii"]), boundary=("email", "phone"))) == []
    assert codes(step(window | C.redact(["email"]), boundary=("pii",))) == [("error", "boundary")]
    inner = (C.window(3) | C.redact(["email"])) + C.notes("x")
    assert ("error", "boundary") in codes(step(inner, boundary=("email",)))


def test_what_leaks_in_a_sample_is_found():
    session = session_of("u: mail ann@home.org | a: ok | u: and?")
    report = check(step(C.window(3), boundary=("email",)), sessions=session)
    assert [one.code for one in report.errors] == ["boundary", "leak"]
    assert "email" in report.errors[1].what
    assert (
        check(step(C.window(3) | C.redact(["email"]), boundary=("email",)), sessions=session).errors
        == ()
    )


def test_precedence_that_reads_two_ways_is_a_warning_where_the_text_is_known():
    def warned(text):
        spec = C.window(1)
        return [one.code for one in check(step(spec, source=text)).warnings]

    assert warned("C.window(2) + C.notes('x') | C.compact()") == ["precedence"]
    assert warned("(C.window(2) + C.notes('x')) | C.compact()") == []
    assert warned("C.window(2) + (C.notes('x') | C.compact())") == []
    assert warned("C.window(2) + C.notes('x') | C.budget(max_tokens=9)") == []
    assert warned("C.window(2) | C.priority(1) + C.notes('x') | C.priority(2)") == []


def test_two_limits_are_a_kind_error():
    from contextwright.spec.expr import Pipe

    spec = Pipe(C.window(1), (C.budget(max_tokens=9), C.fit(target_tokens=9)))
    assert [one.code for one in check(spec).errors] == ["kind"]


def test_a_session_measures_tiers_and_headroom():
    session = Session(state={"intent": "billing"})
    for n in range(8):
        session.user(f"question {n} " * 20)
        session.assistant(f"answer {n} " * 50)
    session.user("now?")
    spec = (
        C.from_state("intent")
        | C.priority(1) + C.window(3)
        | C.priority(2)
        | C.budget(max_tokens=4000)
    )
    report = check(step(spec), sessions=session)
    agent = report.agents[0]
    assert report.samples == 4
    assert [tier.tier for tier in agent.tiers] == [1, 2]
    assert agent.tiers[0].least == agent.tiers[0].most > 0
    assert 0 <= agent.tiers[1].least < agent.tiers[1].most < 1000
    low, high = agent.headroom
    assert 3000 < low < high < 4000
    text = report.text()
    assert "✓ a: 2-tier context within 4,000 tokens" in text
    assert f"Tier 1: C.from_state('intent') ({agent.tiers[0].most} tokens)" in text
    assert f"headroom {low:,}-{high:,}" in text


def test_a_report_is_json_and_has_the_documents_form():
    report = check([step(C.window(2) | C.budget(max_tokens=500), agent="x"), step(agent="y")])
    data = json.loads(report.to_json())
    assert data["agents"][0]["budget"] == 500
    assert data["rules"]["All template variables resolved"] is True
    lines = report.text().splitlines()
    assert lines[0] == "✓ x: context within 500 tokens"
    assert lines[1] == "  Tier 2: C.window(n=2)"
    assert lines[-len(report.rules) :] == [f"✓ {rule}" for rule in report.rules]


def test_a_pipeline_is_read_from_json(tmp_path):
    path = tmp_path / "pipeline.json"
    path.write_text(
        json.dumps(
            [
                {"agent": "sort", "spec": "C.window(2)", "outputs": ["kind"]},
                {"on": "kind", "cases": {"a": [{"agent": "one", "instruction": "Do {what}."}]}},
                {"agent": "two", "spec": {"atom": "window", "n": 1}, "boundary": ["email"]},
            ]
        )
    )
    pipeline = read_pipeline(path)
    assert pipeline[0] == AgentStep(
        agent="sort", spec=C.window(2), outputs=("kind",), source="C.window(2)"
    )
    assert {one.code for one in check(pipeline).errors} == {"template-variable", "boundary"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "not a pipeline"),
        ('[{"agent": "a", "spce": "C.none()"}]', "spce"),
        ('[{"spec": "C.none()"}]', "neither an agent nor a branch"),
        ("[1, ", "not a pipeline"),
    ],
)
def test_wrong_files_are_named(tmp_path, text, words):
    path = tmp_path / "pipeline.json"
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        read_pipeline(path)
    assert words in str(caught.value)
    assert str(path) in caught.value.where


def test_anything_else_is_refused():
    with pytest.raises(SpecError):
        check(["C.window(5)"])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ('"C.windo(2)"', "windo"),
        ('"C.compact() | C.window(2)"', "cannot select after compressing"),
        ('{"atom": "window", "n": 0}', "n is 0"),
    ],
)
def test_a_spec_that_means_nothing_is_a_finding_beside_others(tmp_path, spec, words):
    path = tmp_path / "pipeline.json"
    path.write_text(f'[{{"agent": "a", "spec": {spec}}}, {{"agent": "b", "spec": "C.default()"}}]')
    report = check(read_pipeline(path))
    assert [(one.agent, one.code) for one in report.findings] == [("a", "kind"), ("b", "unbounded")]
    assert words in report.findings[0].what
    assert report.findings[0].fix


def test_an_age_beyond_a_window_is_none_in_a_chat_and_is_reached_in_a_long_turn():
    spec = C.window(5) | C.fresh(max_age=9)
    [found] = check(spec).findings
    assert "in a chat, a window of 5 turns has none" in found.what
    session = Session()
    session.user("Repair it.")
    for n in range(20):
        session.call("read", f'{{"n": {n}}}', id=f"c{n}")
        session.result(f"c{n}", f"page {n}")
    changes = compile(session, spec, model="gpt-5").manifest.changes
    assert {one.step for one in changes} == {"C.fresh(max_age=9)"}


def test_a_window_behind_a_selection_says_nothing_of_ages():
    spec = C.select(author="r") | C.window(2) | C.fresh(max_age=5)
    assert "no-effect" not in [one.code for one in check(spec).findings]


def test_early_moments_have_the_state_of_their_time():
    session = Session()
    for n in range(6):
        session.user(f"q{n}")
        session.assistant("ok")
    session.update({"late": "word " * 500})
    session.user("now?")
    tier = (
        check(C.from_state("late") | C.budget(max_tokens=4000), sessions=session).agents[0].tiers[0]
    )
    assert tier.least == 0
    assert tier.most > 400


def test_what_a_sample_held_later_was_not_there_before():
    session = Session(state={"early": "x"})
    session.user("q")
    session.update({"plan": "x"})
    codes_with = [one.code for one in check(C.from_state("plan"), sessions=session).findings]
    assert codes_with == ["unwritten-key"]
    assert check(C.from_state("early"), sessions=session).findings == ()


def test_what_does_not_fit_without_a_tier_1_is_named_as_such():
    session = session_of("u: " + "word " * 300)
    for overflow in ("truncate_oldest", "error"):
        report = check(C.window(1) | C.budget(max_tokens=50, overflow=overflow), sessions=session)
        assert [one.code for one in report.errors] == ["over-budget"]
        assert report.rules["Priority tiers consistent (tier 1 always < budget)"]
        assert not report.rules["Every spec compiles and fits"]


def test_notes_that_nobody_writes_are_a_warning():
    assert codes(step(C.notes("gone"))) == [("warning", "unwritten-notes")]
    assert codes(step(C.notes("gone")), known=["_notes_gone"]) == []
    assert codes(step(C.notes("f")), step(C.window(1) + C.distill("f"), agent="b")) == []


def test_the_keys_that_a_validation_wants_are_read():
    spec = C.window(1) | C.validate("completeness", keys=["plan"])
    assert codes(step(spec)) == [("error", "unwritten-key")]
    assert codes(step(spec), known=["plan"]) == []


def one_turn(calls):
    session = Session("agent-run")
    session.user("do it")
    for n in range(calls):
        session.call("search", f'{{"q": "{n}"}}', id=f"c{n}")
        session.result(f"c{n}", "found " * 60)
    return session


def idle(spec, *sessions):
    findings = check(spec, sessions=sessions).findings
    return [one for one in findings if one.code == "no-effect"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (C.window(n=5), ["C.window(n=5)"]),
        (C.default() | C.window(n=5), ["C.window(n=5)"]),
        (C.window(steps=5), []),
        (C.default() | C.truncate(9000), ["C.truncate(max_tokens=9000)"]),
        (C.default() | C.truncate(20), []),
        (C.default() | C.priority(1), []),
        (C.default() | C.redact(["email"]), []),
        (C.default() | C.budget(max_tokens=90_000), ["C.budget(max_tokens=90000)"]),
        (C.default() | C.budget(max_tokens=1_500), []),
        (C.default() | C.fit(90_000), ["C.fit(target_tokens=90000)"]),
        (C.window(steps=3) + C.select(role="user"), []),
    ],
    ids=repr,
)
def test_a_word_that_changed_nothing_in_a_session_is_named(spec, words):
    assert [one.where for one in idle(spec, one_turn(40))] == words


def test_a_window_of_turns_that_holds_one_long_turn_is_told_to_count_steps():
    (finding,) = idle(C.window(n=5), one_turn(40))
    assert finding.severity == "warning"
    assert finding.what == "C.window(n=5) changed nothing in the session 'agent-run'"
    assert finding.fix == "the session has 1 turn and 41 steps: C.window(steps=...) counts steps"


def test_each_session_is_judged_by_itself():
    talk = Session("talk")
    for n in range(8):
        talk.user(f"question {n}")
        talk.assistant(f"answer {n}")
    talk.user("now?")
    found = idle(C.window(n=5), one_turn(40), talk)
    assert [one.what for one in found] == [
        "C.window(n=5) changed nothing in the session 'agent-run'"
    ]
    assert check(C.window(n=5), sessions=[one_turn(40), talk]).samples == 5


def test_a_report_fits_a_terminal():
    text = check(C.window(n=5) | C.budget(max_tokens=90_000), sessions=one_turn(40)).text()
    assert "no-effect" in text and max(map(len, text.splitlines())) <= 80


def test_a_window_that_moves_at_every_call_is_a_warning():
    moving = [("warning", "moving-prefix")]
    assert codes(step(C.window(steps=8))) == moving
    assert codes(step(C.from_agents_windowed(a=C.window(steps=3)))) == moving
    assert codes(step(C.window(steps=8, stride=4))) == codes(step(C.rolling(steps=8))) == []
    assert codes(step(C.window(steps=1))) == codes(step(C.window(n=8))) == []


def test_every_code_stands_on_the_checkers_page():
    root = Path(__file__).parents[2]
    sources = "".join(path.read_text() for path in (root / "src/contextwright/check").glob("*.py"))
    named = re.findall(r'"(?:error|warning)",\s*"(?!warning)([a-z0-9-]+)"', sources)
    page = (root / "docs/reference/checker.md").read_text()
    assert len(set(named)) > 12
    assert set(named) <= set(re.findall(r"^\| `([a-z0-9-]+)`", page, re.MULTILINE))
