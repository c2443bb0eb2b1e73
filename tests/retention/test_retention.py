"""Policies: what they name, what protects, what is put back."""

import msgspec
import pytest

from contextwright.errors import StoreError
from contextwright.models.answer_cache import RecentAnswers
from contextwright.retention import Lethe, RecordSelector, RetentionPolicy, erasable
from contextwright.retrieval.item import Item
from contextwright.session import Session
from contextwright.spec.task import Answer
from contextwright.stores import MemoryRecord

from .conftest import DAY, NOW

OLD = NOW - 100 * DAY
NEW = NOW - 1 * DAY
MONTH = RetentionPolicy(max_age_days=30)


def ids(result, store=None):
    return {action.id for action in result.actions if store in (None, action.store)}


def answer(value="x", series=""):
    return Answer(fingerprint="f", kind="summary", value=value, model="m", series=series)


@pytest.fixture
def full(stores):
    """Something old and something new in every store."""
    write = stores.memory.write
    write("Old harbour", id="m-old", time_ms=OLD)
    write("New harbour", id="m-new", time_ms=NEW)
    stores.session(
        notes={
            "_notes_case": [
                {"text": "old note", "time_ms": OLD},
                {"text": "new note", "time_ms": NEW},
                {"text": "open", "done": False, "time_ms": OLD},
            ],
            "_facts_case": ["an old fact"],
            "_notes_plan": {"goal": "old goal"},
            "working_memory": [{"text": "old jot", "time_ms": OLD}, {"text": "j", "time_ms": NEW}],
            "intent": "stays",
        }
    )
    stores.cache.put("old question?", "a", now_ms=OLD)
    stores.cache.put("new question?", "b", now_ms=NEW)
    stores.index.add([Item("i-old", "An old item", time_ms=OLD), Item("i-new", "x", time_ms=NEW)])
    stores.artifact(b"old", name="reports/old.md")
    stores.artifact(b"new", name="reports/new.md", days=1)
    return stores


def state_of(stores):
    """All that can be seen of what is kept."""
    return (
        [(e.memory, e.written_ms, e.active) for e in stores.memory.listed()],
        {key: stores.sessions.load("s").state[key] for key in stores.sessions.load("s").state},
        stores.cache.entries(),
        stores.index.items(),
        [(n.name, stores.artifacts.get(f"artifact://{n.name}")) for n in stores.artifacts.names()],
        sorted(blob.key for blob in stores.artifacts.blobs()),
        stores.answers.entries(),
    )


def test_what_is_old_goes_from_every_store_and_comes_back_as_it_was(full):
    before = state_of(full)
    with_lethe = Lethe(full.journal, *full.all, policies=[MONTH])
    said = with_lethe.apply_retention_policy(now_ms=NOW, dry=True)
    assert state_of(full) == before and said.cycle == 0
    done = with_lethe.apply_retention_policy(now_ms=NOW, who="cron")
    assert done.actions == said.actions and done.cycle == 1
    assert {a.store for a in done.actions} == {
        "memory", "sessions", "semantic_cache", "index", "artifacts"
    }  # fmt: skip
    assert [each.memory.id for each in full.memory.listed()] == ["m-new"]
    state = full.sessions.load("s").state
    assert [note["text"] for note in state["_notes_case"]] == ["new note", "open"]
    assert state["_facts_case"] == [] and state["_notes_plan"] == {} and state["intent"] == "stays"
    assert [note["text"] for note in state["working_memory"]] == ["j"]
    assert [item.id for item in full.index.items()] == ["i-new"]
    assert [name.name for name in full.artifacts.names()] == ["reports/new.md"]
    assert len(full.artifacts.blobs()) == 1
    assert full.memory.search("harbour") and len(full.memory.search("harbour")) == 1
    back = with_lethe.restore(1)
    assert len(back.back) == len(done.actions) and back.left == ()
    after = state_of(full)
    assert sorted(map(str, after[0])) == sorted(map(str, before[0])) and after[1:] == before[1:]
    assert len(full.memory.search("harbour")) == 2 and full.index.search("old item")


def test_forgetting_twice_is_forgetting_once(full):
    lethe = Lethe(full.journal, *full.all, policies=[MONTH, RetentionPolicy(max_items=1)])
    assert lethe.apply_retention_policy(now_ms=NOW).actions
    then = state_of(full)
    again = lethe.apply_retention_policy(now_ms=NOW)
    assert again.actions == () and again.cycle == 0 and state_of(full) == then


