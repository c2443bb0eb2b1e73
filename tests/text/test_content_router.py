"""The content router: what stays of every kind of text, and what holds for all of them."""

import base64
import hashlib
import json
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.content_router import detect, shorten
from contextwright.text.log_lines import severity
from contextwright.text.tool_result import shorten_result
from contextwright.tokens.counter import named_counter

COUNT = named_counter("o200k_base").count
MARK = re.compile(r"\[… .*?\]|… \d+ more|…")


def _log(lines=400):
    found = [
        f"2024-05-01 10:{n // 60 % 60:02}:{n % 60:02} INFO request {n} served" for n in range(lines)
    ]
    found[lines // 2] = "2024-05-01 10:00:00 ERROR payment failed: card declined (E-4411)"
    found[lines // 3] = "2024-05-01 10:00:00 WARN disk nearly full"
    return "\n".join(found)


DIFF = "\n".join(
    line
    for n in range(6)
    for line in (
        f"diff --git a/src/m{n}.py b/src/m{n}.py",
        f"--- a/src/m{n}.py",
        f"+++ b/src/m{n}.py",
        "@@ -1,6 +1,6 @@ def run():",
        *(f" context line {k} of file {n}" for k in range(5)),
        f"-    return old_{n}",
        f"+    return new_{n}",
    )
)
PYTHON_TRACE = (
    "Traceback (most recent call last):\n"
    + "".join(
        f'  File "/venv/site-packages/lib{n}.py", line {n}, in f{n}\n    step_{n}()\n'
        for n in range(25)
    )
    + '  File "/app/orders.py", line 7, in pay\n    charge(order)\n'
    + "OrderError: no such order A-77"
)
JAVA_TRACE = (
    "Exception in thread main java.lang.IllegalStateException: no order A-77\n"
    "\tat com.shop.Orders.pay(Orders.java:7)\n"
    + "".join(f"\tat java.base/java.util.Stream{n}.run(Stream.java:{n})\n" for n in range(40))
    + "Caused by: java.io.IOException: disk full\n"
)
CODE = "import os\n\n" + "\n".join(
    f'def function_{n}(a, b):\n    """Does {n}."""\n    total = a + b\n    for i in range({n}):\n        total += i\n    return total\n'
    for n in range(30)
)
HITS = "\n".join(f"src/module{n % 4}.py:{n}:    call_{n}(self)" for n in range(80))
CSV = "id,name,city\n" + "\n".join(f"{n},User {n},Rome" for n in range(120))
MARKDOWN = "# Users\n\n| id | name |\n|---|---|\n" + "\n".join(
    f"| {n} | User {n} |" for n in range(120)
)
PAGE = (
    "<!doctype html><html><head><title>Billing API</title><style>p{color:red}</style></head><body>"
    "<nav><a href='/home'>Home</a></nav><script>var secret = 'x < y';</script><h1>Refunds</h1>"
    + "".join(f"<p>Rule {n}: see <a href='https://x.y/{n}'>the page</a>.</p>" for n in range(60))
    + "</body></html>"
)
PROSE = " ".join(
    f"Supplier {n} confirmed order A{n} at {n} euros after a long talk." for n in range(80)
)
PACKED = base64.b64encode(b"".join(hashlib.sha256(bytes([n])).digest() for n in range(99))).decode()
ROWS = json.dumps(
    [
        {"id": f"U-{n}", "name": f"User {n}", "active": n % 2 == 0, "bio": "long prose " * 20}
        for n in range(50)
    ]
)
SAMPLES = {
    "json": ROWS,
    "diff": DIFF,
    "html": PAGE,
    "trace": PYTHON_TRACE,
    "hits": HITS,
    "table": CSV,
    "log": _log(),
    "code": CODE,
    "prose": PROSE,
    "binary": PACKED,
}


@pytest.mark.parametrize(("kind", "text"), SAMPLES.items())
def test_every_kind_is_known_by_its_content(kind, text):
    assert detect(text) == kind


@pytest.mark.parametrize("text", [MARKDOWN, CSV.replace(",", "\t"), CSV.replace(",", ";")])
def test_tables_are_known_by_their_cells(text):
    assert detect(text) == "table"


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("tokens", [1, 4, 12, 40, 90, 200, 700])
def test_a_kind_holds_its_tokens_marks_its_holes_and_is_stable(kind, tokens):
    text = SAMPLES[kind]
    short = shorten(text, tokens, COUNT, ref="event://e1#0")
    assert COUNT(short.text) <= tokens
    assert shorten(short.text, tokens, COUNT, ref="event://e1#0").text == short.text
    assert shorten(text, tokens, COUNT, ref="event://e1#0") == short
    assert short.text.count("event://e1#0") <= 1
    if short.omitted and tokens >= 12:
        assert MARK.search(short.text)


def texts():
    line = st.text(alphabet=string.printable + "äß漢字…", max_size=60)
    shapes = st.sampled_from([*SAMPLES.values(), MARKDOWN, JAVA_TRACE])
    pieces = st.builds(
        lambda text, a, b: text[a : a + b], shapes, st.integers(0, 900), st.integers(0, 1500)
    )
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
        lambda inner: (
            st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=6)
        ),
        max_leaves=40,
    )
    return st.one_of(
        st.text(max_size=600),
        st.lists(line, max_size=60).map("\n".join),
        pieces,
        values.map(json.dumps),
        st.tuples(pieces, pieces).map("\n".join),
    )


