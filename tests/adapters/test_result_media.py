"""Pictures and files in tools' results count, since they are sent, and words that take older
pictures out find them."""

import base64

import pytest
from tests.adapters.framework_files import PICTURES

from contextwright import C, Context, compile
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.part_view import PartView
from contextwright.adapters.result_media import content_of, left_of
from contextwright.render.wire import file_tokens

IMAGE = PartView.image("data:image/png;base64,AAAA")


@pytest.fixture(params=[name for name in PICTURES if name != "agno"])  # whose results have none
def framework(request):
    pytest.importorskip(request.param)
    return PICTURES[request.param]()


BYTES = b"%PDF-1.4" + b"1 2 3 4 5 6 " * 4_000
BASED = base64.b64encode(BYTES).decode()


def langchain_files():
    source = {"type": "base64", "media_type": "application/pdf", "data": BASED}
    yield {"type": "file", "base64": BASED, "mime_type": "application/pdf"}
    yield {"type": "document", "source": source, "title": "a.pdf"}
    yield {"type": "audio", "base64": BASED, "mime_type": "audio/wav"}
    yield {"type": "video", "base64": BASED, "mime_type": "video/mp4"}


def pydantic_files():
    from pydantic_ai.messages import BinaryContent

    for media in ("application/pdf", "audio/wav", "video/mp4"):
        yield BinaryContent(BYTES, media_type=media)


def agent_framework_files():
    from agent_framework import Content

    for media in ("application/pdf", "audio/wav"):
        yield Content.from_uri(f"data:{media};base64,{BASED}", media_type=media)


def inspect_files():
    from inspect_ai.model import ContentAudio, ContentDocument, ContentVideo

    address = f"data:application/pdf;base64,{BASED}"
    yield ContentDocument(document=address, filename="a.pdf", mime_type="application/pdf")
    yield ContentAudio(audio=f"data:audio/wav;base64,{BASED}", format="wav")
    yield ContentVideo(video=f"data:video/mp4;base64,{BASED}", format="mp4")


def strands_files():
    yield {"document": {"format": "pdf", "name": "a", "source": {"bytes": BYTES}}}
    yield {"video": {"format": "mp4", "source": {"bytes": BYTES}}}


def haystack_files():
    from haystack.dataclasses import FileContent

    yield FileContent(BASED, mime_type="application/pdf", filename="a.pdf")


def llama_index_files():
    from llama_index.core.base.llms.types import AudioBlock, DocumentBlock, VideoBlock

    yield DocumentBlock(data=BYTES, title="a.pdf", document_mimetype="application/pdf")
    yield AudioBlock(audio=BYTES, format="wav")
    yield VideoBlock(video=BYTES, video_mimetype="video/mp4")


FILES = {
    "langchain_core": langchain_files,
    "pydantic_ai": pydantic_files,
    "agent_framework": agent_framework_files,
    "inspect_ai": inspect_files,
    "strands": strands_files,
    "haystack": haystack_files,
    "llama_index": llama_index_files,
}


@pytest.fixture(params=FILES)
def files(request):
    """A framework, and files of its classes: documents, sounds and films."""
    pytest.importorskip(request.param)
    return PICTURES[request.param](), list(FILES[request.param]())


def test_a_file_in_a_result_counts_as_a_user_s_does(files):
    framework, made = files
    for file in made:
        of_result = counted(framework, framework.answers("seen", file))
        of_result -= counted(framework, framework.answers("seen"))
        of_user = counted(framework, framework.asks("see", file))
        of_user -= counted(framework, framework.asks("see"))
        assert of_result == pytest.approx(of_user, abs=5)
        assert of_user == pytest.approx(file_tokens(BASED), abs=50)


def test_an_old_file_is_named_where_it_stood_as_a_user_s_is(files):
    framework, made = files
    for file in made:
        turns = [framework.answers("seen", file) for _ in range(3)]
        messages = [message for turn in turns for message in turn]
        request = MappedRequest(framework.mapping, messages, model="gpt-5")
        compiled = Context(C.default() | C.decay(images=1), model="gpt-5")(request.body)
        new = request.messages_of(compiled)
        old = framework.said(new[len(turns[0]) - 1])
        assert "seen" in old and "[File at Turn 1: a tool gave " in old and len(old) < 400
        assert new[-1] is messages[-1]