@pytest.mark.parametrize("why", ["pinned", "tier 1", "legal hold 1"])
def test_what_is_protected_is_never_forgotten(stores, why):
    stores.memory.write(
        MemoryRecord(
            text="Old", id="m", time_ms=OLD, pinned=why == "pinned", tier=int(why == "tier 1")
        )
    )
    lethe = Lethe(stores.journal, stores.memory, policies=[MONTH, RetentionPolicy(max_items=0)])
    if why.startswith("legal"):
        lethe.hold(RecordSelector(ids="m*"), "case 12")
    done = lethe.apply_retention_policy(now_ms=NOW)
    assert done.actions == ()
    # a policy does not even begin at tier 1
    assert [each.why for each in done.held] == ([] if why == "tier 1" else [why])
    if why.startswith("legal"):
        lethe.release(1, why="settled")
        assert ids(lethe.apply_retention_policy(now_ms=NOW)) == {"m"}


def test_an_open_item_of_a_checklist_stays(stores):
    stores.session(
        notes={
            "_notes_todo": ["[ ] call back", "- [ ] pay", {"text": "x", "done": False}, "[x] done"]
        }
    )
    lethe = Lethe(stores.journal, stores.sessions, policies=[MONTH])
    lethe.apply_retention_policy(now_ms=NOW)
    assert len(stores.sessions.load("s").state["_notes_todo"]) == 3


def test_a_note_without_a_time_is_as_old_as_the_message_before_it(stores):
    session = stores.session(notes={"_notes_a": ["old"]})
    session.user("more", time_ms=NEW)
    session.update({"_notes_a": ["old", "new"]})
    stores.sessions.save(session)
    lethe = Lethe(stores.journal, stores.sessions, policies=[MONTH])
    lethe.apply_retention_policy(now_ms=NOW)
    assert stores.sessions.load("s").state["_notes_a"] == ["new"]


def test_the_history_keeps_a_forgotten_note_for_replays(stores):
    stores.session(notes={"_notes_a": ["old"]})
    before = stores.sessions.load("s")
    Lethe(stores.journal, stores.sessions, policies=[MONTH]).apply_retention_policy(now_ms=NOW)
    after = stores.sessions.load("s")
    position, version = len(before.log), before.state.version
    then = after.snapshot_at(position, version)
    assert dict(then.state) == dict(before.state) and after.state["_notes_a"] == []


def test_what_anything_that_stays_refers_to_stays(stores):
    by_session = stores.artifact(b"one", "a/one")
    by_memory = stores.artifact(b"two", "a/two")
    digest = stores.artifact(b"three")
    stores.artifact(b"four", "a/four")
    stores.artifact(f'["{by_memory}"]'.encode(), "a/checkpoint.json")
    stores.artifact(b"free", "a/free")
    session = stores.session()
    session.assistant(f"see {by_session} and {digest}")
    stores.sessions.save(session)
    stores.memory.write("The step is done", origin=("artifact://a/checkpoint.json",), time_ms=NEW)
    lethe = Lethe(
        stores.journal, stores.sessions, stores.memory, stores.artifacts,
        policies=[MONTH], live=lambda: ["artifact://a/four"],
    )  # fmt: skip
    done = lethe.apply_retention_policy(now_ms=NOW)
    assert {a.id for a in done.actions if not a.id.startswith("sha256/")} == {"a/free"}
    assert len(stores.artifacts.blobs()) == 5


def test_what_only_a_forgotten_thing_refers_to_goes_with_it(stores):
    ref = stores.artifact(b"x", "a/x")
    stores.memory.write("Old", origin=(ref,), time_ms=OLD)
    lethe = Lethe(stores.journal, stores.memory, stores.artifacts, policies=[MONTH])
    assert len(lethe.apply_retention_policy(now_ms=NOW).actions) == 3
    assert lethe.apply_retention_policy(now_ms=NOW).actions == ()
    lethe.restore(1)
    assert stores.artifacts.get(ref) == b"x"


def test_bytes_stay_while_a_name_stands_for_them(stores):
    stores.artifact(b"same", "a/old")
    stores.artifact(b"same", "b/kept")
    lethe = Lethe(stores.journal, stores.artifacts, policies=[
        RetentionPolicy(over=RecordSelector(ids="a/*"), max_age_days=30)])  # fmt: skip
    assert ids(lethe.apply_retention_policy(now_ms=NOW)) == {"a/old"}
    assert stores.artifacts.get("artifact://b/kept") == b"same"


