"""A secret is nowhere in what is sent or written of it, wherever it stood."""

import base64
import json
import logging

import pytest

from contextwright import C, Engine, Session, compile, replay
from contextwright.errors import ContextwrightError
from contextwright.session.event import Event, File, Image, Text, Tool, ToolCall, ToolResult
from contextwright.testing import FORMATS

MAIL = "bob.secret@example.com"
KEY = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SPEC = C.window(n=9) | C.redact(["pii", "secrets"], fields=["ssn"])


def leaks(text: str) -> list[str]:
    return [secret for secret in (MAIL, KEY, "078-05-1120", "bob.secret") if secret in text]


def everywhere() -> Session:
    session = Session(f"s-{MAIL}", metadata={"owner": MAIL})
    session.tools = [
        Tool(
            name="send_mail",
            description=f"Mails {MAIL}.",
            parameters={
                "type": "object",
                "properties": {"to": {"type": "string", "default": MAIL}},
            },
        )
    ]
    session.append(Event(id="e-sys", role="system", parts=(Text(text=f"You serve {MAIL}."),)))
    session.append(
        Event(
            id="e-1",
            role="user",
            author=MAIL,
            parts=(
                Text(text="mine is bob.secr"),
                Text(text="et@example.com, "),
                Text(text='and {"ssn": "078-05-1120"}'),
                File(name=f"{MAIL}.txt", media_type="text/plain", data=b64(f"it is {MAIL}")),
                Image(url=f"https://h.io/?u={MAIL}"),
                Image(media_type=f"image/{MAIL}", data="aGk="),
            ),
        )
    )
    call = ToolCall(id=f"call-{KEY}", name=KEY, arguments=json.dumps({"to": MAIL, "ssn": 1}))
    session.append(Event(id="e-2", role="assistant", parts=(Text(text=f"ok {MAIL}"), call)))
    content = (Text(text=f"sent to {b64(MAIL + ' and more')} {MAIL.replace('@', '%40')}"),)
    result = ToolResult(call_id=call.id, name=KEY, content=content)
    session.append(Event(id="e-3", role="tool", parts=(result,)))
    session.append(Event(id="e-4", role="user", parts=(Text(text="go on"),)))
    return session


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("format", FORMATS)
def test_a_secret_is_in_no_place_of_a_pack(format: str) -> None:
    pack = compile(everywhere(), SPEC, model="m", format=format, window=100_000)
    for text in (pack.body.decode(), repr(pack), repr(pack.manifest), repr(pack.request)):
        assert leaks(text) == []
        assert b64(MAIL)[:12] not in text


def test_its_manifest_is_replayed() -> None:
    session = everywhere()
    pack = compile(session, SPEC, model="gpt-5")
    assert replay(pack.manifest, session).body == pack.body


def test_a_call_and_its_result_keep_one_id() -> None:
    request = compile(everywhere(), SPEC, model="gpt-5").request
    calls = [call for m in request["messages"] for call in m.get("tool_calls") or ()]
    results = [m for m in request["messages"] if m["role"] == "tool"]
    assert [call["id"] for call in calls] == [m["tool_call_id"] for m in results]
    assert calls[0]["function"]["name"].startswith("redacted_")
    assert json.loads(calls[0]["function"]["arguments"]).keys() == {"to", "ssn"}


def test_a_secret_is_in_no_error_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    session = everywhere()
    for spec in (SPEC | C.budget(max_tokens=30), SPEC | C.budget(max_tokens=2, overflow="error")):
        with pytest.raises(ContextwrightError) as caught:
            compile(session, spec, model="gpt-5")
        assert leaks(str(caught.value) + repr(caught.value.as_dict())) == []
    assert leaks(caplog.text) == []


def test_what_is_expanded_is_redacted() -> None:
    engine = Engine(SPEC, "gpt-5")
    session = everywhere()
    engine.compile(session)
    assert leaks(engine.expand(session, "event://e-3#0")) == []


def test_a_profile_keeps_what_is_not_named() -> None:
    profile = {"name": "Ada", "ssn": "078-05-1120", "credit_card": "4111", "plan": "gold"}
    session = Session("s", state={"user_profile": profile})
    session.user("who am I?")
    spec = C.from_state("user_profile") | C.redact(fields=["ssn", "credit_card"])
    body = compile(session, spec, model="gpt-5").body.decode()
    for part in ("Ada", "gold", "plan", "name"):
        assert part in body
    assert leaks(body) == []
    assert "4111" not in body


def test_a_ref_that_holds_a_secret_is_not_shown() -> None:
    session = Session("s")
    session.user("go on")
    listed = [{"uri": f"artifact://{MAIL}.md", "summary": "A report."}, {"uri": "artifact://b.md"}]
    session.update({"evidence": listed})
    body = compile(session, (C.window(2) + C.evidence()) | C.redact("pii"), model="gpt-5").body
    assert leaks(body.decode()) == []
    assert "A report." in body.decode() and "artifact://b.md" in body.decode()
