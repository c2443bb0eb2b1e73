"""The usage of a stream is read wherever its chunks end."""

import random

import pytest

from contextwright.serve.usage_reader import UsageReader

WORDS = b'data: {"choices":[{"delta":{"content":"the \\"usage\\" of it"}}]}\n\n' * 5
USAGE = b'data: {"choices":[],"usage":{"prompt_tokens":70,"completion_tokens":9}}\n\n'


@pytest.mark.parametrize("end", [b"", b"data: [DONE]\n\n", b": ping\n\n"])
@pytest.mark.parametrize("seed", range(20))
def test_a_usage_is_found_however_the_stream_is_cut(seed, end):
    stream, dice, at = WORDS + USAGE + end, random.Random(seed), 0
    reader = UsageReader([(b"content-type", b"text/event-stream")])
    while at < len(stream):
        size = dice.choice([1, 2, 5, 40, len(WORDS) // 5, 200])
        reader.feed(stream[at : at + size])
        at += size
    usage = reader.usage()
    assert usage is not None and (usage.input, usage.output) == (70, 9)
    assert reader.bills() == [usage]
