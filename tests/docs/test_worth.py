"""The page "What is it worth?": what the files of figures say, and what we lose found by rule."""

from benchmarks.economy_grid import table, within
from benchmarks.intervals import mean_interval
from benchmarks.retrieval_figures import merged
from benchmarks.worth import PAGE, page
from benchmarks.worth_losses import losses


def test_the_page_is_what_the_figures_say():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m benchmarks.worth"


def cell(product, sort, whole, openai, setting="", seconds=1.0):
    """20 stretches of a call each: how many had all values, and what each cost."""
    columns = [
        (1, int(at < whole), 1, 1, int(at < whole), 2, 0, 0, 0, 9, openai, openai)
        for at in range(20)
    ]
    return {
        "file": "se_agent", "product": product, "sort": sort, "setting": setting,
        "stretches": [list(each) for each in columns], "seconds": seconds,
    }  # fmt: skip


def figures(*peers):
    cells = [
        cell("full history", "method", 20, 10.0),
        cell("C.compaction (ours)", "default", 19, 4.0),
    ]
    return table("se_agent", [*cells, *peers])


def test_of_a_grid_the_best_setting_is_shown_with_what_its_search_took():
    found = figures(
        cell("peer", "grid", 5, 5.0, "bad"),
        cell("peer", "grid", 20, 5.0, "good"),
        cell("peer", "default", 5, 5.0),
    )
    rows = [row for row in found["rows"] if row["product"] == "peer"]
    assert [(row["sort"], row["setting"]) for row in rows] == [("default", ""), ("best", "good")]
    assert (rows[1]["settings"], rows[1]["seconds"]) == (2, 2.0)
    low, middle, high = rows[0]["calls"]
    assert low < middle == 0.25 < high


def told(*peers):
    return [line for line in losses({"economy": {"parts": [figures(*peers)]}}) if "peer" in line]


def test_who_is_surely_cheaper_is_told_with_what_he_pays():
    (line,) = told(cell("peer", "default", 5, 2.0))
    assert "a lower cost (0.200 beside 0.400)" in line
    assert "fewer calls in sight (0.250)" in line


def test_a_peer_that_is_behind_in_both_is_no_loss():
    assert told(cell("peer", "default", 5, 5.0)) == []


def test_what_was_not_measured_is_a_loss():
    assert list(losses({})) == [
        f"**{name}** was not measured."
        for name in ("economy", "reader", "fidelity", "retrieval", "never-dearer")
    ]


def test_what_takes_too_long_or_fails_is_told():
    def endless():
        while True:
            pass

    assert "CPU seconds" in within(0.05, endless)["stopped"]
    assert within(1, lambda: {}[1])["stopped"] == "KeyError: 1"


def test_an_interval_is_as_wide_as_its_groups_differ():
    assert mean_interval([[0.5], [0.5]]) == [0.5, 0.5, 0.5]
    low, middle, high = mean_interval([[0.0, 0.0], [1.0], [0.0], [1.0]])
    assert (low, middle) == (0.0, 0.4)
    assert high == 1.0


def test_retrieval_measured_in_part_keeps_the_other_rows():
    old = [{"set": "a", "rows": [{"method": "x", "recall": 1}, {"method": "y", "recall": 2}]},
           {"set": "b", "rows": [{"method": "x", "recall": 3}]}]  # fmt: skip
    new = [{"set": "a", "rows": [{"method": "y", "recall": 4}]}]
    assert merged(new, old) == [
        {"set": "a", "rows": [{"method": "x", "recall": 1}, {"method": "y", "recall": 4}]},
        old[1],
    ]
    assert merged(new, []) == new
