"""What can not be read is marked with its size; what stands around it is read by its own kind."""

import base64
import hashlib
import json
import random
import time

import pytest

from contextwright.text.content_router import detect, shorten
from contextwright.text.readable_text import readable
from contextwright.tokens.counter import named_counter

COUNT = named_counter("o200k_base").count
PACKED = base64.b64encode(b"".join(hashlib.sha256(bytes([n])).digest() for n in range(99))).decode()
WORDS = "\n".join(f"line {n} of the log" for n in range(100))


def test_colours_of_a_terminal_are_no_part_of_a_text():
    lines = [f"\x1b[32mPASS\x1b[0m test_{n} \x1b[2m({n} ms)\x1b[0m" for n in range(200)]
    text = "\n".join([*lines, "\x1b[31mFAIL\x1b[0m test_77 \x1b[1mexpected 3\x1b[0m"])
    short = shorten(text, 60, COUNT).text
    assert "\x1b" not in short and "[32m" not in short
    assert short.startswith("PASS test_0 (0 ms)") and "FAIL test_77 expected 3" in short
    link = "\x1b]8;;https://a.b\x07words\x1b]8;;\x07 and \x1b(Bmore\x1b[?25l"
    assert readable(link) == "words and more"
    within = shorten(json.dumps({"exit_code": 1, "output": text}), 60, COUNT).text
    assert "\\u001b" not in within and "\x1b" not in within and "FAIL test_77" in within


def test_what_fits_but_for_its_colours_is_all_there():
    plain = "\n".join(f"PASS test {n}" for n in range(10))
    text = plain.replace("PASS", "\x1b[32mPASS\x1b[0m")
    assert COUNT(text) > COUNT(plain)
    assert shorten(text, COUNT(plain), COUNT).text == plain


@pytest.mark.parametrize("around", ["\n", " ", '"'])
def test_base64_within_a_text_is_a_mark_with_its_size(around):
    text = f"The certificate:{around}{PACKED}{around}was made on Monday.\n{WORDS}"
    short = shorten(text, 90, COUNT).text
    assert "[base64, 3168 bytes as base64" in short
    assert "The certificate" in short and "was made on Monday" in short
    assert PACKED[:20] not in short


def test_base64_in_lines_is_a_mark_with_its_size():
    wrapped = "\n".join(PACKED[n : n + 76] for n in range(0, len(PACKED), 76))
    text = f"From: a@b.c\n\n{wrapped}\n\n{WORDS}"
    short = shorten(text, 90, COUNT).text
    assert "[base64, 3168 bytes as base64" in short and "From: a@b.c" in short


def test_bytes_within_a_text_are_a_mark_with_their_size():
    noise = "".join(chr(n % 32) for n in range(1000))
    text = f"Reading x.bin\n{noise}\nDone.\n{WORDS}"
    short = shorten(text, 60, COUNT).text
    assert short.startswith("Reading x.bin\n[binary, 1000 characters")
    assert "Done." in short and "line 99 of the log" in short
    dice = random.Random(1)
    all_bytes = "".join(chr(dice.randrange(256)) for _ in range(4000))
    assert detect(all_bytes) == "binary"
    assert shorten(all_bytes, 60, COUNT).text.startswith("[binary, 4000 characters")


@pytest.mark.parametrize(
    "text",
    [
        "/srv/Data1/Projects2/Alpha3/" * 8,
        "a-Long-Name-Of-1-Branch-" * 8,
        hashlib.sha512(b"x").hexdigest(),
        "no_Blank_In_2_Names_" * 10,
    ],
)
def test_paths_names_and_digests_are_no_base64(text):
    assert readable(text) == text


def test_names_listed_beside_a_text_name_something():
    broken = '{"a": [' + ", ".join(f'{{"id": {n}, "v": [{n}, {n}]}}' for n in range(400))
    assert "also:" not in shorten(broken, 100, COUNT).text
    sizes = "\n".join(f"took {n}ms and {n}.5 kB or {n}% in {n} d of part_{n}" for n in range(300))
    listed = shorten(sizes, 100, COUNT).text.partition("also: ")[2].removesuffix(", …").split(", ")
    assert len(listed) > 5 and all(name.startswith("part_") for name in listed)


def test_output_of_code_keeps_its_first_lines_beside_errors_and_end():
    lines = [f"epoch {n} loss {1 / n:.4f}" for n in range(1, 300)]
    lines[150] = "ValueError: loss is nan"
    short = shorten("\n".join(["seed 7", *lines]), 90, COUNT).text.splitlines()
    assert short[0] == "seed 7" and short[1].startswith("epoch 1 ") and short[2] == lines[1]
    assert lines[150] in short and short[-3:] == lines[-3:]


def test_reading_takes_time_in_proportion_to_the_text():
    def seconds(text):
        begin = time.perf_counter()
        readable(text)
        return time.perf_counter() - begin

    for piece in ("A1b" * 39 + " ", "\x1b]8;;" + "x" * 50, "Ab1" * 20 + "\n", "\x1b[" + "1;" * 60):
        assert seconds(piece * 4000) < 2
