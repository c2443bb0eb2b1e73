"""The small model that reads: the same likelihood however much of a context was read before."""

import numpy as np
import pytest
from benchmarks.reader import FEWEST, NOTHING, OURS, WHOLE, call_of, figure_rows, kept
from benchmarks.reader_model import Reader, Shape

SHAPE = Shape(layers=2, heads=4, kv_heads=2, width=16, window=300)


def reader():
    dice = np.random.default_rng(1)

    def made(*size):
        return dice.normal(0, 0.3, size).astype(np.float32)

    weights = {"token_embd.weight": made(30, 16), "output_norm.weight": made(16)}
    for layer in range(2):
        sizes = {
            "attn_q": (16, 16), "attn_k": (8, 16), "attn_v": (8, 16), "attn_output": (16, 16),
            "ffn_gate": (24, 16), "ffn_up": (24, 16), "ffn_down": (16, 24),
        }  # fmt: skip
        for name, size in sizes.items():
            weights[f"blk.{layer}.{name}.weight"] = made(*size)
        for name in ("attn_norm", "ffn_norm"):
            weights[f"blk.{layer}.{name}.weight"] = made(16)
    return Reader(SHAPE, weights)


def test_probabilities_sum_to_one():
    sums = [np.exp(reader().likelihoods([1, 2, 3], [token])[0]) for token in range(30)]
    assert sum(sums) == pytest.approx(1, abs=1e-5)


def test_what_was_read_before_changes_nothing():
    context = [n * 7 % 30 for n in range(280)]  # more than goes through the layers together
    fresh = reader().likelihoods(context, [4, 9])
    used = reader()
    used.likelihoods(context[:270], [5])
    used.likelihoods([*context[:200], 3, 3], [1, 2, 3])
    assert used.likelihoods(context, [4, 9]) == pytest.approx(fresh, abs=1e-4)
    assert used.likelihoods(context, [4, 9]) == pytest.approx(fresh, abs=1e-4)


def test_a_token_hears_nothing_of_those_behind_it():
    one, other = (reader().likelihoods([1, 2, 3], [4, last]) for last in (5, 6))
    assert one[0] == pytest.approx(other[0], abs=1e-5)


def test_what_is_over_the_window_is_refused():
    with pytest.raises(ValueError, match="301 tokens, the window is 300"):
        reader().likelihoods([1] * 300, [2])


def cell(session, method, nats, tokens=5, invalid=False):
    figures = {"nats": nats, "tokens": tokens, "invalid": invalid}
    return {"file": "f", "session": session, "method": method, "whole": 10, **figures}


def test_ours_is_set_beside_requests_that_can_be_sent_and_hold_the_budget():
    cells = []
    for n in range(FEWEST + 2):
        cells += [cell(n, NOTHING, -3.0), cell(n, WHOLE, -1.0, tokens=10), cell(n, OURS, -1.5)]
        over, invalid = n == 0, n == 1
        better = -2.0 if n > 1 else 0.0
        cells.append(cell(n, "peer", better, tokens=6 if over else 5, invalid=invalid))
    rows = {row["method"]: row for row in figure_rows(cells)}
    assert (rows["peer"]["over"], rows["peer"]["invalid"]) == (0.1, 0.1)
    assert (rows["peer"]["held"], rows["peer"]["ahead"]) == (FEWEST, [0.5, 0.5, 0.5])
    assert "ahead" not in rows[OURS] | rows[WHOLE]
    few = [one for one in cells if one["session"] < FEWEST]
    assert "ahead" not in {row["method"]: row for row in figure_rows(few)}["peer"]


def test_figures_are_between_none_and_all_and_over_the_calls_that_everybody_has():
    cells = [
        cell(n, method, nats)
        for n in range(3)
        for method, nats in ((NOTHING, -3.0), (WHOLE, -1.0), ("half", -2.0))
        if (n, method) != (2, "half")
    ]
    rows = {row["method"]: row for row in figure_rows(cells)}
    assert rows["half"]["kept"] == [0.5, 0.5, 0.5]
    assert rows[WHOLE]["kept"][1] == 1
    assert (rows["half"]["calls"], rows["half"]["tokens"]) == (2, 0.5)
    assert kept([(-1.0, -2.0, -1.0)]) != kept([(-1.0, -2.0, -1.0)])  # not a number


def test_a_call_is_asked_for_behind_what_was_said_with_it():
    calls = [{"id": "1", "function": {"name": "find", "arguments": "{}"}}]
    before, call = call_of({"role": "assistant", "content": "I look.", "tool_calls": calls})
    assert before.endswith("assistant\nI look.\n")
    assert call == "find\n{}<|im_end|>"
