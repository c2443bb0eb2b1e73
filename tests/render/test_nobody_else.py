"""A session in which nobody but the system says anything gets one answer from every provider."""

import pytest

from contextwright import C, Session, compile
from contextwright.errors import SpecError
from contextwright.render.alternate import nothing_new
from contextwright.session.event import Text, Thinking, ToolResult
from contextwright.testing import FORMATS, assert_valid, target_for
from contextwright.testing.sent import strings

PROVIDERS = [format for format in FORMATS if format != "text"]
SAYS = {
    "system": lambda session: session.add("system", "Be brief."),
    "nothing": lambda session: session.assistant(""),
    "thinking": lambda session: session.assistant(Thinking(text="hm", provider="elsewhere")),
    "orphan": lambda session: session.add(
        "tool", ToolResult(call_id="z", content=(Text(text="r"),))
    ),
}


@pytest.mark.parametrize("format", PROVIDERS)
@pytest.mark.parametrize(
    "script",
    ["nothing", "thinking", "system nothing", "nothing system", "nothing system nothing",
     "thinking system", "orphan system", "system orphan system"],
)  # fmt: skip
def test_a_note_stands_where_a_user_would(script, format):
    session = Session("s")
    for name in script.split():
        SAYS[name](session)
    target = target_for(format)
    pack = compile(session, C.default(), target=target)
    assert_valid(pack, target)
    # Anthropic and Gemini have the system's words in a user's message: that is one already
    notes = {one.kind for one in pack.manifest.inserted if one.where in {"start", "end"}}
    assert notes or "system" in script.split()[1:]
    if format.startswith("openai"):
        assert nothing_new(session.snapshot().sign) in list(strings(pack.request))
    smallest = compile(session, C.default() | C.budget(pack.manifest.tokens + 150), target=target)
    assert_valid(smallest, target)


@pytest.mark.parametrize("format", PROVIDERS)
@pytest.mark.parametrize("script", ["system", "system system", "orphan"])
def test_nothing_to_send_is_an_error_by_name(script, format):
    session = Session("s")
    for name in script.split():
        SAYS[name](session)
    with pytest.raises(SpecError, match="nothing to send"):
        compile(session, C.default(), target=target_for(format))
