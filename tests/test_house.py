"""The house's own rules, checked over the whole tree."""

import ast
import functools
import re
import runpy
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from tests.rules.samples import SAMPLES

import contextwright
from contextwright import errors
from contextwright.spec import ATOMS
from contextwright.spec.state_step import STATE_STEPS
from contextwright.testing.word_suite import words_in
from contextwright.words import words

ROOT = Path(__file__).parents[1]
HOME = ROOT / "src" / "contextwright"
MODULES = sorted(HOME.rglob("*.py"))
ATOM_FILES = [path for path in sorted(HOME.glob("atoms/*/*.py")) if path.name != "__init__.py"]
WORDS = words()

SMALL_WITH_ONE_USER = {
    "adapters.wrap.adk_agent", "adapters.wrap.cooled_runnable", "atoms.select.none",
    "retrieval.lexical",
}  # fmt: skip
"""A word is a module; what imports google-adk or LangChain is imported for an agent of theirs only."""
PUBLIC_FIELDS = {("manifest.py", "kept"), ("spec_compiler.py", "asked"), ("inputs.py", "asked")}
"""`Manifest.kept` is a key of every stored manifest; `PendingTasks.asked` and `Inputs.asked` are the
interface of compilers and of words."""
PRIVATE_NAMES = {
    "said", "told", "theirs", "worth", "gone", "mine", "beside", "given", "found", "kept", "asked",
}  # fmt: skip
"""Participles and pronouns where a reader looks for a noun of the field."""
PROVIDER_PAIRS = {"anthropic", "gemini", "openai_chat", "openai_responses"}
"""A provider has a session format and a renderer of its name; so does each new one."""


@functools.cache
def tree_of(path):
    """A file's syntax: a worker reads it once."""
    return ast.parse(path.read_text())


