"""What looks like a limit and is none; names that nobody bears."""

import pytest

from contextwright import C
from contextwright.check import AgentStep, Branch, check
from contextwright.testing import session_of


def codes(pipeline, **options):
    return [finding.code for finding in check(pipeline, **options).findings]


def agents(*specs, **fields):
    return [AgentStep(agent=f"a{n}", spec=spec, **fields) for n, spec in enumerate(specs)]


NOTES = C.write_notes(key="case", strategy="append")


@pytest.mark.parametrize(
    ("pipeline", "code"),
    [
        (C.window(n=100_000), "unbounded"),
        (C.window(steps=100_000), "unbounded"),
        (C.relevant(query="x", top_k=100_000), "unbounded"),
        (agents(NOTES, C.notes(key="case")), "unbounded"),
        (C.notes(key="case") + NOTES, "unbounded"),
        (C.window() | C.budget(10_000_000), "budget-over-window"),
        (C.window() | C.fit(10_000_000), "budget-over-window"),
        (C.template("rule " * 900) | C.priority(1) | C.budget(500), "tier-1-over-budget"),
        (C.summarize(scope="before_window"), "no-effect"),
        (C.default() + (C.select(scope="before_window") | C.compact()), "no-effect"),
        (C.window() | C.dedup() | C.dedup(), "no-effect"),
        (C.window() | C.compact() | C.compact() | C.budget(500), "no-effect"),
        (C.window() | C.validate(["completeness"]), "no-effect"),
        (C.when("urgent", C.window(n=2)), "unwritten-key"),
        (agents(C.select(tag="approved"), C.none()), "unknown-tag"),
        (agents(C.select(author="reseacher"), C.none()), "unknown-author"),
        (agents(C.exclude_agents("critic"), C.none()), "unknown-author"),
        ([AgentStep(agent="a"), AgentStep(agent="a")], "same-name"),
        ([AgentStep(agent="a", outputs=("x",)), AgentStep(agent="b", outputs=("x",))],
         "overwritten-key"),
    ],
)  # fmt: skip
def test_it_is_found(pipeline, code):
    assert code in codes(pipeline)


@pytest.mark.parametrize(
    ("pipeline", "code"),
    [
        (C.window(n=100), "unbounded"),
        ([AgentStep(agent="a", outputs=("urgent",)),
          AgentStep(agent="b", spec=C.when("urgent", C.window(n=2)))], "unwritten-key"),
        (C.window(n=100_000) | C.budget(500), "unbounded"),
        (agents(NOTES, C.notes(key="case") | C.relevant(query="x", top_k=3)), "unbounded"),
        (agents(NOTES, C.notes(key="case") | C.budget(500)), "unbounded"),
        (C.window() | C.compaction(), "budget-over-window"),
        (C.window() | C.budget(272_000), "budget-over-window"),
        (C.template("rule") | C.priority(1) | C.budget(500), "tier-1-over-budget"),
        (C.window(n=2) + C.summarize(scope="before_window"), "no-effect"),
        (C.from_state("x") | C.validate(["completeness"]), "no-effect"),
        (C.window() | C.validate(["completeness"], keys=["x"]), "no-effect"),
        (C.window() | C.dedup() | C.dedup("structural"), "no-effect"),
        (C.select(author="anyone"), "unknown-author"),
        (agents(C.select(author="a1"), C.select(author="user")), "unknown-author"),
        ([AgentStep(agent="r"),
          Branch(on="x", cases={"1": (AgentStep(agent="a"),), "2": (AgentStep(agent="a"),)})],
         "same-name"),
        ([AgentStep(agent="a", outputs=("x",)),
          AgentStep(agent="b", spec=C.from_state("x"), outputs=("x",))], "overwritten-key"),
        ([Branch(on="k", cases={"1": (AgentStep(agent="a", outputs=("x",)),),
                                "2": (AgentStep(agent="b", outputs=("x",)),)})],
         "overwritten-key"),
    ],
)  # fmt: skip
def test_it_is_not_found_where_there_is_none(pipeline, code):
    assert code not in codes(pipeline)


def test_a_session_knows_authors_and_tags():
    session = session_of("u: hi | a: hello | u: more")
    spec = C.select(author="researcher")
    assert "unknown-author" in codes(spec, sessions=session)
    assert "unknown-author" not in codes(C.select(author="assistant"), sessions=session)


def test_every_finding_has_its_place_and_its_fix():
    pipeline = [*agents(C.window(n=100_000), C.select(author="x"), C.select(tag="y")),
                AgentStep(agent="a0", spec=C.budget(10_000_000))]  # fmt: skip
    for finding in check(pipeline).findings:
        assert finding.where and finding.what and finding.fix


def test_a_report_in_a_shell_is_read_by_people():
    report = check(C.window(n=100_000))
    assert repr(report) == report.text() and "\n" in repr(report)
