"""What a model reads back says where a picture or a file stood, what it is, and how it is reached."""

import base64
import json
import re

import pytest

from contextwright import C, Engine, read_session

HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\x80\0\0\1\xe0\x08\2\0\0\0"
PNG = base64.b64encode(HEAD + bytes(n * 7 % 251 for n in range(6000))).decode()
PDF = base64.b64encode(b"%PDF-1.7 " + bytes(300)).decode()
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
WEB = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
PAGES = {"type": "document", "title": "T", "source": {
    "type": "base64", "media_type": "application/pdf", "data": PDF}}  # fmt: skip


def session():
    """A user's picture, document and address, and a screen that a tool gave."""
    asked = [{"type": "text", "text": "Look."}, IMAGE, PAGES, WEB]
    call = {"type": "tool_use", "id": "c", "name": "screen", "input": {}}
    shown = [{"type": "text", "text": "row of the screen " * 200}, IMAGE]
    result = {"type": "tool_result", "tool_use_id": "c", "content": shown}
    turns = [{"role": role, "content": f"{role} {n}"} for n in range(4)
             for role in ("assistant", "user")]  # fmt: skip
    messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": [call]},
                {"role": "user", "content": [result]}, *turns]  # fmt: skip
    return read_session({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages})


@pytest.fixture
def expand():
    made = session()
    engine = Engine(C.default() | C.compact(), "claude-sonnet-4-5", read_back=True)
    engine.compile(made)
    tools = engine.tools(made)
    return lambda ref, **more: tools.call("expand", {"ref": ref, **more})


def test_they_are_named_in_what_is_read(expand):
    asked = expand("event://e0")
    assert f"[image: image/png, 640 x 480, {len(PNG) * 3 // 4:,} bytes: event://e0#.1]" in asked
    assert "event://e0#.2" in asked and "[image: image/png, elsewhere: event://e0#.3]" in asked
    for ref in ("event://e1#0", "event://e1", "event://e2", "e1"):
        shown = expand(ref)
        assert "row of the screen" in shown and PNG[:60] not in shown
        assert re.search(r"\[image: image/png, 640 x 480, [\d,]+ bytes: event://e\d#0.1\]", shown)


@pytest.mark.parametrize(
    ("ref", "whole"),
    [
        ("event://e0#.1", f"data:image/png;base64,{PNG}"),
        ("event://e0#.2", f"data:application/pdf;base64,{PDF}"),
        ("event://e0#.3", "https://example.org/a.png"),
        ("event://e1#0.1", f"data:image/png;base64,{PNG}"),
    ],
)
def test_their_bytes_are_reached_page_by_page(expand, ref, whole):
    text, page, more = "", 1, True
    while more:
        read, _, foot = expand(ref, page=page, max_tokens=2000).rpartition("\n[")
        text, page, more = text + read, page + 1, "next:" in foot
    assert text == whole and page < 12


@pytest.mark.parametrize(
    "ref", ["event://e0#.0", "event://e0#.9", "event://e1#1.1", "event://e1#0.0", "event://e0#.x"]
)
def test_what_is_no_picture_is_said(expand, ref):
    assert expand(ref).startswith("Not read: nothing is found behind this ref.")


def test_a_picture_that_a_word_took_away_is_reached():
    made = session()
    engine = Engine(C.isolate(), "claude-sonnet-4-5", read_back=True)
    request = json.dumps(engine.compile(made).request)
    tools = engine.tools(made)
    refs = set(re.findall(r"event://e[\d]+(?:#[\d.]+)?|\be[12]\b", request))
    assert refs
    assert any("640 x 480" in tools.call("expand", {"ref": ref}) for ref in refs)
