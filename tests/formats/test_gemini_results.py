"""What a function gave: a text where its response is one by custom, else the tool's own object."""

import pytest

from contextwright import C, compile, read_session
from contextwright.session import ToolResult

CALL = {"function_call": {"id": "c1", "name": "run", "args": {}}}
OBJECTS = (
    {"output": "total 3", "exit_code": 1, "stderr": "permission denied"},
    {"result": {"n": 1}},
    {"n": 1, "rows": [1, 2]},
    {"error": "no", "code": 5},
)


def body(response):
    answer = {"function_response": {"id": "c1", "name": "run", "response": response}}
    return [
        {"role": "user", "parts": [{"text": "Run it."}]},
        {"role": "model", "parts": [CALL]},
        {"role": "user", "parts": [answer]},
    ]


def response_sent(contents, spec=C.default()):
    request = compile(contents, spec, model="gemini-2.5-pro").request
    parts = [part for content in request["contents"] for part in content["parts"]]
    return next(p for p in parts if "function_response" in p)["function_response"]["response"]


@pytest.mark.parametrize("response", OBJECTS)
def test_an_object_keeps_all_its_fields(response):
    assert response_sent(body(response)) == response
    # as somebody else's session, which leaves no message as it came
    session = read_session(body(response))
    copy = type(session)("copy", [*session.log])
    assert response_sent(copy) == response


@pytest.mark.parametrize("key", ["result", "output"])
def test_a_text_is_a_text(key):
    session = read_session(body({key: "total 3"}))
    [result] = [p for event in session.log for p in event.parts if isinstance(p, ToolResult)]
    assert result.text == "total 3" and result.status == "ok"
    assert response_sent(body({key: "total 3"})) == {key: "total 3"}


@pytest.mark.parametrize("spec", [C.default(), C.default() | C.compact()])
def test_a_text_stands_where_its_tool_put_it(spec):
    """Somebody else's session, as google-adk's: what was said under `output` went out as `result`."""
    text = "\n".join(f"-rw-r--r-- ada {n} report-{n}.txt" for n in range(400))
    session = read_session([*body({"output": text}), *body({"output": "total 3"})])
    copy = type(session)("copy", [*session.log])
    request = compile(copy, spec, model="gemini-2.5-pro").request
    parts = [part for content in request["contents"] for part in content["parts"]]
    sent = [p["function_response"]["response"] for p in parts if "function_response" in p]
    assert [set(each) for each in sent] == [{"output"}, {"output"}]
    assert sent[1] == {"output": "total 3"}


def test_a_redacted_object_loses_no_field():
    sent = response_sent(
        body({"output": "ada@example.com", "exit_code": 1}),
        C.default() | C.redact(patterns=["email"]),
    )
    assert "exit_code" in str(sent) and "ada@" not in str(sent)


def test_a_signature_on_a_part_of_its_own_comes_back():
    contents = [
        {"role": "user", "parts": [{"text": "Hi."}]},
        {"role": "model", "parts": [{"text": "Hello."}, {"thought_signature": "c2ln"}]},
        {"role": "user", "parts": [{"text": "And?"}]},
    ]
    session = read_session(contents)
    copy = type(session)("copy", [*session.log])
    for source in (contents, copy):
        request = compile(source, C.default(), model="gemini-2.5-pro").request
        assert "c2ln" in str(request["contents"][1])
