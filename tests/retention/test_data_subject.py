"""What may be given: persons, targets, policies; and what is refused before it does harm."""

import pytest

from contextwright import target as model_target
from contextwright.errors import StoreError
from contextwright.retention import (
    DataSubject,
    Lethe,
    RecordSelector,
    RetentionPolicy,
    scrub_session,
)
from contextwright.retention.subject_matcher import SubjectMatcher
from contextwright.session import Session, Tool, ToolCall, ToolResult

from .conftest import DAY, NOW


@pytest.mark.parametrize(
    "name", ["..", "--", "\u200b\u200b", "e\u0301", "x", "User", " tool ", "[Erased]", ""]
)
def test_what_would_be_found_everywhere_is_no_name(name):
    with pytest.raises(StoreError, match="expected an id"):
        DataSubject("u-1815", (name,))
    with pytest.raises(StoreError) if name not in {"x", "e\u0301"} else _nothing():
        DataSubject(name)


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


@pytest.mark.parametrize("name", ["Li", "李明", "u7", "\N{UNICORN FACE}\N{UNICORN FACE}", "é7"])
def test_short_names_of_any_script_are_names(name):
    assert DataSubject("u-1815", (name,)).strings


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("O'Brien", "O\u2019Brien"),
        ("O\u2019Brien", "o'brien"),
        ("Jean-Luc", "Jean\u2011Luc"),
        ("Strauß", "STRAUSS"),
        ("Ka\u0149a", "KA\u02bcNA"),
        ("Müller", "MU\u0308LLER"),
        ("Mu\u0308ller", "Müller"),
        ("Ada Lovelace", "ada\u00a0\n LOVELACE"),
        ("Ann Lee", "ann lee"),
        ("\u01c4eneta", "\u01c6eneta"),
    ],
)
def test_a_name_is_found_as_people_and_programs_write_it(name, said):
    matcher = SubjectMatcher(DataSubject("u-1815", (name, "Ann")))
    assert matcher.text(f"to {said}, kindly") == "to [erased], kindly"
    assert matcher.data(f"to {said}, kindly".encode())


def test_a_name_within_another_leaves_nothing_of_it():
    matcher = SubjectMatcher(DataSubject("u-1815", ("Ann", "Ann Lee", "Lee Ann")))
    assert matcher.text("Ann Lee Ann, Anna and Leeds") == "[erased] [erased], Anna and Leeds"


def test_tools_that_are_one_without_the_person_stay_two():
    schema = {"type": "object", "properties": {}}
    session = Session(
        "s", tools=[Tool(name=f"to_{name}", parameters=schema) for name in ("ada", "lovelace")]
    )
    session.user("hello")
    session.assistant(ToolCall(id="c", name="to_lovelace", arguments="{}"))
    session.add("tool", ToolResult(call_id="c", name="to_lovelace"))
    after = scrub_session(session, DataSubject("u-1815", ("Ada", "Lovelace")))
    assert [tool.name for tool in after.tools] == ["to_erased", "to_erased-2"]
    assert after.log[1].calls[0].name == after.log[2].results[0].name == "to_erased-2"


def test_state_keys_that_are_one_without_the_person_stay_two():
    session = Session("s")
    for key, value in (("of/Ada", 1), ("of/Lovelace", 2), ("of/Ada", 3)):
        session.update({key: value})
    after = scrub_session(session, DataSubject("u-1815", ("Ada", "Lovelace")))
    assert dict(after.state) == {"of/[erased]": 3, "of/[erased]-2": 2}


def test_a_hold_keeps_its_fields_whatever_a_person_is_called(stores):
    lethe = Lethe(stores.journal, *stores.all)
    target = RecordSelector(stores=("memory",), ids="m-*", scopes=("bob",))
    lethe.hold(target, "case 12")
    lethe.erase(DataSubject("u-1815", ("ids", "scopes")))
    assert lethe.holds()[0].target == target


def test_a_deep_value_is_erased_too(stores):
    value = "Ada Lovelace"
    for _ in range(400):
        value = {"Lovelace": [value]}
    stores.session(notes={"_notes_a": value})
    Lethe(stores.journal, *stores.all).erase(DataSubject("u-1815", ("Ada Lovelace", "Lovelace")))
    stores.close()
    assert b"Lovelace" not in stores.bytes()


