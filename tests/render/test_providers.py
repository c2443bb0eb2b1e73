"""The registry of provider formats: known, registered, from a package, unknown, broken."""

import msgspec
import pytest

from contextwright import C, compile
from contextwright.compiler.manifest import manifest_from_json
from contextwright.compiler.replay_pack import replay
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ModelError
from contextwright.render import providers
from contextwright.render.providers import BUILT_IN, Provider, provider_named, provider_names
from contextwright.render.providers import register as register_provider
from contextwright.render.target import Target, target
from contextwright.render.text import TextRenderer
from contextwright.testing import session_of, target_for

SESSION = session_of("u: hi | a: hello | u: and?")


@pytest.fixture(autouse=True)
def clean_registry(monkeypatch):
    monkeypatch.setattr(providers, "_known", {})


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution of this name, with a module and entry points into it."""

    def installed(name, code, **points):
        module = name.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"{point} = {module}:{value}" for point, value in points.items()]
        (info / "entry_points.txt").write_text("\n".join(("[contextwright.providers]", *lines)))
        monkeypatch.syspath_prepend(tmp_path)

    return installed


def test_every_format_of_this_package_is_known_by_its_name():
    assert provider_names()[: len(BUILT_IN)] == BUILT_IN
    assert [provider_named(name).name for name in BUILT_IN] == list(BUILT_IN)
    assert provider_named("anthropic") is provider_named("anthropic")


@pytest.mark.parametrize("name", ["bedrok", "", "Text", None, 7, ["text"]])
def test_an_unknown_format_is_an_error_wherever_a_target_comes_from(name):
    known = target_for("openai-chat")
    for make in (
        lambda: provider_named(name),
        lambda: target("gpt-5", format=name) if name is not None else provider_named(name),
        lambda: Target("gpt-5", name, 9000, 100, known.counter),
        lambda: msgspec.structs.replace(known, format=name),
        lambda: compile(SESSION, C.default(), model="gpt-5", format=name or "bedrok"),
        lambda: SpecCompiler(C.default()).compile(
            SESSION.snapshot(), msgspec.structs.replace(known, format=name)
        ),
    ):
        with pytest.raises(ModelError) as caught:
            make()
        assert caught.value.where == "format"
        assert "openai-responses" in caught.value.fix


def test_a_format_nearly_right_gets_a_hint():
    with pytest.raises(ModelError) as caught:
        target_for("antropic")
    assert caught.value.what == "expected the name of a provider format, got 'antropic'"
    assert "did you mean 'anthropic'?" in caught.value.fix


def test_a_manifest_of_an_unknown_format_can_not_be_replayed():
    manifest = compile(SESSION, C.default(), target=target_for("openai-chat")).manifest
    unknown = msgspec.structs.replace(manifest, format="bedrok")
    with pytest.raises(ModelError, match="bedrok"):
        replay(unknown, SESSION)


def test_a_manifest_without_insertions_can_be_read():
    manifest = compile(SESSION, C.default(), target=target_for("anthropic")).manifest
    data = msgspec.json.decode(manifest.to_json())
    data.pop("inserted", None)
    assert manifest_from_json(msgspec.json.encode(data)).inserted == ()


def test_registering_twice_changes_nothing_and_a_name_is_never_taken_over():
    mine = Provider("mine", TextRenderer(), takes_messages=False)
    assert register_provider(mine) is mine
    assert register_provider(mine) is mine
    assert provider_named("mine") is mine
    assert "mine" in provider_names()
    for taken in ("mine", "openai-chat"):
        with pytest.raises(ModelError, match="already"):
            register_provider(Provider(taken, TextRenderer()))
    with pytest.raises(ModelError, match="expected a Provider, got TextRenderer"):
        register_provider(TextRenderer())  # type: ignore[arg-type]


CODE = """
from contextwright.render.providers import Provider
from contextwright.render.text import TextRenderer
PROVIDER = Provider("plain", TextRenderer(), takes_messages=False)
"""


def test_a_package_adds_a_format(install):
    install("good-package", CODE, plain="PROVIDER")
    assert "plain" in provider_names()
    pack = compile(SESSION, C.window(3), target=target_for("plain"))
    assert pack.manifest.format == "plain"
    assert replay(pack.manifest, SESSION).body == pack.body


@pytest.mark.parametrize(
    ("code", "point", "problem"),
    [
        ("1 / 0", "plain", "ZeroDivisionError: division by zero"),
        ("", "plain", "AttributeError"),
        ("PROVIDER = 7", "plain", "expected a Provider, got int"),
        (CODE, "fancy", "expected a Provider called 'fancy', got 'plain'"),
    ],
)
def test_a_broken_package_is_named_when_its_format_is_asked_for(install, code, point, problem):
    install(f"broken-{point}-{len(problem)}", code, **{point: "PROVIDER"})
    assert point in provider_names()
    assert provider_named("text").name == "text"
    with pytest.raises(ModelError) as caught:
        provider_named(point)
    assert problem in caught.value.what
    assert f"distribution broken-{point}-" in caught.value.where


def test_a_format_of_two_packages_is_refused_with_both_names(install):
    install("one-package", CODE, plain="PROVIDER")
    install("other-package", CODE, plain="PROVIDER")
    with pytest.raises(ModelError) as caught:
        provider_named("plain")
    assert "one-package" in caught.value.where
    assert "other-package" in caught.value.where
