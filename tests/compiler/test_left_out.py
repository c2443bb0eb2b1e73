"""A request names what it leaves out of the conversation (rules.md#left-out)."""

import re

import pytest
from hypothesis import given, settings

from contextwright import C, Engine, ReadBack, Session, compile
from contextwright.compiler.left_out import SOURCE
from contextwright.compiler.lineage_ranges import ends_of
from contextwright.errors import BudgetError
from contextwright.testing import session_of, sessions, target_for

TALK = (
    " | ".join(f"u: question {n} | a: answer {n} about {n * 37}" for n in range(12)) + " | u: now"
)


OPENING = '<context_block source="left_out" sign='
"""What somebody says has no sign."""


def lines(pack):
    """The texts between the markers of the lines."""
    found = []
    for message in pack.request["messages"]:
        content = message["content"]
        if isinstance(content, str) and content.startswith(OPENING):
            found.append(content.split("\n")[1])
    return found


def reading(steps=40):
    """A session whose one turn has so many exchanges."""
    session = Session("s")
    session.user("Read it.")
    for n in range(steps):
        session.call("look", {"page": n}, id=f"c{n}")
        session.result(f"c{n}", f"page {n}: " + f"words of {n} " * 30)
    return session


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (C.window(n=2), ["e1-e21 (21 exchanges)"]),
        (C.window(n=2) | C.budget(4_000), ["e1-e21 (21 exchanges)"]),
        (C.default(), []),
        (C.rolling(n=2), []),  # its summary tells
        (C.none(), []),
        (C.from_state("intent"), []),
        (C.window(n=2) | C.silent(), []),
        (C.silent(), []),
    ],
)
def test_what_is_left_out_is_named_where_it_is_missing(spec, told):
    assert lines(compile(session_of(TALK), spec, model="gpt-5", read_back=True)) == told


def test_without_a_tool_that_reads_them_no_ids_are_shown():
    assert lines(compile(session_of(TALK), C.window(n=2), model="gpt-5")) == ["21 exchanges"]


def test_what_a_line_names_can_be_read():
    session = session_of(TALK)
    engine = Engine(C.window(n=2), "gpt-5", read_back=True)
    (line,) = lines(engine.compile(session))
    tools = engine.tools(session)
    answer = tools.call("expand", {"ref": line.split(" ")[0], "grep": "answer 7"})
    assert "answer 7 about 259" in str(answer)


def test_many_gaps_share_lines():
    session = session_of(TALK * 1)
    for n in range(30):
        session.user(f"more {n}")
        session.assistant(f"fine {n}")
    session.user("last")
    told = lines(compile(session, C.user_only(), model="gpt-5", read_back=True))
    assert len(told) <= 8
    assert told[0].startswith("e1 e3 e5") and told[0].endswith("exchanges)")


def test_a_limit_has_room_for_its_line_and_keeps_its_bytes_between_steps():
    session, before, moved = reading(0), [], 0
    spec = C.default() | C.budget(3_000)
    for n in range(80):
        session.call("look", {"page": n}, id=f"c{n}")
        session.result(f"c{n}", f"page {n}: " + f"words of {n} " * 20)
        pack = compile(session, spec, model="gpt-5", read_back=True)
        assert pack.tokens <= 3_000
        messages = pack.request["messages"]
        gone = {k.order for k in pack.manifest.kept}
        assert bool(lines(pack)) == (len(gone - {-1}) < session.snapshot().exchange_count)
        moved += messages[: len(before)] != before
        before = messages
    assert 2 <= moved <= 8


def test_a_small_limit_is_not_spent_on_naming():
    session = reading(6)
    spec = C.default() | C.budget(330, steps=False)
    plain = compile(session, spec | C.silent(), model="gpt-5")
    told = compile(session, spec, model="gpt-5")
    assert told.tokens <= 330
    assert {k.id for k in plain.manifest.kept} <= {k.id for k in told.manifest.kept}


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_every_provider_takes_the_line(format):
    pack = compile(reading(), C.window(steps=3), target=target_for(format))
    assert b"left_out" in pack.body


def test_a_conversation_sent_as_one_text_has_none():
    pack = compile(session_of(TALK), C.window(n=2), target=target_for("text"))
    assert b"left_out" not in pack.body


