"""Tables: rows over several lines stay rows, and what is left out is counted."""

import csv
import io

import pytest

from contextwright.text.content_router import detect, shorten
from contextwright.text.table_rows import table_line, table_units


def quarters(text: str) -> int:
    return -(-len(text) // 4)


def written(rows: int, cell: str, delimiter: str = ",") -> str:
    file = io.StringIO()
    table = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    table.writerow(["id", "text", "total"])
    table.writerows([n, cell.format(n), n] for n in range(rows))
    return file.getvalue().rstrip()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "cell", ["line\nbreak {}", 'a "quote" {}, and\n\na gap', "x\n" * 9 + "{}", "{}, a comma"]
)
@pytest.mark.parametrize("size", [30, 300, 3000])
def test_line_ends_within_quotes_tear_no_row(cell, delimiter, size):
    text = written(size, cell, delimiter)
    assert detect(text) == "table"
    short = shorten(text, 60, quarters).text
    assert quarters(short) <= 60
    assert short.startswith(f"id{delimiter}text{delimiter}total\n")
    kept = [line for line in short.split("\n… ")[0].splitlines() if line][1:]
    shown = list(csv.reader(io.StringIO("\n".join(kept)), delimiter=delimiter))
    whole = list(csv.reader(io.StringIO(text), delimiter=delimiter))[1:]
    for row, original in zip(shown, whole, strict=False):
        assert row[0] == original[0] and row[-1] == original[-1]
    assert f"({size} in all)" in short


def test_a_row_is_a_unit_with_all_of_its_lines():
    text = written(300, "line\nbreak {}")
    units = table_units(text)
    assert len(units) == 301
    assert units[7].text == '6,"line\nbreak 6",6'


def test_a_quote_that_never_ends_is_no_table_of_one_row():
    lines = ['a,b,"c', *(f"word {n} and more" for n in range(300))]
    assert detect("\n".join(lines)) != "table"


@pytest.mark.parametrize(
    "text",
    [
        "id,name,total\n" + "\n".join(f"{n},Name {n},{n * 10}" for n in range(300)),
        "| id | name |\n|---|---|\n" + "\n".join(f"| {n} | n{n} |" for n in range(300)),
        "\n".join(f'{{"id": {n}, "name": "n{n}"}}' for n in range(300)),
    ],
)
def test_rows_are_counted(text):
    assert "300" in shorten(text, 40, quarters).text


PSQL = (
    "  pid  |        state        |   age    |         q\n"
    "-------+---------------------+----------+-------------------\n"
    " 88213 | idle in transaction | 00:41:17 | UPDATE order_locks\n"
    + "\n".join(
        f" {n} | active              | 00:00:0{n % 9} | SELECT {n}" for n in range(500, 540)
    )
    + "\n(41 rows)"
)
MYSQL = (
    "+------+--------+\n| id   | total  |\n+------+--------+\n"
    + "\n".join(f"| {n}   | {n * 7}    |" for n in range(100, 160))
    + "\n+------+--------+"
)
FRAME = "     amount  tax\n" + "\n".join(f"{n}    {n * 13}.25  {n}.5" for n in range(60))
PODS = "NAME             READY   STATUS             RESTARTS\n" + "\n".join(
    f"checkout-{n:05x}   1/1     Running            0"
    if n != 17
    else f"checkout-{n:05x}   0/1     CrashLoopBackOff   14 (2m ago)"
    for n in range(30)
)


@pytest.mark.parametrize("text", [PSQL, MYSQL, FRAME, PODS])
def test_what_programs_print_in_columns_is_a_table(text):
    assert detect(text) == "table"
    short = shorten(text, 60, quarters).text
    assert " more rows" in short
    assert "alike" not in short
    header = next(line for line in text.splitlines() if any(map(str.isalpha, line)))
    assert "".join(header.split()) in "".join(short.split())


def test_a_row_that_differs_where_nearly_all_are_the_same_stays():
    assert "CrashLoopBackOff" in shorten(PODS, 60, quarters).text
    assert "idle in transaction" in shorten(PSQL, 80, quarters).text
    assert "CrashLoopBackOff" in table_line(PODS, 160)


@pytest.mark.parametrize(
    "text",
    [
        "GET /v1/cart 200\nGET /v1/cart 404\nPOST /v1/order 201\n" * 20,
        "total 48\n" + "\n".join(f"-rw-r--r-- 1 root root {n} Nov 29 a{n}.py" for n in range(30)),
        "It was late.\nWe went home.\nNobody said a word.\n" * 20,
    ],
)
def test_what_only_has_blanks_is_no_table(text):
    assert detect(text) != "table"
