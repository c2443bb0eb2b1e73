"""Typed decoding: what a type is is told to msgspec once, whoever asks at the same time."""

import subprocess
import sys

import msgspec
import pytest

from contextwright.typed_decoding import converted, decoder

FIRST_DECODED_BY_MANY = """
import sys, threading, msgspec
from contextwright.typed_decoding import converted, decoder

sys.setswitchinterval(1e-6)
row = {"parts": [{f"f{n}": n for n in range(20)}]}
body, results = msgspec.json.encode(row), []
for _ in range(150):
    part = msgspec.defstruct("Part", [(name, "int") for name in row["parts"][0]])
    whole = msgspec.defstruct("Whole", [("parts", list[part])])
    begin = threading.Barrier(8)

    def work():
        begin.wait()
        results.append(converted(row, whole) == decoder(whole).decode(body))

    threads = [threading.Thread(target=work) for _ in range(8)]
    [one.start() for one in threads]
    [one.join() for one in threads]
print(len(results), all(results))
"""


def test_types_that_many_threads_decode_first_end_no_process():
    """With `msgspec.json.decode(body, type=...)` it ends by a segmentation fault."""
    code = [sys.executable, "-c", FIRST_DECODED_BY_MANY]
    ended = subprocess.run(code, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "1200 True\n"), ended.stderr


def test_what_is_no_such_value_is_refused_each_time():
    class Point(msgspec.Struct):
        x: int

    for _ in range(2):
        with pytest.raises(msgspec.ValidationError, match="x"):
            converted({"x": "west"}, Point)
        with pytest.raises(msgspec.ValidationError, match="x"):
            decoder(Point).decode(b'{"x": "west"}')
    assert converted({"x": 1}, Point) == Point(1) == decoder(Point).decode(b'{"x": 1}')
    assert decoder(Point) is decoder(Point)
