"""Tables: a dict's look-up, two generations, bytes by what an entry holds."""

import pytest

from contextwright.memo.memory_budget import MemoryBudget
from contextwright.memo.owned_tables import AT_ONCE, BRIEF, LASTING, OFTEN, SLOWLY, Table, Tables
from contextwright.memo.ownership import cached_text, remembering, table_of
from contextwright.memo.sizes import bytes_of


def test_what_was_not_used_in_a_generation_is_forgotten():
    asked, table = [], Table()

    def length(text):
        asked.append(text)
        return len(text)

    for text in ("a", "bb"):
        table.remembered(text, length)
    table.turn_over()
    assert table.remembered("a", length) == 1
    table.turn_over()
    assert [table.remembered(text, length) for text in ("a", "bb")] == [1, 2]
    assert asked == ["a", "bb", "bb"]


def test_a_computed_function_keeps_its_identity_when_it_forgets():
    asked, tables = [], Tables(MemoryBudget())

    def double(number):
        asked.append(number)
        return 2 * number

    twice = tables.computed("double", double)
    assert twice(2) == 4 == twice(2)
    tables.turn_over()
    assert tables.computed("double", double) == twice
    assert twice(2) == 4 and asked == [2]
    tables.turn_over()
    tables.turn_over()
    assert twice(2) == 4 and asked == [2, 2]


class _SeenTables(dict):
    """Tables that another thread sees as soon as they are there."""

    def setdefault(self, key, table):
        assert table.make is not None, f"{key} has nothing to ask yet"
        return super().setdefault(key, table)


def test_a_table_can_be_asked_by_other_threads_as_soon_as_it_is_there():
    tables = Tables(MemoryBudget())
    tables.tables = _SeenTables()
    with remembering(tables):
        assert cached_text(len)("abc") == 3
        assert table_of(len)("abc") == 3
    assert tables.computed("length", len)("abc") == 3
    assert len(tables.tables) == 3


def test_a_plain_table_knows_no_more_than_a_dict():
    with pytest.raises(KeyError):
        Table()["unknown"]


def test_what_grows_is_forgotten_as_a_whole_and_after_an_error():
    tables = Tables(MemoryBudget())
    for expected in ([], [0], [0, 1]):
        with tables.growing("places", list) as places:
            assert places == expected
            places.append(len(places))
    with pytest.raises(ZeroDivisionError), tables.growing("places", list):
        raise ZeroDivisionError
    with tables.growing("places", list) as places:
        assert places == []
        places.append(7)
        with tables.growing("places", list) as other:
            assert other == [], "taken out while it is used"
    tables.turn_over()
    with tables.growing("places", list) as places:
        assert places == [7]
    tables.turn_over()
    tables.turn_over()
    with tables.growing("places", list) as places:
        assert places == []


def test_what_the_next_compiles_do_not_use_goes():
    tables = Tables(MemoryBudget())
    for turn in range(4 * LASTING):
        tables.begin()
        for brief, lasts in ((True, BRIEF), (False, LASTING)):
            table = tables.table(lasts, brief=brief)
            table.remembered("the same", len)
            table.remembered(f"of turn {turn}", len)
            assert len(table) + len(table.before) <= 2 * lasts + 4
            assert "the same" in table or "the same" in table.before


def test_a_table_that_stays_forgets_when_it_is_told_to():
    tables = Tables()
    table = tables.table("entries", stays=True)
    table["one"] = 1
    for _ in range(5 * LASTING):
        tables.begin()
        tables.end()
    assert tables.table("entries", stays=True) is table and table.get("one") == 1
    table.end_generation()
    assert table.get("one") is None and table.known("one") == 1
    for _ in range(2):
        table.end_generation()  # no use was made of it since
    assert table.get("one") == 1
    for _ in range(2):
        for _ in range(LASTING + 1):
            tables.begin()
            tables.end()
        table.end_generation()
    assert table.known("one") is None


def test_what_is_forgotten_is_let_go_of_in_parts():
    class Text:
        left = 0

        def __init__(self):
            Text.left += 1

        def __del__(self):
            Text.left -= 1

    def filled():
        tables = Tables(MemoryBudget())
        table = tables.table("texts", brief=True)
        for number in range(5 * AT_ONCE):
            table[number] = Text()
        return tables

    tables, least = filled(), []
    while Text.left:
        before = Text.left
        tables.begin()
        tables.end()
        least.append(before - Text.left)
    assert max(least) == AT_ONCE and len(least) <= 2 * BRIEF + 8
    tables = filled()
    for _ in range(2 * BRIEF + 3):
        tables.begin()
        tables.end()
    assert 0 < Text.left < 5 * AT_ONCE
    tables.forget()  # at once: what was erased may not live on
    assert not Text.left


def test_what_a_step_asks_for_after_fifty_calls_is_known():
    tables, made = Tables(MemoryBudget()), []
    for call in range(500):
        for _ in range(2):  # the call is compiled, and its answer recorded
            tables.begin()
        tables.table("found out").remembered(call, made.append)
        if call % 50 == 49:
            for each in range(call - 49, call):
                tables.table("found out").remembered(each, made.append)
    assert made == list(range(500))


def test_a_brief_table_that_nobody_uses_any_more_is_no_table():
    tables = Tables(MemoryBudget())
    tables.table("texts", brief=True).remembered("once", len)
    for _ in range(3 * BRIEF):
        tables.begin()
    assert not tables.tables


