"""The how-to page is followed to the letter: its files are written, registered, and used."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest
from tests.render import test_every_format as every_format
from tests.render import test_insertions as insertions

from contextwright import C, compile
from contextwright.compiler.replay_pack import replay
from contextwright.render import providers
from contextwright.session.event import Image, Text
from contextwright.testing import session_of, target_for

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-provider.md"
FILE = re.compile(r"^`(\S+\.py)`\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODULE = "contextwright_bedrock"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The page's files, on the path, and an empty registry."""
    monkeypatch.setattr(providers, "_known", {})
    monkeypatch.syspath_prepend(tmp_path)
    files = FILE.findall(PAGE.read_text())
    assert [name for name, _ in files] == [f"{MODULE}.py", f"test_{MODULE}.py"]
    for name, code in files:
        (tmp_path / name).write_text(code)
    yield tmp_path
    sys.modules.pop(MODULE, None)


def install(folder):
    """What an installer writes of the page's `pyproject.toml`."""
    points = tomllib.loads(TOML.findall(PAGE.read_text())[0])["project"]["entry-points"]
    info = folder / f"{MODULE}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {MODULE}\nVersion: 1.0\n")
    lines = [
        line
        for group, values in points.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in values.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def registered(folder):
    import importlib

    return providers.register(importlib.import_module(MODULE).PROVIDER)


def test_a_session_is_compiled_with_the_registered_provider(registered):
    assert providers.provider_named("bedrock") is registered
    session = session_of("u: find x | c: search(x) | r: found", state={"intent": "billing"})
    session.user(Text(text="look"), Image(data="aGk=", width=9, height=9))
    pack = compile(session, C.default() + C.from_state("intent"), target=target_for("bedrock"))
    assert pack.manifest.format == "bedrock"
    assert [each.kind for each in pack.manifest.inserted] == [
        "media_note", "merged", "section", "tool_stub",
    ]  # fmt: skip
    assert replay(pack.manifest, session).body == pack.body


def test_a_request_shares_its_prefix_with_the_one_before(registered):
    session = session_of("s: be brief | u: find x | c: search(x) | r: found | u: and?")
    first = compile(session, C.default(), target=target_for("bedrock"))
    session.assistant("yes")
    session.user("good")
    from contextwright.compiler.spec_compiler import SpecCompiler

    compiler = SpecCompiler(C.default())
    second = compiler.compile(session.snapshot(), target_for("bedrock"), previous=first)
    assert second.manifest.prefix is not None
    assert second.manifest.prefix.first_difference == "messages[3]"


def test_it_keeps_the_laws_of_every_format(registered):
    every_format.test_a_request_breaks_no_rule(format="bedrock")
    every_format.test_a_request_costs_no_more_than_its_pieces(format="bedrock")
    every_format.test_a_request_is_the_same_bytes_every_time(format="bedrock")


def test_its_list_of_insertions_is_complete(registered):
    insertions.test_texts_of_a_request_are_those_of_its_blocks_and_those_in_the_list(
        format="bedrock"
    )


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("U1", lambda r: r["messages"][0]["content"][0].update(text="\ud800")),
        ("BE1", lambda r: r["messages"].pop()),
        ("BE2", lambda r: r["messages"][2]["content"].pop(0)),
        ("BE3", lambda r: r["messages"][0]["content"][0].update(text=" ")),
    ],
)
def test_a_broken_request_names_its_rule(registered, rule, change):
    session = session_of("s: brief | u: hi | c: search(x) | r: one | u: go")
    target = target_for("bedrock")
    request = msgspec.json.decode(compile(session, C.default(), target=target).body)
    assert registered.renderer.validate(request, target) == []
    change(request)
    assert rule in {each.rule for each in registered.renderer.validate(request, target)}


@pytest.mark.slow
def test_an_installed_package_is_found_by_its_entry_point_and_its_test_passes(folder):
    install(folder)
    assert "bedrock" in providers.provider_names()
    assert MODULE not in sys.modules
    paths = [str(folder), *filter(None, sys.path)]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_{MODULE}.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert "2 passed" in run.stdout