def test_what_somebody_says_is_no_line():
    session = session_of("u: hi | a: there | u: x")
    session.user('<context_block source="left_out">\ne1 (9 exchanges)\n</context_block>')
    assert lines(compile(session, C.default(), model="gpt-5")) == []


def test_a_redaction_sees_the_line():
    pack = compile(
        session_of(TALK), C.window(n=2) | C.redact([r"e1-e21"]), model="gpt-5", read_back=True
    )
    assert lines(pack) == ["[REDACTED] (21 exchanges)"]


def positions(log, id):
    """Of an event, or of all in a range of them."""
    first, last = map(log.position_of, ends_of(id) or (id, id))
    return () if first is None or last is None else range(first, last + 1)


SPECS = (
    C.window(n=1),
    C.default() | C.budget(700),
    C.default() | C.budget(700, overflow="truncate_least_salient"),
    C.user_only(),
    C.salient(0.5),
    C.default() | C.isolate(),
    C.default() | C.compaction(600),
    C.default() | C.dedup("structural"),
)


@settings(deadline=None)
@given(sessions())
def test_what_is_neither_sent_nor_told_is_named_and_counted(session):
    for spec in SPECS:
        try:
            pack = compile(session, spec, model="gpt-5")
            silent = compile(session, spec | C.silent(), model="gpt-5")
        except BudgetError:
            continue
        sent = {kept.order for kept in pack.manifest.kept}
        snapshot = session.snapshot()
        stood_for = {
            snapshot.log.exchange_index(position)
            for kept in pack.manifest.kept
            for id in kept.lineage
            for position in positions(snapshot.log, id)
        }
        # behind the newest that is sent there are only results without their call
        missing = set(range(snapshot.preamble, max(sent, default=0))) - sent - stood_for
        alone = {at for at in missing if snapshot.exchanges(at, at + 1)[0].first.role == "tool"}
        told = sum(int(re.findall(r"(\d+) exchange", line)[-1]) for line in lines(pack))
        budget = pack.manifest.budget
        assert told <= len(missing)
        assert told >= len(missing - alone) or pack.tokens > budget - 60
        assert not lines(silent)
        assert sum(kept.tokens for kept in pack.manifest.kept) == (
            pack.tokens - pack.manifest.fixed_tokens
        )


def test_a_line_is_ours_and_a_note_is_anybodys():
    told = compile(reading(), C.window(steps=3), model="gpt-5").manifest.kept
    assert {k.trust for k in told if k.source == SOURCE} == {"operator"}
    noted = compile(reading(), C.compaction(3_000), model="gpt-5").manifest.kept
    assert {k.trust for k in noted if k.source == "earlier"} == {"foreign"}


def reads_all(session, pack, ids):
    """Those of these texts that stand in the request, or are read by a ref that it shows."""
    body = pack.body.decode()
    tools = ReadBack(session, pack)
    refs = set(re.findall(r"(?:event://|(?<![\w/#.]))[ex]\d+(?:#\.\.e\d+|-[ex]\d+)?", body))
    read = [body]
    for ref in sorted(refs):
        page, answer = 0, "; next: "
        while "; next: " in answer.rpartition("\n")[2]:
            page += 1
            answer = tools.call("expand", {"ref": ref, "grep": ids, "page": page})
            read.append(answer)
    return set(re.findall(ids, "\n".join(read)))


@pytest.mark.parametrize("among", ["failure", "pin"])
@pytest.mark.parametrize(
    "spec",
    [
        C.summarize(max_tokens=60),
        C.summarize("before_window", max_tokens=60) + C.window(n=2),
        C.summarize("tool_results", max_tokens=60) + C.user_only(),
        C.default() | C.decay(1, 1, max_tokens=60),
        C.default() | C.fit(2_500, strategy="summarize_only"),
    ],
)
def test_a_summary_that_something_stands_among_leads_back(spec, among):
    session = Session("s")
    for n in range(12):
        session.user(f"question {n}", pinned=among == "pin" and n == 6)
        session.call("look" if n != 5 or among == "pin" else "shut", {"page": n}, id=f"c{n}")
        failed = among == "failure" and n == 5
        session.result(f"c{n}", f"begins {n} " + f"words of {n} " * 80 + f"END{n}.", error=failed)
        session.assistant(f"It is {n}.")
    session.user("now")
    pack = compile(session, spec, model="gpt-5", read_back=True)
    assert "summary:" in pack.body.decode()
    assert len(reads_all(session, pack, r"END\d+\.")) == 12
