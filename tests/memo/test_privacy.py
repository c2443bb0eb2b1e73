"""What a session said lives no longer than the session: in no cache, no table, no count."""

import gc
import types
import weakref

import pytest
from tests.rules.samples import SAMPLES

from contextwright import C, compile, memory
from contextwright.memo.memory_budget import forget_remembered
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import cached_text, owned_table, remembering
from contextwright.testing import session_of

SPECS = [spec for specs in SAMPLES.values() for spec in specs]
REVERSED = "1174-animlehliW"
SCRIPT = (
    "u: hello {0}, pay 20 EUR to a@b.de | c: look({0}) | r: {0} found in /etc/{0}.conf"
    " | a: I found {0}. It failed: error | u: and now, {0}?"
)


def session(name):
    return session_of(SCRIPT.format(name), state={"intent": name, "goal": name, "case": name})


def strings_with(text):
    """Who holds a string with a text, of all that the collector knows."""
    holders = []
    for holder in gc.get_objects():
        if isinstance(holder, (types.FrameType, types.FunctionType, type)):
            continue
        for held in gc.get_referents(holder):
            if isinstance(held, str) and text in held and held is not text:
                holders.append((type(holder), held))
    return holders


def test_a_function_of_texts_remembers_for_whoever_is_looked_at():
    asked = []

    @cached_text
    def double(text):
        asked.append(text)
        return text * 2

    one, other = Tables(), Tables()
    assert double("a") == double("a") == "aa"
    assert asked == ["a", "a"], "nobody's"
    with remembering(one):
        assert double("b") == double("b") == "bb"
        with remembering(other):
            assert double("b") == "bb"
        assert double("b") == "bb"
    assert asked == ["a", "a", "b", "b"]
    with remembering(one):
        forget_remembered()
        assert double("b") == "bb", "nothing is taken from under who uses it"
    assert asked.count("b") == 2 and not one.tables, "gone once it ended"
    with remembering(one):
        assert double("b") == "bb"
    assert asked.count("b") == 3


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_a_log_ends_with_its_session(spec):
    one = session("milo")
    ended = weakref.ref(one.log)
    gc.disable()
    try:
        _compile(one, spec)
        del one
        assert ended() is None, "at once, by no collector"
    finally:
        gc.enable()


def test_no_text_of_a_session_outlives_it():
    """Under all words: all that the collector knows is looked through once."""
    name = REVERSED[::-1]
    for spec in SPECS:
        _compile(session(name), spec)
    gc.collect()
    assert not strings_with(name)


def test_all_is_free_when_all_sessions_ended():
    gc.collect()
    before = memory().held_bytes
    sessions = [session(f"name-{number}") for number in range(20)]
    for one in sessions:
        _compile(one, C.relevant("hello", top_k=1) | C.compaction(200))
    assert memory().held_bytes > before
    del one
    sessions.clear()
    assert memory().held_bytes == before


def test_an_erased_text_is_forgotten_while_its_session_lives():
    name = REVERSED[::-1]
    one = session(name)
    spec = C.relevant("hello", top_k=1) | C.compaction(200)
    before = compile(one, spec, model="gpt-5").body
    forget_remembered()
    assert compile(one, spec, model="gpt-5").body == before


def _compile(one, spec):
    """Compile; a spec that this session can not meet is a compile as well."""
    from contextwright.errors import ContextwrightError

    try:
        compile(one, spec, model="gpt-5", window=20_000)
    except ContextwrightError as error:
        error.__traceback__ = None


def test_a_scope_inside_of_its_owners_own_is_one_with_it():
    one = Tables()
    used = one.table("texts", brief=True)
    with remembering(one):
        owned_table("texts")["a"] = "b"
        with remembering(one):
            assert owned_table("texts") is used
        with remembering(Tables()):
            assert owned_table("texts") is not used
        assert owned_table("texts") is used
    assert owned_table("texts") is None
    assert used.uses == 1, "it ages by one use, however deep"