def test_what_was_written_within_the_hour_stays(stores):
    stores.artifact(b"x", "a", days=0.01)
    lethe = Lethe(stores.journal, stores.artifacts, policies=[RetentionPolicy(max_age_days=0)])
    assert lethe.apply_retention_policy(now_ms=NOW).actions == ()


def test_conditions_of_one_policy_are_joined_by_and(stores):
    stores.memory.write("dull", id="old dull", time_ms=OLD)
    stores.memory.write("bright", id="old bright", time_ms=OLD)
    stores.memory.write("dull", id="new dull", scope="x", time_ms=NEW)
    policy = RetentionPolicy(max_age_days=30, min_salience=0.5)
    score = lambda text: 0.1 if text == "dull" else 0.9  # noqa: E731
    lethe = Lethe(stores.journal, stores.memory, policies=[policy], salience=score)
    assert ids(lethe.apply_retention_policy(now_ms=NOW)) == {"old dull"}


def test_several_policies_are_joined_by_or(stores):
    stores.memory.write("one", id="a", time_ms=OLD)
    stores.memory.write("two", id="b", kind="fact", time_ms=NEW)
    policies = [MONTH, RetentionPolicy(over=RecordSelector(kinds=("fact",)), max_items=0)]
    lethe = Lethe(stores.journal, stores.memory, policies=policies)
    assert ids(lethe.apply_retention_policy(now_ms=NOW)) == {"a", "b"}


def test_a_memory_that_was_found_is_not_unused(stores):
    stores.memory.write("the harbour opens", id="found", time_ms=OLD)
    stores.memory.write("the mill closes", id="not found", time_ms=OLD)
    assert stores.memory.search("harbour", now_ms=NEW)
    lethe = Lethe(stores.journal, stores.memory, policies=[RetentionPolicy(unused_days=30)])
    assert ids(lethe.apply_retention_policy(now_ms=NOW)) == {"not found"}
    stores.again()
    assert stores.memory.listed()[0].uses == 1


def test_the_items_used_last_are_the_ones_that_stay(stores):
    for n in range(5):
        stores.memory.write(f"thing number {n}", id=f"m{n}", time_ms=OLD + n)
    stores.memory.search("thing number 1", 1, now_ms=NEW)
    lethe = Lethe(stores.journal, stores.memory, policies=[RetentionPolicy(max_items=2)])
    assert ids(lethe.apply_retention_policy(now_ms=NOW)) == {"m0", "m2", "m3"}


def test_a_policy_begins_at_its_tier(stores):
    for tier in range(5):
        stores.memory.write(f"tier {tier}", id=f"t{tier}", tier=tier, time_ms=OLD)
    lethe = Lethe(stores.journal, stores.memory, policies=[RetentionPolicy(max_age_days=1, tier=3)])
    assert ids(lethe.apply_retention_policy(now_ms=NOW)) == {"t3", "t4"}


def test_answers_in_memory_go_by_number_and_come_back_in_their_order(stores):
    recent = RecentAnswers()
    for n in range(4):
        recent.put(f"k{n}", answer(f"v{n}", "s"))
    lethe = Lethe(stores.journal, recent, policies=[RetentionPolicy(max_items=2)])
    gone = ids(lethe.apply_retention_policy(now_ms=NOW))
    assert len(gone) == 2 and len(recent.entries()) == 2
    lethe.restore(1)
    assert len(recent.entries()) == 4


def test_answers_in_a_file_go_by_use_and_keep_their_series(stores):
    clock = [OLD]
    stores.answers._clock = lambda: clock[0]
    stores.answers.put("k1", answer("one", "s"))
    stores.answers.put("k2", answer("two", "s"))
    clock[0] = NEW
    assert stores.answers.get("k1")
    lethe = Lethe(stores.journal, stores.answers, policies=[RetentionPolicy(unused_days=30)])
    assert ids(lethe.apply_retention_policy(now_ms=NOW)) == {"k2"}
    assert stores.answers.latest("s").value == "one"
    lethe.restore(1)
    assert stores.answers.latest("s").value == "two"


def test_a_restore_leaves_what_took_the_place(stores):
    stores.artifact(b"old", "a/x")
    lethe = Lethe(stores.journal, stores.artifacts, policies=[MONTH])
    lethe.apply_retention_policy(now_ms=NOW)
    stores.artifacts.put(b"newer", name="a/x")
    back = lethe.restore(1)
    assert back.left == (("artifacts", "a/x"),)
    assert stores.artifacts.get("artifact://a/x") == b"newer"
    assert lethe.restore(1) == msgspec.structs.replace(back, back=()), "there is no room yet"
    stores.artifacts.forget_name("a/x")
    assert lethe.restore(1).left == () and stores.artifacts.get("artifact://a/x") == b"old"
    with pytest.raises(StoreError, match="restored"):
        lethe.restore(1)