def test_bytes_follow_what_entries_hold():
    budget = MemoryBudget()
    tables = Tables(budget)
    tables.settle()
    assert budget.use().held_bytes == 0
    for place in range(400):
        tables.table("texts")[place] = "x" * 1000 + str(place)
    tables.settle()
    assert 400_000 < budget.use().held_bytes < 600_000
    tables.table("short")[1] = 1
    tables.settle()
    assert 400_000 < budget.use().held_bytes < 600_000


def test_what_comes_last_of_a_turn_is_not_taken_for_the_like_of_all():
    """It is the largest as a rule: the text of a request is counted behind those of its parts."""
    tables = Tables(budget := MemoryBudget())
    for turn in range(40):
        for part in range(60):
            tables.table("tokens")["x" * 100 + f"{turn} {part}"] = 30
        tables.table("tokens")["x" * 12_000 + f"{turn}"] = 3_000
        tables.settle()
    held = 40 * (60 * 100 + 12_000)
    assert held / 2 < budget.use().held_bytes < 2 * held


def test_a_key_of_several_holders_is_each_ones_in_part():
    log = ["y" * 10_000 + str(place) for place in range(50)]
    alone, together = Tables(budget := MemoryBudget()), Tables(other := MemoryBudget())
    for text in log:
        alone.table("counts")[text + "!"] = 1
        together.table("counts")[text] = 1
    alone.settle()
    together.settle()
    assert budget.use().held_bytes > 500_000
    assert other.use().held_bytes < 0.6 * budget.use().held_bytes


def test_measuring_a_large_value_looks_at_few_of_its_items():
    looked = []

    class Seen(str):
        def __sizeof__(self):
            looked.append(1)
            return 100

    size = bytes_of([Seen("x" * 60 + str(place)) for place in range(100_000)])
    assert 8_000_000 < size < 20_000_000
    assert len(looked) <= 8


def test_what_comes_is_looked_into_as_often_as_a_table_doubles():
    looked = []

    class Seen(str):
        def __sizeof__(self):
            looked.append(1)
            return 1000

    budget = MemoryBudget()
    tables = Tables(budget)
    for turn in range(600):
        tables.table("texts")[turn] = Seen(f"{turn}")
        tables.settle()
    assert len(looked) < 60
    assert 600_000 < budget.use().held_bytes < 800_000
    for turn in range(600, 1_200):  # what comes from now on holds ten times as much
        tables.table("texts")[turn] = "x" * 10_000
        tables.settle()
    assert 5_000_000 < budget.use().held_bytes < 7_500_000


def test_what_came_is_measured_also_where_scopes_overlap_for_ever():
    budget = MemoryBudget()
    tables = Tables(budget)
    tables.begin()
    for turn in range(3 * BRIEF):
        tables.begin()
        tables.table("texts")[turn] = "x" * 1000
        tables.end()
    assert budget.use().held_bytes > 1000 * BRIEF
    tables.end()
    assert budget.use().held_bytes > 3000 * BRIEF


def test_an_owner_that_hardly_grows_is_measured_now_and_then_and_one_that_does_each_time():
    tables, measured = Tables(MemoryBudget()), list[int]()
    settle = tables._budget.settle
    tables._budget.settle = lambda account, young, before: (
        measured.append(young + before), settle(account, young, before))[1]  # fmt: skip

    def turn(*entries: int) -> None:
        tables.begin()
        tables.table("all").update((entry, "x" * 900) for entry in entries)
        tables.end()

    turn()
    turn(*range(2_000))
    assert measured[-1] > 1_000_000  # what had nothing is measured as soon as it has something
    turn(*range(2_000, 4_000))
    assert measured[-1] > 2_000_000
    turn(-1)
    before = len(measured)
    for entry in range(5_000, 5_000 + SLOWLY):
        turn(entry)
    assert len(measured) == before
    turn(*range(6_000, 8_000))
    assert len(measured) == before + 1
    assert measured[-1] > 4_000_000


def test_what_grows_goes_with_the_process_s_budget_alone():
    tables = Tables(MemoryBudget())
    with tables.growing("places", list) as places:
        places.append(1)
    for _ in range(3 * LASTING):
        tables.begin()
    with tables.growing("places", list) as places:
        assert places == [1]


def test_what_is_asked_in_passing_is_forgotten_with_the_outermost_scope():
    asked, tables = [], Tables(MemoryBudget())

    def length(text):
        asked.append(text)
        return len(text)

    table = tables.table("texts", length, passing=True)
    tables.begin()
    assert [table[text] for text in ("a", "bb", "a")] == [1, 2, 1]
    tables.begin()
    tables.end()
    assert table["a"] == 1 and asked == ["a", "bb"]
    tables.settle()  # as in the middle of a long scope
    assert table.bytes
    for number in range(2 * OFTEN):
        assert table[str(number)] == len(str(number))
    tables.end()
    assert not (table or table.before or table.bytes or table.measured)
    del asked[:]
    tables.begin()
    assert table["a"] == 1 and asked == ["a"]
    tables.end()


def test_each_table_ends_its_generation_by_itself():
    tables = Tables(MemoryBudget())
    ends = {"early": [], "late": []}
    for scope in range(4 * BRIEF):
        tables.begin()
        for name, after in (("early", 0), ("late", 5)):
            if scope >= after:
                table = tables.table(name, brief=True)
                if table.before and not table:
                    ends[name].append(scope)
                table.remembered("entry", str)
        tables.end()
    places = [BRIEF + 1, 2 * (BRIEF + 1), 3 * (BRIEF + 1)]
    assert ends == {"early": places, "late": [5 + place for place in places]}