@given(texts(), st.integers(0, 120), st.booleans())
def test_any_text_is_bounded_never_larger_and_stable(text, tokens, with_ref):
    ref = "event://e1#0" if with_ref else ""
    short = shorten(text, tokens, COUNT, ref=ref)
    assert COUNT(short.text) <= max(tokens, 0) or short.text == text
    assert COUNT(short.text) <= COUNT(text)
    assert shorten(short.text, tokens, COUNT, ref=ref).text == short.text
    if COUNT(text) <= tokens:
        assert short.text == text
    elif tokens >= 30 and short.omitted:
        assert MARK.search(short.text)


@given(texts(), st.integers(1, 120))
def test_a_result_that_was_shortened_is_shortened_once(text, tokens):
    def short(text):
        return shorten_result(
            text, tool="f", arguments="{}", max_tokens=tokens, count=COUNT, ref="event://e1#0"
        )

    once = short(text)
    assert COUNT(once) <= COUNT(text)
    assert short(once) == once


@pytest.mark.parametrize("kind", ["log", "code", "diff", "trace", "table"])
@pytest.mark.parametrize("tokens", [60, 150, 400])
def test_lines_that_stay_are_lines_of_the_source_in_their_order(kind, tokens):
    source = SAMPLES[kind].splitlines()
    at = 0
    for line in shorten(SAMPLES[kind], tokens, COUNT).text.splitlines():
        line = re.sub(r" \(×\d+(?: alike)?\)$", "", line)
        if line.startswith(("[…", "… ", "also: ")):
            continue
        at = source.index(line, at) + 1


def test_holes_add_up_to_the_lines_that_are_missing():
    text = shorten(_log(), 120, COUNT).text
    missing = sum(map(int, re.findall(r"\[… (\d+)", text)))
    kept = [line for line in text.splitlines() if not line.startswith(("[…", "also: "))]
    assert missing + len(kept) == 400


# JSON


def test_rows_are_not_torn_into_columns():
    rows = [{"name": "Alice", "status": "active"}, {"name": "Bob", "status": "banned"}]
    text = shorten(json.dumps(rows * 12), 60, COUNT).text
    assert "Alice active" in text and "Bob banned" in text
    assert "Alice, Bob" not in text


