"""Files as tools print them: which numbers are a tool's, and what stands behind them."""

import pytest

from contextwright.text.content_router import detect
from contextwright.text.numbered_lines import numbered, without_numbers
from contextwright.text.source_outline import definitions

CODE = [
    "import numpy as np",
    "",
    "class Quantity(Base):",
    "    def __new__(cls, value):",
    "        return value",
    "",
    "    def view(self, obj=None):",
    '        """An object or a part of it."""',
    "        return obj",
]
FORMS = ["{n:6}\t{line}", "{n}: {line}", "  {n}→{line}", "{n:6} {line}"]


def printed(form, first=1, lines=CODE):
    return "\n".join(form.format(n=n, line=line) for n, line in enumerate(lines, first))


@pytest.mark.parametrize("form", FORMS)
def test_a_file_behind_numbers_is_read_without_them(form):
    text = f"[Showing a part of it]\n{printed(form, 96)}\n(Current directory: /src)"
    assert numbered(text) == list(enumerate(CODE, 96))
    assert without_numbers(text.splitlines())[1:-1] == CODE


@pytest.mark.parametrize("form", FORMS)
def test_a_file_behind_numbers_is_read_as_code(form):
    assert detect(printed(form)) == "code"


def test_lines_that_were_left_out_do_not_end_a_file():
    text = printed("{n:6} {line}", 1, CODE[:5]) + "\n     6 ... eliding lines 6-90 ...\n"
    text += printed("{n:6} {line}", 91, CODE[5:])
    assert [number for number, _ in numbered(text)] == [*range(1, 7), *range(91, 95)]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"  {n * 7} bottles of milk" for n in range(10, 14)),
        "1 one\n2 two\n10 ten\n11 eleven",
        "\n".join(f"{line} # {n}" for n, line in enumerate(CODE)),
        "12",
        "",
    ],
)
def test_numbers_that_a_text_has_of_its_own_stay(text):
    assert numbered(text) == []
    assert without_numbers(text.splitlines()) == text.splitlines()


def test_definitions_stand_by_the_numbers_of_their_lines():
    names = {98: "Quantity", 99: "__new__", 102: "view"}
    assert definitions(printed("{n:6} {line}", 96), 100, len) == names
    assert definitions("\n".join(CODE), 100, len) == {}


def test_of_definitions_without_room_those_within_others_go_first():
    assert definitions(printed("{n:6} {line}", 96), 15, len) == {98: "Quantity"}


def test_definitions_are_told_in_many_languages():
    lines = [
        "export class Theme extends Base {",
        "  public static int area(Shape shape) {",
        "const load = async (path) => {",
        "func (s *Server) Serve(l net.Listener) error {",
        "pub fn parse<T>(text: &str) -> T {",
        "type Point struct {",
    ]
    named = definitions(printed("{n:4}\t{line}", 1, lines), 200, len)
    assert list(named.values()) == ["Theme", "area", "load", "Serve", "parse", "Point"]
