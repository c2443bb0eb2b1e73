"""What an engine and a context are given beside their spec: typed, and refused at once where it is
none."""

from inspect import signature

import pytest

from contextwright import (
    C,
    Context,
    Conversations,
    Engine,
    SpecError,
    compile,
    compile_many,
    target,
)
from contextwright.engine.door import OPTIONS, OWN_OPTIONS
from contextwright.engine.engine_options import EngineOptions
from contextwright.errors import ReplayError, SessionError
from contextwright.models import Models
from contextwright.render.target import TargetOptions

MESSAGES = [{"role": "user", "content": "hi"}]
SPEC = C.default()


def names_of(function):
    return {
        name
        for name, parameter in signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }


def test_the_types_name_every_option():
    assert set(TargetOptions.__annotations__) == names_of(target) == set(OPTIONS)
    own = names_of(Engine.__init__) - {"sessions", "target"}
    assert set(EngineOptions.__annotations__) == own | set(OPTIONS)
    others = names_of(Engine.__init__) | names_of(compile) | names_of(Context.__init__)
    assert set(OWN_OPTIONS) == others - {"model"}


@pytest.mark.parametrize("make", [Engine, lambda spec, model, **o: Context(spec, model=model, **o)])
def test_a_misspelt_option_is_refused_with_the_one_that_was_meant(make):
    with pytest.raises(SpecError, match=r"unexpected option 'never_dear'(.|\n)*never_dearer"):
        make(SPEC, "gpt-5", never_dear=True)
    with pytest.raises(SpecError, match=r"unexpected option 'windw'(.|\n)*window"):
        make(SPEC, "gpt-5", windw=8000)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"sessions": "sessions.db"}, "expected sessions to be a store, got str"),
        ({"memory": {}}, "expected memory to be a store, got dict, which has no `search"),
        ({"retrievers": [3]}, "expected retrievers to be a store, got int"),
        ({"retrievers": 3}, "expected a list of retrievers"),
        ({"memory": Conversations}, "got the class Conversations"),
    ],
)
def test_what_is_no_store_is_refused_where_it_is_given(options, what):
    """A store that fails ends no turn: one that never was any would only be missed."""
    with pytest.raises(SpecError, match=what):
        Engine(SPEC, "gpt-5", **options)


def test_conversations_want_a_store_and_a_context_wants_conversations():
    with pytest.raises(SpecError, match="expected store to be a store, got str"):
        Conversations(store="sessions.db")
    with pytest.raises(SpecError, match="expected conversations as Conversations, got dict"):
        Context(SPEC, model="gpt-5", conversations={})
    with pytest.raises(SpecError, match="a Context makes a target for each body"):
        Context(SPEC, target=target("gpt-5"))


def test_many_refuse_an_unknown_option_before_anything_runs():
    with pytest.raises(SpecError, match=r"unexpected option 'now_m'(.|\n)*now_ms"):
        compile_many([MESSAGES], SPEC, model="gpt-5", now_m=1)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"agent": 5}, "expected a text as agent, got int"),
        ({"scope": None}, "expected a text as scope, got NoneType"),
        ({"suspend": "no"}, "expected a bool as suspend, got str"),
        ({"never_dearer": 1}, "expected a bool as never_dearer, got int"),
        ({"clock": 5}, "expected a function as clock, got int"),
        ({"roots": 5}, "expected folders as a list of paths"),
        ({"events": "compile"}, "expected hooks by the names of their events, got str"),
    ],
)
def test_what_would_do_nothing_is_refused(options, what):
    with pytest.raises(SpecError, match=what):
        Engine(SPEC, "gpt-5", **options)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"limits": 5}, "expected a Limits as limits, got int"),
        ({"embedder": "minilm"}, r"expected an embedder with `embed\(texts\)`, got str"),
    ],
)
def test_models_refuse_what_is_none(options, what):
    with pytest.raises(SpecError, match=what):
        Models(**options)


@pytest.mark.parametrize("call", ["record", "ledger", "bill"])
def test_what_is_no_session_is_named(call):
    more = (None,) if call == "bill" else ()
    with pytest.raises(SessionError, match=rf"(?s)expected a session.*Engine\.{call}\(session\)"):
        getattr(Engine(SPEC, "gpt-5"), call)("s", *more)


@pytest.mark.parametrize("name", ["spec", "artifacts", "roots", "hosts"])
def test_what_an_engine_was_made_of_is_not_set_anew(name):
    """Steps of a spec that was set did not wait until they were paid for, as `never_dearer` says,
    a text ended in a bare `AssertionError`, and words read no artifact of a store that was set."""
    engine = Engine(C.compaction(1000), "gpt-5", never_dearer=True)
    with pytest.raises(SpecError, match=f"what was made of {name} holds") as caught:
        setattr(engine, name, C.window(n=2))
    assert f"Engine(..., {name}=...)" in str(caught.value)
    assert engine.spec == C.compaction(1000)


def test_a_pack_goes_back_to_a_session():
    pack = compile(MESSAGES, SPEC, model="gpt-5")
    with pytest.raises(ReplayError, match="expected a Session as session, got NoneType"):
        pack.original(None)
