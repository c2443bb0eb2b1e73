"""Bodies and answers that come packed: read where a package for them is there, passed on as they came
where none is."""

import gzip
import json
import zlib

import pytest
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop, wait_for

from contextwright import C
from contextwright.serve import content_codings
from contextwright.serve.content_codings import decoder_of, unpacked
from contextwright.serve.usage_reader import UsageReader

SPEC = C.compaction(4000)
LONG = tool_loop(20)
USAGE = b'{"usage": {"prompt_tokens": 9, "completion_tokens": 2}}'


def bare_deflate(data):
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def brotli(data):
    return pytest.importorskip("brotli", "1.2").compress(data)


def zstd(data):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


CODINGS = {
    "gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress,
    "Deflate": bare_deflate, "br": brotli, "zstd": zstd,
}  # fmt: skip
coded = pytest.mark.parametrize("coding", CODINGS)


@coded
def test_a_packed_body_is_compiled_and_leaves_plain(coding):
    packed = CODINGS[coding](json.dumps(LONG).encode())
    with proxied(spec=SPEC) as (upstream, proxy):
        _, headers, _ = post(proxy.url, packed, {"content-encoding": coding})
        assert headers["x-contextwright-action"] == "rewritten"
        assert not upstream.seen[0].header("content-encoding")
        assert json.loads(upstream.seen[0].body)["messages"][0] == LONG["messages"][0]


@coded
def test_a_packed_body_that_nothing_is_due_for_leaves_as_it_came(coding):
    """With a spec and without, and again as it grew: what it may have is not told by packed bytes."""
    for spec in (SPEC, None):
        with proxied(spec=spec, window=2_000) as (upstream, proxy):
            for count in (1, 2):
                packed = CODINGS[coding](json.dumps(tool_loop(count, lines=3)).encode())
                _, headers, _ = post(proxy.url, packed, {"content-encoding": coding})
                assert headers["x-contextwright-action"] == "untouched"
                assert upstream.seen[-1].body == packed
                assert upstream.seen[-1].header("content-encoding") == [coding]
            if spec is None:
                packed = CODINGS[coding](json.dumps(tool_loop(40, lines=3)).encode())
                _, headers, _ = post(proxy.url, packed, {"content-encoding": coding})
                assert headers["x-contextwright-action"] == "rewritten"


def test_what_is_refused_goes_out_packed_as_it_came():
    packed = gzip.compress(json.dumps(LONG).encode())

    def picky(seen):
        return RawAnswer(200 if seen.body == packed else 400)

    with proxied(picky, spec=SPEC) as (upstream, proxy):
        status, headers, _ = post(proxy.url, packed, {"content-encoding": "gzip"})
        assert (status, headers["x-contextwright-action"]) == (200, "original")
        assert upstream.seen[1].body == packed
        assert [seen.header("content-encoding") for seen in upstream.seen] == [[], ["gzip"]]


def test_a_packed_body_that_is_too_long_is_compiled_again():
    """Also one of which nothing was decoded, since it fits as it grew."""
    words = b'{"error": {"code": "context_length_exceeded", "message": "maximum context length is 3000 tokens"}}'
    sizes = []

    def small(seen):
        plain = gzip.decompress(seen.body) if seen.header("content-encoding") else seen.body
        sizes.append(len(plain))
        return RawAnswer(400 if len(sizes) == 2 else 200, words)

    with proxied(small) as (upstream, proxy):
        for count in (19, 20):
            packed = gzip.compress(json.dumps(tool_loop(count)).encode())
            status, headers, _ = post(proxy.url, packed, {"content-encoding": "gzip"})
        assert (status, headers["x-contextwright-action"]) == (200, "recompiled")
        assert not upstream.seen[2].header("content-encoding") and sizes[2] < sizes[1] / 2


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "gzip, gzip", "aes128gcm"])
def test_what_nothing_here_unpacks_leaves_as_it_came_and_says_so(coding, monkeypatch):
    monkeypatch.setattr(content_codings, "_package", lambda name: None)
    with proxied(spec=SPEC) as (upstream, proxy):
        _, headers, _ = post(proxy.url, b"packed somehow", {"content-encoding": coding})
        assert headers["x-contextwright-action"] == "original"
        assert repr(coding) in headers["x-contextwright-reason"]
        assert upstream.seen[0].body == b"packed somehow"
        assert upstream.seen[0].header("content-encoding") == [coding]


@coded
def test_a_body_that_is_not_packed_as_it_says_leaves_as_it_came(coding):
    CODINGS[coding](b"")  # whether it is installed
    for body in (b"no such thing", json.dumps(LONG).encode()):
        with proxied(spec=SPEC) as (upstream, proxy):
            _, headers, _ = post(proxy.url, body, {"content-encoding": coding})
            assert headers["x-contextwright-action"] == "original"
            assert upstream.seen[0].body == body


@coded
def test_a_body_that_swells_without_end_is_not_unpacked(coding):
    packed = CODINGS[coding](b"[" + b" " * 30_000_000 + b"]")
    assert len(packed) < 100_000
    with pytest.raises(ValueError):
        unpacked(packed, coding, 1_000_000)
    with proxied(spec=SPEC, max_body=1_000_000) as (upstream, proxy):
        _, headers, _ = post(proxy.url, packed, {"content-encoding": coding})
        assert headers["x-contextwright-action"] == "original"
        assert upstream.seen[0].body == packed


def test_two_packed_bodies_are_none():
    """A reader that goes on behind the first would read another body."""
    with pytest.raises(ValueError):
        unpacked(gzip.compress(b'{"a":') + gzip.compress(b"1}"), "gzip", 1000)


@coded
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_packed_answer_is_billed_and_passed_on_as_it_came(coding, size):
    """However its bytes arrive."""
    packed = CODINGS[coding](USAGE)
    reader = UsageReader([(b"content-encoding", coding.encode())])
    for at in range(0, len(packed), size):
        reader.feed(packed[at : at + size])
    assert reader.usage().output == 2 and not reader.unread
    answer = RawAnswer(body=packed, headers=(("content-encoding", coding),))
    with proxied(lambda seen: answer) as (_, proxy):
        _, headers, text = post(proxy.url, tool_loop(1))
        assert text == packed and headers["Content-Encoding"] == coding
        assert "x-contextwright-usage" not in headers
        wait_for(lambda: proxy.app.ledger.sums().calls == 1)
        assert proxy.app.ledger.sums().billed_output == 2


@pytest.mark.parametrize("coding", ["br", "zstd", "compress"])
def test_an_answer_that_is_not_read_says_so(coding, monkeypatch):
    monkeypatch.setattr(content_codings, "_package", lambda name: None)
    assert decoder_of(coding) is None
    answer = RawAnswer(body=b"packed somehow", headers=(("content-encoding", coding),))
    with proxied(lambda seen: answer) as (_, proxy):
        _, headers, text = post(proxy.url, tool_loop(1))
        assert text == b"packed somehow" and coding in headers["x-contextwright-usage"]


@coded
def test_an_answer_that_swells_is_let_go(coding):
    swollen = CODINGS[coding](b"[" + b" " * 64_000_000 + b"]")
    reader = UsageReader([(b"content-encoding", coding.encode())])
    reader.feed(swollen)
    assert reader.usage() is None and not reader._pending
