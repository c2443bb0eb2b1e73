"""`docs/how-to/add-a-word.md`, followed literally: one new file, one row."""

import importlib.util
import sys
from pathlib import Path

import pytest

from contextwright import C, compile
from contextwright.errors import SpecError
from contextwright.spec import ATOMS, from_json, to_json
from contextwright.testing import WORD_RULES, check_rule
from contextwright.words import parse

PAGE = (Path(__file__).parents[2] / "docs/how-to/add-a-word.md").read_text()


def block(kind, number):
    return PAGE.split(f"```{kind}\n")[number + 1].partition("```")[0]


@pytest.fixture(scope="module")
def remind(tmp_path_factory):
    """The file of the page, imported as a package of others would be."""
    before = dict(ATOMS)
    path = tmp_path_factory.mktemp("atoms") / "remind.py"
    path.write_text(block("python", 0))
    spec = importlib.util.spec_from_file_location("remind_of_the_page", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module.Remind
    del sys.modules[spec.name]
    ATOMS.clear()
    ATOMS.update(before)


@pytest.fixture
def samples(remind):
    """The row of the page."""
    return eval("{" + block("text", 0) + "}", {"C": C})["remind"]


def test_c_has_the_word_and_its_help(remind):
    assert C.remind("plan") == remind(key="plan") == parse("C.remind('plan')")
    assert from_json(to_json(C.remind())) == C.remind()
    assert "remind" in dir(C) and "behind everything" in C.remind.__doc__
    with pytest.raises(SpecError, match=r"C.remind: unexpected option 'name'; expected key"):
        C.remind(name="x")
    with pytest.raises(SpecError, match="expected a state key"):
        C.remind("")


def test_the_example_of_the_page_runs(remind):
    exec(block("python", 1), {"compile": compile})


@pytest.mark.parametrize("rule", WORD_RULES)
def test_the_row_of_the_page_keeps_every_rule(rule, samples):
    check_rule(rule, *samples)


def test_the_suite_of_the_page_is_one(remind):
    names = {"C": C, "__name__": "page"}
    exec(block("python", 2), names)
    suite = names["TestRemind"]()
    for rule in WORD_RULES:
        suite.test_the_word_keeps(rule)
