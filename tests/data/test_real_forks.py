"""Recorded sessions that were cut: the request is that of a session that was always so, and the very
one that the session had made at that moment, so a provider's cache knows it."""

import random

import pytest
from tests.data.test_real_sessions import session_of_row
from tests.parameters import few
from tests.session.test_fork import built, seen

from contextwright import C
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.prepare import memo_of
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for

FILES = ("tau_bench_airline", "swe_agent", "locomo")
SPECS = (C.default() | C.compaction(8000), C.window(n=6) | C.compact() | C.budget(max_tokens=9000))
TARGET = target_for("anthropic")


def packed(session, spec, memo=None):
    compiler = SpecCompiler(spec, memo=memo or memo_of(session.log))
    return compiler.compile(session.snapshot(), TARGET)


@pytest.mark.parametrize("name", few(FILES))
def test_a_recorded_session_goes_on_from_any_cut(name, read_rows):
    session, dice = session_of_row(read_rows(name, limit=1)[0]), random.Random(name)
    users = [n for n, event in enumerate(session.log) if event.role == "user"]
    for spec in SPECS:
        packed(session, spec)
        for _ in range(2):
            fork = session.fork(dice.randint(users[0] + 1, len(session)), id="fork")
            position, version = fork.forked_from.position, fork.forked_from.state_version
            again = built(session, position, version, session.id)
            assert seen(fork) == seen(again)
            whole = SpecCompiler(spec).compile(session.snapshot_at(position, version), TARGET)
            pack = packed(fork, spec)
            assert pack.body == packed(again, spec, Memo()).body == whole.body
