"""Pictures in tools' results count, since they are sent, and words that take older ones out find
them."""

import base64

import pytest
from tests.adapters.framework_files import PICTURES

from contextwright import C, Context, compile
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.result_pictures import content_of, left_of

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.fixture(params=[name for name in PICTURES if name != "agno"])  # whose results have none
def framework(request):
    pytest.importorskip(request.param)
    return PICTURES[request.param]()


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