def test_rows_come_without_loss_first():
    rows = [{"id": n, "price": 1.5, "note": None, "ok": n > 3, "at": "07:00:00"} for n in range(8)]
    text = json.dumps(rows)
    short = shorten(text, COUNT(text) * 2 // 3, COUNT)
    assert short.omitted == 0
    assert short.text.splitlines()[0] == "8 rows: id/ok; all: price 1.5, note null, at 07:00:00"
    assert short.text.splitlines()[4:6] == ["3 false", "4 true"]


def test_a_string_that_reads_as_a_number_is_told_from_one():
    rows = [{"zip": str(n), "n": n, "name": "-"} for n in range(78750, 78770)]
    text = shorten(json.dumps(rows), 200, COUNT).text
    assert '"78751" 78751' in text


def test_numbers_keep_their_digits():
    assert "1.10" in shorten('{"price": 1.10, "note": "' + "words " * 90 + '"}', 40, COUNT).text


def test_fewer_rows_are_counted_and_missing_columns_named():
    text = shorten(ROWS, 120, COUNT).text
    assert "without" in text.splitlines()[0] and "bio" in text.splitlines()[0]
    shown = len(re.findall(r"^U-\d+", text, re.MULTILINE))
    assert shown + int(re.findall(r"… (\d+) more rows", text)[0]) == 50
    assert "U-0" in text and "U-49" in text


def test_what_identifies_goes_last():
    value = {f"flag_{n}": bool(n % 2) for n in range(60)} | {"order_id": "A-4711", "total": 12.5}
    text = shorten(json.dumps(value), 30, COUNT).text
    assert "order_id A-4711" in text and "12.5" in text
    assert "fields left out]" in text or "without" in text


def test_the_output_of_a_command_is_read_as_what_it_is():
    text = shorten(json.dumps({"exit_code": 1, "output": _log(3000)}), 150, COUNT).text
    assert text.startswith("exit_code 1\noutput:\n")
    assert "E-4411" in text


def test_rows_without_fields_are_items():
    assert COUNT(shorten("[{},{},[{}],[]]" + " " * 90, 6, COUNT).text) <= 6
    assert COUNT(shorten("[{}]", 1, COUNT).text) <= 1


def test_lines_of_json_are_rows():
    lines = "\n".join(json.dumps({"level": "info", "id": n}) for n in range(200))
    short = shorten(lines, 100, COUNT)
    assert short.kind == "json" and "all: level info" in short.text


# Lines


def test_an_error_in_line_5000_of_a_log_is_found():
    lines = [f"2024-05-01 10:00:{n % 60:02} INFO request {n} served" for n in range(9000)]
    lines[4999] = "2024-05-01 11:00:00 ERROR payment 77 failed: card declined (E-4411)"
    lines[6000] = "2024-05-01 11:00:00 WARN slow disk"
    text = shorten("\n".join(lines), 120, COUNT).text
    assert lines[4999] in text
    assert lines[-1] in text
    plain = [f"compiling unit {n}" for n in range(9000)]
    plain[4999] = "linker: error: undefined symbol pay_77"
    assert plain[4999] in shorten("\n".join(plain), 120, COUNT).text


def test_errors_come_before_warnings_and_repeats_are_counted():
    lines = (
        [f"WARN retrying host {n}" for n in range(300)] + ["ERROR host h-9 is down"] + ["ok"] * 99
    )
    text = shorten("\n".join(lines), 40, COUNT).text
    assert "ERROR host h-9 is down" in text
    assert "WARN retrying host 0 (×300 alike)" in text


def test_talk_of_errors_at_a_lower_level_gives_way_to_errors():
    lines = [
        f"2026-01-03 10:00:{n:02d} INFO svc retry after error of user {'abcdefgh'[n % 8]}"
        for n in range(50)
    ]
    lines[31] = "2026-01-03 10:00:31 ERROR svc disk is gone"
    text = shorten("\n".join(lines), 60, COUNT).text
    assert lines[31] in text
    line = "level=info msg=failed"
    assert [severity(one) for one in (line, "ERROR at INFO", "WARN: Error", "x failed")] == [
        1,
        0,
        1,
        0,
    ]


def test_a_comma_in_quotes_divides_no_cells():
    text = 'id,"name, first",x\n' + "\n".join(f'{n},"A, {n}",{n}' for n in range(90))
    assert detect(text) == "table"
    assert shorten(text, 60, COUNT).text.startswith('id,"name, first",x\n0,"A, 0",0\n')


def test_no_errors_is_no_error():
    lines = [f"step {n}: 0 errors, 0 warnings" for n in range(300)]
    lines[120] = "step 120: 3 errors"
    assert lines[120] in shorten("\n".join(lines), 60, COUNT).text


def test_a_diff_keeps_its_files_then_its_hunks_then_changes():
    headers = shorten(DIFF, 130, COUNT).text
    assert all(f"diff --git a/src/m{n}.py" in headers for n in range(6))
    changed = shorten(DIFF, 420, COUNT).text
    assert all(f"return old_{n}" in changed and f"return new_{n}" in changed for n in range(6))
    assert "context line 3" not in changed


def test_a_line_of_a_hunk_that_looks_like_a_header_is_none():
    text = "diff --git a/x.sql b/x.sql\n--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,1 @@\n--- a comment\n select 1;\n"
    assert detect(text) == "diff"
    from contextwright.text.diff_hunks import CHANGES, diff_units

    assert diff_units(text)[4].rank[0] == CHANGES


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (PYTHON_TRACE, ["OrderError: no such order A-77", "/app/orders.py", "charge(order)"]),
        (
            JAVA_TRACE,
            ["IllegalStateException: no order A-77", "Orders.java:7", "Caused by: java.io"],
        ),
    ],
)
def test_a_trace_keeps_what_was_raised_and_the_users_innermost_frame(text, shown):
    assert detect(text) == "trace"
    short = shorten(text, 80, COUNT).text
    assert all(one in short for one in shown)


