"""Many sessions in processes: the packs of one after the other, in order, each error its session's."""

import pickle
import sys

import pytest

from contextwright import C, Session, compile, compile_many, errors, write_session
from contextwright.engine import compile_many as module
from contextwright.errors import ContextwrightError, ModelError, SpecError

SPEC = C.default() | C.budget(max_tokens=500)
FATAL = """
import os

def detect(text):
    if "poison" in text:
        os._exit(9)
    return []
"""


def talk(number, turns=4, word="price"):
    session = Session(f"s{number}", state={"goal": "settle it"})
    for n in range(turns):
        session.user(f"question {n}: the {word} of order {number}?")
        session.call("search", {"order": n}, id=f"c{n}")
        session.result(f"c{n}", f"row {n} of {number}")
        session.assistant("It is 49 euros. " * 6)
        session.update({"seen": n})
    session.user("and now?")
    return session


def test_packs_come_in_order_and_are_those_of_one_process(tmp_path):
    path = tmp_path / "stored.jsonl"
    write_session(talk(3), "contextwright", path=path)
    sources = [talk(1), [{"role": "user", "content": "hello"}], talk(2), path]
    done = list(compile_many(sources, SPEC, model="gpt-5", workers=2))
    expected = [
        compile(one, SPEC, model="gpt-5") for one in (talk(1), sources[1], talk(2), talk(3))
    ]
    assert [one.pack.body for one in done] == [pack.body for pack in expected]
    assert [one.pack.manifest for one in done] == [pack.manifest for pack in expected]
    assert [one.session_id for one in done] == [pack.manifest.session_id for pack in expected]


def test_each_error_is_its_sessions(tmp_path):
    sources = [talk(1), "no such file.jsonl", [{"no": "message"}], talk(2, turns=200), talk(3)]
    spec = C.default() | C.budget(max_tokens=5_000, overflow="error")
    first, *failed, last = compile_many(sources, spec, model="gpt-5", workers=2)
    assert first.error is None and last.error is None
    assert [type(one.error).__name__ for one in failed] == [
        "SessionError",
        "UnknownFormat",
        "BudgetError",
    ]
    assert failed[0].session_id == "no such file.jsonl"
    with pytest.raises(errors.BudgetError) as alone:
        compile(sources[3], spec, model="gpt-5")
    assert str(failed[2].error) == str(alone.value)


@pytest.mark.slow
@pytest.mark.skipif(not module.has_gil(), reason="threads end with the process")
def test_a_process_that_ends_takes_no_other_session_with_it(tmp_path, monkeypatch):
    (tmp_path / "fatal.py").write_text(FATAL)
    monkeypatch.syspath_prepend(tmp_path)
    import fatal

    sources = [talk(1), talk(2, word="poison"), *(talk(n) for n in range(3, 9))]
    spec = C.default() | C.redact(entities=["PERSON"])
    done = list(compile_many(sources, spec, model="gpt-5", workers=2, detector=fatal.detect))
    assert [one.session_id for one in done] == [f"s{n}" for n in range(1, 9)]
    assert [one.session_id for one in done if one.error] == ["s2"]
    assert "the process that compiled it ended" in str(done[1].error)
    sys.modules.pop("fatal")


def test_what_can_not_be_sent_is_an_error_of_the_session():
    (done,) = compile_many([talk(1)], SPEC, model="gpt-5", workers=1, detector=lambda text: [])
    assert (done.pack is None) == module.has_gil()


def test_few_sessions_are_held_at_a_time():
    made = []

    def sessions():
        for number in range(60):
            made.append(number)
            yield talk(number, turns=1)

    packs = compile_many(sessions(), SPEC, model="gpt-5", workers=1)
    assert made == []
    next(packs)
    assert len(made) <= module.AHEAD + 2
    packs.close()
    assert len(made) <= module.AHEAD + 2


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"model": "no such model"}, ModelError),
        ({"model": "gpt-5", "workers": 0}, SpecError),
    ],
)
def test_what_no_session_could_is_said_at_once(options, fault):
    with pytest.raises(fault):
        compile_many([talk(1)], SPEC, **options)


def test_a_compiler_of_the_users_own_stays_here():
    class Own:
        def compile(self, snapshot, target):
            return compile(snapshot, SPEC, target=target)

    with pytest.raises(SpecError, match="Own"):
        compile_many([talk(1)], Own(), model="gpt-5")


def every_error(kind=ContextwrightError):
    yield kind
    for one in kind.__subclasses__():
        yield from every_error(one)


@pytest.mark.parametrize("kind", sorted(set(every_error()), key=lambda kind: kind.__name__))
def test_errors_reach_another_process_whole(kind):
    error = kind.__new__(kind, "what")
    ContextwrightError.__init__(error, "what", where="there", fix="so")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert again.args == error.args
