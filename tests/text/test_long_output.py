"""The output of a program is read in lines, however long these are: its errors stay."""

import pytest

from contextwright.text.content_router import detect, shorten
from contextwright.tokens.counter import counter_for

COUNT = counter_for("gpt-5").count
NPM = [
    f"npm http fetch GET 200 https://registry.npmjs.org/@scope/pack-{n}/-/pack-{n}-1.{n}.0.tgz {n}ms"
    for n in range(30)
]
BUILD = [
    f"cc -O2 -Wall -fPIC -I/opt/vendor/include/lib{n} -c src/m_{n}.c -o m_{n}.o" for n in range(30)
]
ERRORS = {
    "npm": (NPM, "npm ERR! code ERESOLVE could not resolve react-widgets@5.8.4"),
    "make": (BUILD, "src/m_14.c:118:17: error: unknown type name 'frob'"),
}


@pytest.mark.parametrize("tool", ERRORS)
@pytest.mark.parametrize("place", [3, 14, 27])
def test_an_error_stays_of_the_long_lines_of_a_program(tool, place):
    lines, error = ERRORS[tool]
    text = "\n".join([*lines[:place], error, *lines[place:]])
    assert detect(text) == "log"
    assert error in shorten(text, 130, COUNT).text


def test_long_lines_with_sentences_about_errors_are_prose():
    said = (
        "The deployment failed twice on Monday. We agreed to look at the error again once the "
        "new version is out, because the old one hides what went wrong."
    )
    assert detect("\n".join([said] * 8)) == "prose"
