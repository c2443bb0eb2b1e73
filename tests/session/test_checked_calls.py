"""What users build by calling a class: a missing or unknown argument is named with what is expected."""

import pytest

from contextwright import Event, Target
from contextwright.errors import ModelError, SessionError, SpecError
from contextwright.recipes.injectors import Injector
from contextwright.session.event import Text, Tool, ToolCall, ToolResult


@pytest.mark.parametrize(
    ("made", "error", "what", "fix"),
    [
        (lambda: Event(), SessionError, "missing argument 'id'", "Event(id=..., role=..."),
        (lambda: Event(role="user"), SessionError, "missing argument 'id'", "Event(id=..."),
        (
            lambda: Event(id="e", role="user", part=()),
            SessionError,
            "'part'",
            "did you mean parts?",
        ),
        (lambda: Event("e", "user"), SessionError, "by position", "Event(id=..., role=..."),
        (lambda: Text("hi"), SessionError, "by position", "text=..."),
        (lambda: Text(), SessionError, "missing argument 'text'", "text=..."),
        (lambda: Tool(), SessionError, "missing argument 'name'", "Tool(name=..."),
        (lambda: ToolCall(id="c"), SessionError, "missing argument 'name'", "name=..."),
        (lambda: ToolResult(), SessionError, "missing argument 'call_id'", "call_id=..."),
        (
            lambda: Target(model="gpt-5"),
            ModelError,
            "missing argument 'format'",
            "Target(model=...",
        ),
        (lambda: Injector("a"), SpecError, "missing argument 'source'", "Injector(name=..."),
    ],
)
def test_a_wrong_argument_is_named(made, error, what, fix):
    with pytest.raises(error) as caught:
        made()
    assert what in caught.value.what
    assert fix in caught.value.fix
    assert caught.value.where