@pytest.mark.parametrize("field", ["stores", "kinds", "scopes"])
def test_a_target_of_what_is_no_text_is_refused_and_the_journal_stays_readable(stores, field):
    lethe = Lethe(stores.journal, *stores.all)
    for wrong in (7, (7,), None):
        with pytest.raises(StoreError, match="tuples of texts"):
            lethe.hold(RecordSelector(**{field: wrong}), "case 12")
    assert lethe.holds() == []
    lethe.hold(RecordSelector(**{field: "memory"}), "case 12")
    assert getattr(lethe.holds()[0].target, field) == ("memory",)


def test_a_target_of_a_request_is_no_target_of_forgetting(stores):
    lethe = Lethe(stores.journal, *stores.all)
    with pytest.raises(StoreError, match="contextwright.retention.RecordSelector"):
        lethe.hold(model_target("gpt-5"), "case 12")
    with pytest.raises(StoreError, match="expected RecordSelector, got contextwright.render"):
        RetentionPolicy(over=model_target("gpt-5"), max_age_days=3)


def test_a_policy_or_a_hold_over_a_place_that_is_not_there_is_refused(stores):
    typo = RecordSelector(stores=("memories",))
    with pytest.raises(StoreError, match="no store is called 'memories'"):
        Lethe(stores.journal, stores.memory, policies=[RetentionPolicy(over=typo, max_age_days=3)])
    with pytest.raises(StoreError, match="no store is called 'memories'"):
        Lethe(stores.journal, stores.memory).hold(typo, "case 12")


def test_an_id_with_signs_of_a_pattern_means_itself_too(stores):
    stores.session("[erased]-chat", {"_notes_a": ["x"]})
    lethe = Lethe(stores.journal, *stores.all, policies=[RetentionPolicy(max_age_days=3)])
    lethe.hold(RecordSelector(ids="[erased]-chat"), "case 12")
    said = lethe.apply_retention_policy(now_ms=NOW, dry=True)
    assert said.actions == () and [each.why for each in said.held] == ["legal hold 1"]


def test_what_a_restore_left_can_be_restored_when_there_is_room(stores):
    for name in ("a", "b"):
        stores.artifact(b"the same", f"{name}/1.md")
    policies = [
        RetentionPolicy(over=RecordSelector(ids=f"{name}/*"), max_age_days=3) for name in ("a", "b")
    ]
    for policy in policies:
        with_one = Lethe(stores.journal, stores.artifacts, policies=[policy])
        assert with_one.apply_retention_policy(now_ms=NOW).cycle
        with_one.close()
    lethe = Lethe(stores.journal, stores.artifacts)
    assert lethe.restore(1).left == (("artifacts", "a/1.md"),), "its bytes went with b's name"
    lethe.restore(2)
    assert lethe.restore(1).back == (("artifacts", "a/1.md"),)
    assert stores.artifacts.get("artifact://a/1.md") == b"the same"
    with pytest.raises(StoreError, match="can not be restored"):
        lethe.restore(1)


def test_artifacts_of_what_may_come_back_can_be_held(stores):
    stores.memory.write("see it", origin=("artifact://reports/1.md",), time_ms=NOW - 9 * DAY)
    lethe = Lethe(stores.journal, *stores.all, policies=[RetentionPolicy(max_age_days=3)])
    lethe.apply_retention_policy(now_ms=NOW)
    assert "reports/1.md" in lethe.refs()
    lethe.purge(NOW + 1)
    assert lethe.refs() == set()


@pytest.mark.parametrize(
    "said",
    ["Ada+Lovelace", "Ada&nbsp;Lovelace", "\\u0041da Lovelace", "Ada%20Lovelace", "Ada\\nLovelace"],
)
def test_a_whole_name_goes_in_every_encoding_where_its_last_word_is_a_name_too(said):
    matcher = SubjectMatcher(DataSubject("u-1815", ("Ada Lovelace", "Lovelace")))
    assert matcher.text(f"q={said}") == "q=[erased]"


@pytest.mark.parametrize("field", ["names", "scopes"])
def test_what_is_no_text_names_nobody(field):
    assert getattr(DataSubject("u-1815", **{field: "family"}), field) == ("family",)
    with pytest.raises(StoreError, match="tuples of texts"):
        DataSubject("u-1815", **{field: (None,)})


@pytest.mark.parametrize("items", [1.5, "3", -1])
def test_a_number_of_items_is_a_whole_number(items):
    with pytest.raises(StoreError, match="expected a condition"):
        RetentionPolicy(max_items=items)
