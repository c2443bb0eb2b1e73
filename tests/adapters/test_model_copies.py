"""A model of a framework's is asked for: its name, its class or nothing is told apart at once."""

import pytest

from contextwright import SpecError
from contextwright.adapters.model_copies import expect_model, model_copy_with
from contextwright.adapters.port import ContextPort, context_of


class Asked:
    def ask(self):
        return "asked"


def ask(self):
    return "compiled"


@pytest.mark.parametrize(
    ("wrong", "got"),
    [("gpt-5", "'gpt-5'"), (None, "NoneType"), (Asked, "the class Asked"), (5, "int")],
)
def test_what_is_no_model_is_named(wrong, got):
    """A name ended in Python's own "type 'NoneType' is not an acceptable base type"."""
    port = ContextPort(context_of(None, {}))
    with pytest.raises(SpecError, match=f"got {got}, which has no `ask") as caught:
        model_copy_with(wrong, port, ask)
    assert "not a name or a class" in caught.value.fix


def test_a_model_is_one():
    expect_model(Asked(), "ask")
    assert model_copy_with(Asked(), ContextPort(context_of(None, {})), ask).ask() == "compiled"
