"""A person's data, gone: from the stores, the journal, and every byte of every file."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, compile
from contextwright.errors import RefError, StoreError
from contextwright.models.answer_cache import RecentAnswers
from contextwright.retention import (
    DataSubject,
    Lethe,
    RecordSelector,
    RetentionPolicy,
    scrub_session,
)
from contextwright.retrieval.item import Item
from contextwright.session import File, Session, Text, Thinking, Tool, ToolCall, ToolResult
from contextwright.spec.task import Answer
from contextwright.testing import FORMATS, assert_valid, sessions, target_for

from .conftest import DAY, NOW

NAMES = ("Ada Lovelace", "Lovelace", "ada@example.org", "José")
ADA = DataSubject("u-1815", NAMES, scopes=("family-Byron",))
STRINGS = [ADA.id, *NAMES, *ADA.scopes]
OLD = NOW - 100 * DAY


def answer(value, key="f"):
    return Answer(fingerprint=key, kind="summary", value=value, model="m", series="s")


def about_ada(id="shared"):
    """Ada in every field that a session has."""
    session = Session(
        id,
        tools=[Tool(name="mail_Lovelace", description="Mails Ada Lovelace", parameters={
            "type": "object", "properties": {"to": {"enum": ["ada@example.org"]}}})],
        metadata={"members": ["u-1815", "u-2"], "Lovelace": {"since": 1843}},
    )  # fmt: skip
    session.add("system", "You help Ada Lovelace and Bob.")
    session.user("I am Ada  LOVELACE, born 1815", author="Lovelace", tags=("lovelace",), time_ms=1,
                 metadata={"from": "ada@example.org"}, extra={"openai": {"user": "u-1815"}})  # fmt: skip
    session.assistant(
        Thinking(text="Lovelace it is", signature="c2ln", provider="anthropic"),
        Text(text="One moment"),
        ToolCall(id="call-Lovelace-1", name="mail_Lovelace",
                 arguments='{"to": "ada@example.org", "n": 1.50, "q": "Jos\\u00e9"}'),
        ToolCall(id="call-lovelace-1", name="look", arguments="{}"),
        id="e-Lovelace",
    )  # fmt: skip
    note = base64.b64encode(b"to Ada Lovelace, kindly").decode()
    session.add("tool", ToolResult(call_id="call-Lovelace-1", name="mail_Lovelace", content=(
        Text(text='{"sent": "Ada Lovelace", "at": "event://e-Lovelace", "n": 7}'),
        File(name="Lovelace.txt", media_type="text/plain", data=note))))  # fmt: skip
    session.add("tool", ToolResult(call_id="call-lovelace-1", content=(Text(text="nothing"),)))
    session.update({"user:name": "Ada Lovelace", "_notes_Lovelace": ["is Lovelace", "pays"]})
    session.update({"user:name": "Bob", "_notes_Lovelace": None})
    session.assistant("Done, Bob. See event://e-Lovelace")
    return session


def everywhere(stores):
    recent = RecentAnswers()
    stores.sessions.save(about_ada())
    stores.session("own", {"_notes_a": ["x"]}, metadata={"user_id": "u-1815"})
    stores.session("own too", metadata={"user": {"email": "ADA@example.org"}})
    stores.session("listed")
    stores.session("Lovelace-chat")
    stores.session("other", notes={"_notes_a": ["Bob's"]})
    stores.memory.write("Likes tea", scope="u-1815")
    stores.memory.write("Her cousin", scope="family-Byron")
    stores.memory.write("Bob met Ada Lovelace", scope="bob")
    stores.memory.forget([stores.memory.write("was matcher", id="mem-Lovelace", scope="u-1815").id])
    stores.memory.write("Bob likes coffee", scope="bob")
    for cache in (recent, stores.answers):
        cache.put("k1", answer("Bob is fine"))
        cache.put("k2", answer({"who": "Ada Lovelace"}))
    stores.cache.put("who is Lovelace?", "a countess", now_ms=NOW)
    stores.cache.put("what is hers?", "tea", now_ms=NOW, scope="u-1815")
    stores.cache.put("who is Bob?", "a builder", now_ms=NOW)
    stores.index.add([Item("i1", "Ada Lovelace was here"), Item("i2", "Bob was", role="bob"),
                      Item("i3", "said something", role="Lovelace")])  # fmt: skip
    stores.index.remove(["i3"])
    stores.artifact(b"Dear Jos\xc3\xa9", "letters/1.txt")
    stores.artifact(json.dumps({"to": "Jos\u00e9"}).encode(), "letters/2.json")
    stores.artifact(b"\x89PNG portrait", "users/ada@example.org/portrait.png")
    stores.artifact(b"\x89PNG shared", "users/lovelace/shared.png")
    stores.artifact(b"\x89PNG shared", "team/shared.png")
    stores.artifact(b"Dear Bob", "letters/3.txt")
    return recent


def traces(stores):
    data = stores.bytes()
    return [string for string in STRINGS if string.encode() in data]


@pytest.fixture
def lethe(stores):
    recent = everywhere(stores)
    stores.recent = recent
    return Lethe(stores.journal, *stores.all, recent, policies=[RetentionPolicy(max_age_days=30)],
                 clock=lambda: NOW)  # fmt: skip


def test_no_byte_of_any_file_names_an_erased_person(stores, lethe):
    lethe.hold(RecordSelector(ids="zzz"), "asked by Lovelace")
    lethe.apply_retention_policy(now_ms=NOW, who="José")
    assert set(traces(stores)) >= {"u-1815", "Ada Lovelace", "José"}
    done = lethe.erase(ADA, sessions=("listed",), who="Ada Lovelace", why="asked in a letter")
    lethe.close()
    stores.close()
    assert traces(stores) == []
    assert b"Bob" in stores.bytes() and b"Dear Bob" in stores.bytes()
    assert done.stores["sessions"].removed == 3 and done.stores["sessions"].rewritten == 2
    assert done.stores["memory"].removed == 3 and len(done.unreached) > 4


def test_everything_else_is_as_it_was(stores, lethe):
    lethe.erase(ADA, sessions=("listed",))
    assert stores.sessions.ids() == ["shared", "[erased]-chat", "other"]
    assert [e.memory.text for e in stores.memory.listed()] == ["Bob likes coffee"]
    assert (
        list(stores.recent.entries()) == ["k1"] and stores.recent.latest("s").value == "Bob is fine"
    )
    assert stores.answers.get("k1") and not stores.answers.get("k2")
    assert [each.query for each in stores.cache.entries()] == ["who is Bob?"]
    assert [item.id for item in stores.index.items()] == ["i2"]
    assert [n.name for n in stores.artifacts.names()] == ["letters/3.txt", "team/shared.png"]
    assert len(stores.artifacts.blobs()) == 2
    assert stores.memory.search("coffee", scope="bob") and stores.index.search("Bob")
    with pytest.raises(RefError):
        stores.artifacts.get("artifact://letters/1.txt")


def test_an_erased_session_is_whole_and_valid(stores, lethe):
    before = stores.sessions.load("shared")
    lethe.erase(ADA)
    after = stores.sessions.load("shared")
    assert [e.role for e in after.log] == [e.role for e in before.log]
    assert [x.mark for x in after.snapshot().exchanges()] == [
        x.mark for x in before.snapshot().exchanges()
    ]
    assert after.log[1].text == "I am [erased], born 1815"
    call = after.log[2].calls[0]
    assert json.loads(call.arguments) == {"to": "[erased]", "n": 1.5, "q": "[erased]"}
    assert "1.50" in call.arguments and call.name == "mail_erased" == after.tools[0].name
    assert [c.id for c in after.log[2].calls] == ["call-erased-1", "call-erased-1-2"]
    assert after.log[2].parts[0] == Thinking(text="[erased] it is", provider="anthropic")
    result = after.log[3].results[0]
    assert json.loads(result.content[0].text)["at"] == "event://" + after.log[2].id
    assert base64.b64decode(result.content[1].data) == b"to [erased], kindly"
    assert after.metadata == {"members": ["[erased]", "u-2"], "[erased]": {"since": 1843}}
    assert [c.position for c in after.changes] == [c.position for c in before.changes]
    assert after.changes[0].values == {
        "user:name": "[erased]", "_notes_[erased]": ["is [erased]", "pays"]
    }  # fmt: skip
    for format in FORMATS:
        target = target_for(format)
        assert_valid(compile(after, C.default() | C.compact(), target=target), target)
    after.assistant("and on")
    stores.sessions.save(after)


def test_copies_of_a_memory_go_with_it(stores):
    one = stores.memory.write("Likes tea", scope="u-1815")
    two = stores.memory.write("Likes coffee", scope="bob")
    known = [{"id": each.id, "text": each.text} for each in (one, two)]
    stores.session("shared", {"knowledge": [*known, "tea is hot"]})
    stores.index.add([Item(each.id, each.text, kind="memory") for each in (one, two)])
    Lethe(stores.journal, *stores.all).erase(ADA)
    after = stores.sessions.load("shared")
    assert after.state["knowledge"] == [known[1], "tea is hot"]
    assert [item.id for item in stores.index.items()] == [two.id]


def test_a_session_that_only_names_a_person_as_one_of_several_is_not_deleted(stores):
    stores.session("team", metadata={"user": "Bob and Lovelace"})
    Lethe(stores.journal, stores.sessions).erase(ADA)
    assert stores.sessions.load("team").metadata["user"] == "Bob and [erased]"


def test_erasing_again_finds_nothing(stores, lethe):
    lethe.erase(ADA, sessions=("listed",))
    again = lethe.erase(ADA, sessions=("listed",))
    assert not any(touched.removed or touched.rewritten for touched in again.stores.values())


def test_what_was_forgotten_can_not_be_restored_with_an_erased_person(stores, lethe):
    cycle = lethe.apply_retention_policy(now_ms=NOW + 100 * DAY).cycle
    lethe.erase(ADA)
    back = {id for _, id in lethe.restore(cycle).back}
    assert "k1" in back and "k2" not in back and "letters/3.txt" in back
    assert "team/shared.png" in back and "letters/1.txt" not in back
    lethe.close()
    stores.close()
    assert traces(stores) == []


@pytest.mark.parametrize(
    "target",
    [
        RecordSelector(stores=("sessions",), ids="shared"),
        RecordSelector(stores=("sessions",), ids="own/_notes*"),
        RecordSelector(scopes=("u-1815",)),
        RecordSelector(stores=("artifacts",), ids="letters/*"),
        RecordSelector(kinds=("answer",)),
        RecordSelector(ids="users/ada@example.org/*"),
    ],
)
def test_a_legal_hold_refuses_an_erasure_by_its_name(stores, lethe, target):
    lethe.hold(RecordSelector(stores=("index",), ids="i2"), "of Bob's")
    number = lethe.hold(target, "case 12")
    before = stores.bytes()
    with pytest.raises(StoreError, match=f"legal hold {number} \\(case 12\\)"):
        lethe.erase(ADA)
    assert len(stores.bytes()) == len(before) and "Lovelace" in traces(stores)
    lethe.release(number)
    lethe.erase(ADA, sessions=("listed",))


def test_a_hold_on_what_was_forgotten_refuses_too(stores, lethe):
    lethe.apply_retention_policy(now_ms=NOW + 100 * DAY)
    lethe.hold(RecordSelector(ids="letters/1.txt"), "case 12")
    with pytest.raises(StoreError, match="case 12"):
        lethe.erase(ADA)


def test_a_whole_text_goes_where_that_was_asked(stores, lethe):
    lethe.erase(ADA, whole=True)
    after = stores.sessions.load("shared")
    assert after.log[1].text == "[erased]" and after.log[2].text == "One moment"
    assert json.loads(after.log[2].calls[0].arguments)["n"] == 1.5


def test_the_audit_says_that_it_was_done_and_not_to_whom(stores, lethe):
    lethe.erase(ADA, who="dpo", why="request 7")
    lines = [line for line in lethe.audit() if line.what == "erased"]
    assert {line.store for line in lines} >= {"sessions", "memory", "artifacts", "index"}
    assert all(line.who == "dpo" and line.why.startswith("request 7: ") for line in lines)
    assert all(line.ids == () and line.digests == () for line in lines)


def test_a_live_session_gets_an_erased_copy():
    live = about_ada()
    copy = scrub_session(live, ADA)
    assert live.log[1].text.startswith("I am Ada") and "[erased]" in copy.log[1].text
    assert scrub_session(copy, ADA).snapshot().digest == copy.snapshot().digest


@pytest.mark.parametrize("encoded", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_file_is_erased_in_either_alphabet_of_base64(encoded):
    session = Session("s")
    data = encoded("\u00ff\u00fe>>>??? to Ada Lovelace".encode()).decode()
    session.user(File(name="a.txt", media_type="text/plain", data=data))
    left = scrub_session(session, ADA).log[0].parts[0].data
    assert b"[erased]" in base64.b64decode(left) and b"Ada" not in base64.b64decode(left)


def test_an_agent_with_an_old_copy_can_not_bring_a_person_back(stores, lethe):
    live = stores.sessions.load("shared")
    live.assistant("still here")
    lethe.erase(ADA)
    with pytest.raises(StoreError, match="another writer"):
        stores.sessions.save(live)
    stores.sessions.save(scrub_session(live, ADA))
    assert stores.sessions.load("shared").log[-1].text == "still here"


def test_another_process_with_the_same_memories_forgets_them_too(stores, lethe):
    from contextwright.stores import SQLiteMemory

    other = SQLiteMemory(stores.memory.path)
    assert other.search("tea", scope="u-1815")
    lethe.erase(ADA)
    assert other.search("tea", scope="u-1815") == [] and other.search("coffee", scope="bob")


def is_name(word):
    """Whether a word may be erased; others are refused, see test_data_subject."""
    try:
        return bool(DataSubject("nobody-7", (word,)))
    except StoreError:
        return False


@given(sessions(), st.data())
def test_any_session_stays_valid_without_any_of_its_words(session, data):
    words = sorted({word for event in session.log for word in event.text.split() if is_name(word)})
    if not words:
        return
    person = DataSubject("nobody-7", (data.draw(st.sampled_from(words)),))
    after = scrub_session(session, person)
    assert [(e.role, len(e.parts)) for e in after.log] == [
        (e.role, len(e.parts)) for e in session.log
    ]
    assert [x.mark for x in after.snapshot().exchanges()] == [
        x.mark for x in session.snapshot().exchanges()
    ] or "error" in person.names[0].lower()
    assert scrub_session(after, person).snapshot().digest == after.snapshot().digest
    for format in FORMATS:
        target = target_for(format)
        assert_valid(compile(after, C.default(), target=target), target)