def test_a_file_of_a_result_that_is_told_in_other_words_is_named(files):
    framework, made = files
    for file in made:
        messages = framework.answers("seen", file)
        request = MappedRequest(framework.mapping, messages, model="gpt-5")
        *before, result = request.body["messages"]
        compiled = {"messages": [*before, {**result, "content": "[full output: event://e3]"}]}
        said = framework.said(request.messages_of(compiled)[-1])
        assert "event://e3" in said and "[file left out]" in said and BASED[:60] not in said


def counted(framework, messages):
    request = MappedRequest(framework.mapping, messages, model="gpt-5")
    return compile(request.body, C.default(), model="gpt-5").tokens


def test_a_picture_in_a_result_counts(framework):
    with_it = counted(framework, framework.answers("seen", framework.shot))
    # 1280 by 720 pixels, as a user's picture counts
    assert 600 < with_it - counted(framework, framework.answers("seen")) < 1_700


def test_a_picture_by_its_address_counts_as_a_user_s_does(framework):
    if framework.picture is None:
        pytest.skip("it has none")
    picture = framework.picture
    of_result = counted(framework, framework.answers("seen", picture))
    of_result -= counted(framework, framework.answers("seen"))
    of_user = counted(framework, framework.asks("see", picture))
    of_user -= counted(framework, framework.asks("see"))
    assert of_result == pytest.approx(of_user, abs=5) and of_user > 1_400


def test_a_picture_by_its_provider_s_id_counts():
    pytest.importorskip("langchain_core")
    framework = PICTURES["langchain_core"]()
    picture = {"type": "image", "source": {"type": "file", "file_id": "file_011"}}
    more = counted(framework, framework.answers("seen", picture))
    assert more - counted(framework, framework.answers("seen")) > 1_400


def test_bytes_are_put_into_text_once(framework, monkeypatch):
    encoded = []
    real = base64.b64encode

    def counting(data, *args, **named):
        encoded.append(len(data))
        return real(data, *args, **named)

    messages = [*framework.answers("seen", framework.shot), *framework.asks("see", framework.shot)]
    context = Context(C.default() | C.redact(["secrets"]), model="gpt-5")
    monkeypatch.setattr(base64, "b64encode", counting)
    for turn in range(5):
        messages += framework.asks(f"and now? {turn}")
        request = MappedRequest(framework.mapping, messages, model="gpt-5")
        request.messages_of(context(request.body))
        if not turn:
            first = len(encoded)
    assert first <= 1 and len(encoded) == first


def test_it_is_the_caller_s_own_where_nothing_becomes_of_it(framework):
    messages = framework.answers("seen", framework.shot)
    request = MappedRequest(framework.mapping, messages, model="gpt-5")
    new = request.messages_of(Context(C.default(), model="gpt-5")(request.body))
    assert all(one is other for one, other in zip(new, messages, strict=True))


@pytest.mark.parametrize("text", ["seen", ""])
def test_an_old_one_is_named_where_it_stood(framework, text):
    turns = [framework.answers(*filter(None, [text]), framework.shot) for _ in range(3)]
    messages = [message for turn in turns for message in turn]
    request = MappedRequest(framework.mapping, messages, model="gpt-5")
    compiled = Context(C.default() | C.decay(images=1), model="gpt-5")(request.body)
    new = request.messages_of(compiled)
    said = [framework.said(message) for message in new[len(turns[0]) - 1 :: len(turns[0])]]
    assert "[Image at Turn 1" in said[0] and "[Image at Turn" not in said[-1]
    assert text in said[0]
    assert len(said[0]) < 300 < len(said[-1])


def test_a_result_told_in_other_words_has_no_picture():
    gone = {"role": "tool", "content": "[full output: event://e3, 900 tokens]"}
    left = left_of(gone, "seen", [IMAGE])
    assert left == (
        "[full output: event://e3, 900 tokens]",
        {0: {"type": "text", "text": "[picture left out]"}},
    )
    paper = PartView.file("data:application/pdf;base64,AAAA", "a.pdf")
    assert left_of(gone, "seen", [paper]).changed == {
        0: {"type": "text", "text": "[file left out]"}
    }
    assert left_of({"content": content_of("seen", [IMAGE])}, "seen", [IMAGE]) == ("seen", {})
    assert left_of({"content": content_of("", [IMAGE])}, "", [IMAGE]) == ("", {})


def test_a_picture_that_agno_put_elsewhere_is_not_fetched():
    media = pytest.importorskip("agno.media")
    place = media.MediaReference(
        url="https://store.invalid/a.png", media_id="m", storage_key="k", storage_backend="s3"
    )
    framework = PICTURES["agno"]()
    messages = framework.asks("see", media.Image(media_reference=place))
    assert counted(framework, messages) > 1_400