def test_exports_are_sorted_and_there():
    assert contextwright.__all__ == sorted(contextwright.__all__)
    for name in contextwright.__all__:
        assert getattr(contextwright, name) is not None


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_modules_and_functions_stay_small(path):
    source = path.read_text()
    assert len(source.splitlines()) <= 450
    for node in ast.walk(tree_of(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno - node.lineno < 60, f"{path}:{node.lineno} {node.name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_every_error_says_how_to_mend_it(path):
    ours = {name for name, value in vars(errors).items() if isinstance(value, type)}
    ours -= {"MissingExtra", "ClassVar"}
    for node in ast.walk(tree_of(path)):
        if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
            continue
        name = getattr(node.exc.func, "id", "")
        if name in ours:
            options = {keyword.arg for keyword in node.exc.keywords}
            assert {"where", "fix"} <= options, f"{path}:{node.lineno} {name}"


def test_nothing_loads_code_out_of_data():
    banned = {"eval", "exec", "compile", "__import__"}
    for path in MODULES:
        tree = tree_of(path)
        names = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        # our own `compile` is the package's entry point
        assert not names & (banned - {"compile"}), path
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not imported & {"pickle", "marshal", "yaml", "shelve"}, path


def test_sql_is_constant():
    tree = ast.parse((ROOT / "src/contextwright/stores/sqlite.py").read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "").startswith("execute"):
            first = node.args[0]
            assert isinstance(first, (ast.Constant, ast.Name, ast.Subscript)), node.lineno


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_types_are_told_to_msgspec_by_one_thread_at_a_time(path):
    """A struct that two threads decode first ends the process: see the module."""
    if path.name == "typed_decoding.py":
        return
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("msgspec."):
            name = ast.unparse(node.func)
            is_typed = any(one.arg == "type" for one in node.keywords)
            assert name not in ("msgspec.convert", "msgspec.json.Decoder"), f"{path}:{node.lineno}"
            assert not (name == "msgspec.json.decode" and is_typed), f"{path}:{node.lineno}"


IMPORTED = "import sys, contextwright; print(' '.join(sorted(sys.modules)))"


def test_importing_the_package_imports_next_to_nothing():
    loaded = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {
        "splintr",
        "tiktoken",
        "click",
        "rich",
        "msgspec",
        "re2",
        "openai",
        "anthropic",
        "numpy",
        "sqlite3",
    }
    assert not heavy & set(loaded)


def test_importing_the_package_loads_one_module_of_ours():
    code = """
import sys
before = set(sys.modules)
import contextwright
print(" ".join(set(sys.modules) - before))
"""
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert [name for name in loaded if name.startswith("contextwright")] == ["contextwright"]
    # what `re`, `typing` and `importlib` bring; a timing would say more of the machine than of us
    assert len(loaded) < 60


def test_compiling_imports_no_sdk():
    code = (
        "import sys; from contextwright import C, Session, compile; s = Session(); s.user('hi');"
        "compile(s, C.default(), model='gpt-5'); print(' '.join(sorted(sys.modules)))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"openai", "anthropic", "google", "click", "rich", "re2"} & set(
        loaded.stdout.split()
    )


COMPOSITIONS = {
    "all", "last", "last_n_turns", "when", "user_only", "user", "from_agents", "from_agents_windowed", "exclude_agents",
    "rolling", "manus_cascade",
}  # fmt: skip


def test_every_word_has_an_atom_and_every_atom_a_word():
    assert set(WORDS) - set(ATOMS) == COMPOSITIONS
    assert set(ATOMS) <= set(WORDS)


@pytest.mark.parametrize("path", ATOM_FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_file_of_atoms_defines_the_word_of_its_name(path):
    module = f"contextwright.atoms.{path.parent.name}.{path.stem}"
    defined = {w for w, struct in {**ATOMS, **STATE_STEPS}.items() if struct.__module__ == module}
    shared = {"expand": {"expand", "expand_refs"}}
    assert defined == shared.get(path.stem, {path.stem})


@pytest.mark.parametrize("word", sorted(ATOMS))
def test_a_word_has_its_sample_its_tests_and_its_row(word):
    samples = SAMPLES.get(word, ())
    assert samples, f"add {word!r} to tests/rules/samples.py"
    assert all(word in words_in(sample) for sample in samples)
    tests = [p for p in (ROOT / "tests").rglob("test_*.py") if p.parent.name != "rules"]
    assert any(f"C.{word}(" in p.read_text() for p in tests), f"no test uses C.{word}"
    assert f"`C.{word}(" in page("docs/reference/words.md"), f"no row for C.{word} in words.md"


@pytest.mark.parametrize("word", sorted(STATE_STEPS))
def test_a_state_step_has_its_tests_and_its_row(word):
    assert f"`S.{word}(" in page("docs/reference/words.md")
    assert any(f"S.{word}(" in path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))


def test_no_sample_is_of_a_word_that_is_none():
    assert set(SAMPLES) == set(ATOMS)


def test_the_stub_is_what_the_generator_writes():
    stub = runpy.run_path(str(ROOT / "scripts/words_stub.py"))
    assert stub["STUB"].read_text() == stub["stub"](), "run python scripts/words_stub.py"


def test_the_files_that_environments_of_frameworks_play_are_there():
    """A file that gets another name would else be missed where `make test` does not look."""
    script = runpy.run_path(str(ROOT / "scripts/frameworks.py"))
    named = [
        path for group in (script["SHARED"], script["PEERS"]) for path in sum(group.values(), [])
    ]
    assert [path for path in (script["PAGES"], *named) if not (ROOT / path).exists()] == []


def page(path):
    return (ROOT / path).read_text()


def test_no_class_is_defined_twice():
    defined = defaultdict(set)
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                defined[node.name].add(str(path.relative_to(HOME)))
    assert {name: places for name, places in defined.items() if len(places) > 1} == {}


def test_no_module_is_named_twice():
    named = defaultdict(list)
    for path in MODULES:
        if path.name != "__init__.py":
            named[path.stem].append(path.relative_to(HOME).parts)
    for name, places in named.items():
        if {parts[0] for parts in places} == {"formats", "render"} and len(places) == 2:
            continue
        assert len(places) == 1, f"{name}: {places}"


def test_a_small_module_has_more_than_one_user():
    homes = {module_name(path): path for path in MODULES if path.name != "__init__.py"}
    users = defaultdict(set)
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for name in (node.module, *(f"{node.module}.{a.name}" for a in node.names)):
                    if homes.get(name, path) != path:
                        users[name].add(path)
    small = {
        name.removeprefix("contextwright.")
        for name, path in homes.items()
        if len(path.read_text().splitlines()) < 40 and len(users[name]) == 1
    }
    assert small == SMALL_WITH_ONE_USER


def module_name(path):
    return ".".join(path.with_suffix("").relative_to(ROOT / "src").parts)


def identifiers(tree):
    """Names of functions, classes, parameters and variables that a module defines."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno


def rooms():
    return sorted({path.relative_to(HOME).parts[0].removesuffix(".py") for path in MODULES})


def modules_of(room):
    return [p for p in MODULES if p.relative_to(HOME).parts[0].removesuffix(".py") == room]


@pytest.mark.parametrize("room", rooms())
def test_names_are_nouns_of_the_field(room):
    for path in modules_of(room):
        for name, line in identifiers(tree_of(path)):
            private = name.strip("_").lower() in PRIVATE_NAMES
            assert not private or (path.name, name) in PUBLIC_FIELDS, f"{path}:{line} {name}"


@pytest.mark.parametrize("room", rooms())
def test_code_cites_only_pages_that_are_here(room):
    for path in modules_of(room):
        text = path.read_text()
        assert not re.search(r"\bdocument 00\d|\(00\d\b", text), path
        for cited in re.findall(r"\b(?:docs|tests|benchmarks|scripts)/[\w./-]+\.(?:md|py)\b", text):
            assert (ROOT / cited).exists(), f"{path}: {cited}"


PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_page_links_only_to_pages_that_are_here(path):
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text()):
        if "://" not in link and not link.startswith("mailto:"):
            assert (path.parent / link).exists(), link


OUTSIDE_ATOMS = [path for path in MODULES if "atoms" not in path.relative_to(ROOT).parts]


def _atom_classes() -> dict[str, str]:
    """Every word's class by where it is imported from."""
    return {f"{atom.__module__}.{atom.__name__}": word for word, atom in ATOMS.items()}


def _imported(tree: ast.AST) -> dict[str, str]:
    """The full name behind every imported name of a module."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            names |= {a.asname or a.name: a.name for a in node.names}
    return names


def _full_names(node: ast.AST, imported: dict[str, str]) -> set[str]:
    """The full names of what an expression is made of: `Window`, `(Window, Fresh)`, `w.Window`."""
    names = set()
    for part in ast.walk(node):
        if isinstance(part, (ast.Name, ast.Attribute)):
            head, _, rest = ast.unparse(part).partition(".")
            names.add(".".join(filter(None, (imported.get(head, head), rest))))
    return names


@pytest.mark.parametrize("path", OUTSIDE_ATOMS, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_nobody_outside_atoms_asks_which_word_it_is(path):
    """A word declares what others ask of it (`traits`, `Terminal`, `Guard`, `Writer`...): a new
    word, or one of a third party, works without a change elsewhere."""
    words, tree = _atom_classes(), tree_of(path)
    imported = _imported(tree)
    # a union of words under a name of its own hides them from `isinstance`
    unions = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        asked = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {
            "isinstance",
            "issubclass",
        }:
            asked = [node.args[1]]
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare) and any(
            isinstance(one, ast.Call) and getattr(one.func, "id", "") == "type"
            for one in (node.left, *node.comparators)
        ):
            asked = [node.left, *node.comparators]
        asked += [unions[one.id] for one in asked if isinstance(one, ast.Name) and one.id in unions]
        found = {name for one in asked for name in _full_names(one, imported)} & set(words)
        assert not found, f"{path}:{node.lineno} asks whether it is C.{words[found.pop()]}"


def test_the_readmes_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from contextwright.formats import write_session
    from contextwright.testing import session_of

    write_session(session_of("s: x | u: hi | a: hello | u: more"), "openai-chat", "session.json")
    blocks = (ROOT / "README.md").read_text().split("```python\n")[1:]
    assert blocks
    for block in blocks:
        exec(block.partition("```")[0], {})


@pytest.fixture
def words_are_taken_back():
    """The words that a page defines are none of the others'."""
    before = dict(ATOMS)
    yield
    ATOMS.clear()
    ATOMS.update(before)


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "docs/how-to").glob("*.md")))
def test_the_python_of_a_how_to_runs(name, tmp_path, monkeypatch, words_are_taken_back):
    if name == "google-adk.md":
        pytest.importorskip("google.adk")
    monkeypatch.chdir(tmp_path)
    blocks = (ROOT / "docs/how-to" / name).read_text().split("```python\n")[1:]
    names = {}
    for block in blocks:
        exec(block.partition("```")[0], names)