def test_code_keeps_its_signatures():
    short = shorten(CODE, 500, COUNT, index=False).text
    assert sum(f"def function_{n}(a, b):" in short for n in range(30)) == 30


def test_hits_stand_under_their_files_each_path_once():
    short = shorten(HITS, 150, COUNT).text
    assert all(short.count(f"src/module{n}.py") == 1 for n in range(4))
    assert "hits left out]" in short
    whole = shorten(HITS, COUNT(HITS) - 100, COUNT)
    assert whole.omitted == 0


def test_tables_keep_their_header_their_ends_and_count_the_rest():
    for text, header in ((CSV, "id,name,city"), (MARKDOWN, "| id | name |")):
        short = shorten(text, 80, COUNT).text
        assert header in short and "more rows" in short
        assert short.splitlines()[-1] == text.splitlines()[-1]


def test_a_page_is_read_without_its_scripts():
    short = shorten(PAGE, 150, COUNT).text
    assert "Billing API" in short and "Refunds" in short and "https://x.y/0" in short
    assert "secret" not in short and "color:red" not in short
    assert "left out" in short.splitlines()[0]


def test_broken_markup_is_text():
    for text in (
        "<html><![if foo" * 200,
        "<!doctype html>" + "<!-- " * 5000,
        "<html>" + "<a " * 9000,
    ):
        assert COUNT(shorten(text, 60, COUNT).text) <= 60


def test_what_is_binary_is_named_with_its_size():
    assert shorten(PACKED, 60, COUNT).text.startswith("[base64, 3168 bytes")
    assert "image/png" in shorten(f"data:image/png;base64,{PACKED}", 60, COUNT).text
    assert "[binary" in shorten("\x00\x01\ufffd" * 300, 60, COUNT).text


def test_prose_keeps_whole_sentences_and_what_is_asked_for():
    short = shorten(PROSE, 90, COUNT, keep=["Supplier 41 "]).text
    assert "Supplier 41 confirmed order A41 at 41 euros" in short
    assert short.startswith("Supplier 0 confirmed")
    assert "sentences left out]" in short


def test_a_text_without_seams_keeps_both_ends():
    text = "x" * 3000 + "END"
    short = shorten(text, 40, COUNT).text
    assert short.startswith("x") and short.endswith("END") and "3003 characters" in short


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(ValueError, match="expected a kind of json"):
        shorten("some text " * 90, 5, COUNT, kind="yaml")
