"""Tables: rows over several lines stay rows, and what is left out is counted."""

import csv
import io

import pytest

from contextwright.text.content_router import detect, shorten
from contextwright.text.table_rows import table_units


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