def test_a_purged_cycle_is_gone_from_the_files(stores):
    stores.memory.write("The swordfish is old", time_ms=OLD)
    lethe = Lethe(stores.journal, stores.memory, policies=[MONTH])
    lethe.apply_retention_policy(now_ms=NOW)
    assert b"swordfish" in stores.bytes()
    assert lethe.purge(NOW).things == 0
    done = lethe.purge(NOW + 1)
    assert done.cycles == (1,) and done.things == 1
    assert b"swordfish" not in stores.bytes()
    with pytest.raises(StoreError, match="purged"):
        lethe.restore(1)


def test_what_is_held_is_not_purged(stores):
    stores.memory.write("one", id="a", time_ms=OLD)
    stores.memory.write("two", id="b", time_ms=OLD)
    lethe = Lethe(stores.journal, stores.memory, policies=[MONTH])
    lethe.apply_retention_policy(now_ms=NOW)
    lethe.hold(RecordSelector(ids="a"), "case 12")
    done = lethe.purge(NOW + 1)
    assert (done.things, done.held, done.cycles) == (1, 1, ())
    assert lethe.restore(1).back == (("memory", "a"),)


def test_the_audit_says_who_did_what_and_is_only_added_to(stores):
    one = stores.memory.write("The swordfish is old", time_ms=OLD)
    lethe = Lethe(
        stores.journal, stores.memory, policies=[RetentionPolicy(max_age_days=30, name="gdpr")]
    )
    lethe.apply_retention_policy(now_ms=NOW, who="cron")
    lethe.restore(1, who="ann", why="a mistake")
    number = lethe.hold(RecordSelector(scopes=("u1",)), "case 12", who="legal")
    lethe.release(number, who="legal")
    lines = lethe.audit()
    assert [line.what for line in lines] == ["forgotten", "restored", "held", "released"]
    assert lines[0].ids == (one.id,) and len(lines[0].digests[0]) == 64 and lines[0].who == "cron"
    assert lines[0].why == "gdpr: older than 30 days" and "a mistake" in lines[1].why
    assert "swordfish" not in str(lines)
    with pytest.raises(StoreError, match="only ever added to"), lethe._journal.writing() as pen:
        pen._run("DELETE FROM lethe_audit")


def test_what_can_not_be_a_policy_is_refused(stores):
    for wrong in (
        {}, {"max_age_days": -1}, {"max_age_days": float("nan")}, {"min_salience": 2},
        {"max_items": -1}, {"max_items": 1, "tier": 1},
    ):  # fmt: skip
        with pytest.raises(StoreError, match="condition"):
            RetentionPolicy(**wrong)
    with pytest.raises(StoreError, match="salience"):
        Lethe(stores.journal, stores.memory, policies=[RetentionPolicy(min_salience=0.5)])
    with pytest.raises(StoreError, match="one file"):
        Lethe(stores.memory.path, stores.memory)
    with pytest.raises(StoreError, match="two stores"):
        Lethe(stores.journal, stores.memory, stores.memory)
    with pytest.raises(StoreError, match="dict"):
        Lethe(stores.journal, {})
    with pytest.raises(StoreError, match="reason"):
        Lethe(stores.journal).hold(RecordSelector(), " ")
    with pytest.raises(StoreError, match="no hold"):
        Lethe(stores.journal).release(7)


def test_a_note_is_as_old_as_the_change_that_first_had_it(stores):
    """Of a list that grows, shrinks from its beginning, and comes after a change without a time."""
    session = Session("s")
    session.update({"_notes_a": ["before any event"]})
    kept = ["before any event"]
    for n in range(6):
        session.user("on", time_ms=NOW - (100 - 10 * n) * DAY)
        kept = [*kept[n == 4 :], f"note {n}"]
        session.update({"_notes_a": kept, "_facts_b": {"x": n // 3}})
    stores.sessions.save(session)
    rows = {
        row.text: row.time_ms
        for row in erasable(stores.sessions).records()
        if row.kind != "session"
    }
    days = {text: (NOW - time) // DAY for text, time in rows.items()}
    assert days == {f"note {n}": 100 - 10 * n for n in range(6)} | {"x: 1": 70}
