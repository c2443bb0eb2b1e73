"""What of a request's fixed part is the instruction, in every format."""

import pytest
from tests.inspect.builders import data_of, support_session

from contextwright.inspect.series import LAYERS

MODELS = ("gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro")


@pytest.mark.parametrize("model", MODELS)
def test_the_instruction_is_told_apart_from_the_overhead(model):
    series = data_of(support_session(3), ("C.default()",), model)["series"][0]
    layers = series["layers"]
    assert all(tokens > 0 for tokens in layers["instruction"])
    assert series["tokens"] == [sum(layers[name][call] for name in LAYERS) for call in range(7)]
