"""A run of one sign, as a broken tool or an attacker sends it, takes time that grows with its
length: a quadratic expression would take minutes here."""

import time

import pytest

from contextwright import C, Session, compile
from contextwright.retrieval.query_expansion import names, variants
from contextwright.text.source_outline import is_code
from contextwright.text.stack_trace import is_trace
from contextwright.text.table_rows import table_units

RUNS = ("a", "aB", "A", "0", "/", "</", "a/", "-", "_", " ", ": ", "|", "\\", "a.", "=")
SIZE = 60_000


def run(sign: str) -> str:
    return (sign * SIZE)[:SIZE]


@pytest.fixture(autouse=True)
def seconds():
    began = time.process_time()
    yield
    assert time.process_time() - began < 10


@pytest.mark.parametrize("sign", RUNS)
def test_a_query_of_one_sign(sign):
    names(run(sign))
    variants(run(sign))


@pytest.mark.parametrize("sign", RUNS)
def test_lines_of_one_sign(sign):
    lines = ["def f(x):", run(sign), f"|{run(sign)}|"]
    is_trace(lines)
    is_code(lines)
    table_units("\n".join((*lines, "| a |", f"{run(sign)}|", "| b |")))


@pytest.mark.parametrize("sign", ["a", "/", "0"])
def test_a_result_of_one_sign_is_found_and_shortened(sign):
    session = Session()
    session.user("go")
    session.call("read", "{}", id="c")
    session.result("c", run(sign))
    session.user(f"on {run(sign)[:20_000]}")
    compile(session, C.relevant(top_k=2) + C.window(1) | C.compact(), model="gpt-5")


def test_what_names_are_stays():
    found = names("see src/app/main.py, foo_bar and parseJson2 at host:8080/v1 for 'John Doe'")
    assert found == ["src/app/main.py", "foo_bar", "parseJson2", "host:8080", "/v1", "John Doe"]
