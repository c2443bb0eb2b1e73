"""What a process imports before it does something: counted in modules, as a timing would say more
of the machine than of us."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import contextwright
from contextwright.cli.main import main

ROOT = Path(__file__).parents[1]
TOKENIZERS = {"splintr", "tiktoken"}
HEAVY = {"asyncio", "sqlite3", "ssl", "tempfile", "importlib.resources", "importlib.metadata"}
OURS = {
    "contextwright.redaction.patterns", "contextwright.models", "contextwright.retrieval.index",
    "contextwright.retrieval.entity_tables", "contextwright.text.content_router",
    "contextwright.stores.memory_store", "contextwright.stores.sqlite", "contextwright.check",
    "contextwright.compiler.stages", "contextwright.compiler.refill",
}  # fmt: skip
DEAR = {"compact", "cool", "fit", "memory", "premise", "redact", "relevant", "salient", "summarize"}
MESSAGES = [
    {"role": "user", "content": "What is the plan?"},
    {"role": "assistant", "content": "None."},
]


def loaded_by(code, *arguments):
    """The modules that a process has when the code was run in it."""
    script = f"import sys\n{code}\nprint('\\n'.join(['', *sys.modules]), file=sys.stderr)"
    command = [sys.executable, "-c", script, *arguments]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return set(found.stderr.splitlines())


def command(*arguments):
    code = (
        "from contextwright.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: assert not end.code, end.code"
    )
    return loaded_by(code, *arguments)


def words_in(modules):
    """The files of words among modules, by the last part of their names."""
    below = [name.split(".") for name in modules if name.startswith("contextwright.atoms.")]
    return {parts[3] for parts in below if len(parts) == 4}


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"messages": MESSAGES}))
    return str(path)


def test_the_version_is_shown_by_click_and_nothing_else():
    modules = command("--version")
    ours = {name for name in modules if name.startswith("contextwright")}
    assert ours == {
        "contextwright",
        "contextwright.cli",
        "contextwright.cli.main",
        "contextwright.errors",
    }
    assert not modules & (HEAVY | TOKENIZERS | {"rich", "msgspec"})


def test_the_version_is_the_packages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert contextwright.__version__ == project["version"]


def test_a_user_imports_names_and_nothing_behind_them():
    modules = loaded_by("from contextwright import C, compile, read_session")
    ours = {name for name in modules if name.startswith("contextwright.")}
    assert ours == {
        "contextwright.words", "contextwright.errors", "contextwright.engine",
        "contextwright.engine.one_call", "contextwright.formats", "contextwright.uncalled_word",
    }  # fmt: skip
    assert not modules & (HEAVY | TOKENIZERS | {"msgspec", "rich", "click"})


def test_a_word_is_imported_when_it_is_named():
    modules = loaded_by("from contextwright import C; C.window(n=5)")
    assert "window" in words_in(modules) and not DEAR & words_in(modules)
    code = 'from contextwright.spec import from_json; from_json(\'{"atom": "tools"}\')'
    assert "tools" in words_in(loaded_by(code))


def test_all_words_are_there_for_those_who_list_them():
    modules = loaded_by(
        "from contextwright import C; assert 'fit' in dir(C) and 'redact' in dir(C)"
    )
    files = (ROOT / "src/contextwright/atoms").glob("*/*.py")
    assert {path.stem for path in files} - {"__init__"} == words_in(modules)


def test_compiling_imports_the_words_of_the_spec_and_one_tokenizer(session):
    modules = command(
        "compile", session, "--spec", "C.window(n=5) | C.budget(max_tokens=800)", "--json"
    )
    assert {"window", "budget"} < words_in(modules) and not DEAR & words_in(modules)
    assert not modules & ((OURS | HEAVY | {"rich", "tiktoken"}) - {"contextwright.check"})
    assert "splintr" in modules


def test_what_counts_nothing_loads_no_vocabulary(session):
    assert not command("convert", session, "--to", "anthropic") & TOKENIZERS
    assert not command("compile", "--help") & TOKENIZERS
    code = (
        "from contextwright import compile, read_session, C\n"
        "from contextwright.render.target import target\n"
        "read_session(sys.argv[1]); C.default() | C.budget(max_tokens=9); target('gpt-5')"
    )
    assert not loaded_by(code, session) & TOKENIZERS


@pytest.fixture
def loaded_beside(monkeypatch):
    """The vocabularies that are loaded beside other work."""
    names = []
    monkeypatch.setattr("contextwright.tokens.vocabulary.load_beside", names.append)
    return names


@pytest.mark.parametrize(
    ("options", "name"),
    [([], "o200k_base"), (["--model", "gpt-4"], "cl100k_base"), (["--model=qwen3"], "qwen3")],
)
def test_a_command_begins_to_load_what_it_counts_with_before_it_is_imported(
    session, loaded_beside, options, name
):
    with pytest.raises(SystemExit):
        main(["compile", session, "--json", *options])
    assert loaded_beside == [name]
    with pytest.raises(SystemExit):
        main(["convert", session, "--to", "anthropic"])
    assert loaded_beside == [name]


@pytest.mark.parametrize(("counter", "names"), [("None", ["cl100k_base"]), ("Own()", [])])
def test_the_first_compile_of_a_process_loads_a_vocabulary_beside_its_imports(counter, names):
    loaded_by(
        "import contextwright.tokens.vocabulary as v\n"
        "from contextwright import compile\n"
        "names, v.load_beside = [], lambda name: names.append(name)\n"
        "class Own:\n"
        "    def count(self, text): return len(text)\n"
        f"compile(['Hi.'], model='gpt-4', counter={counter})\n"
        f"compile(['Hi.'], model='gpt-4', counter={counter})\n"
        f"assert names == {names}, names"
    )
