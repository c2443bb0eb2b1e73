"""A manifest's digest is the same wherever it was worked out, and a turn hashes what is new of it."""

from contextlib import nullcontext

import pytest
from benchmarks.generated import generated_session
from msgspec.structs import replace

from contextwright import C, Engine, Session
from contextwright.compiler import manifest_digest
from contextwright.compiler.manifest import manifest_from_json
from contextwright.engine.prepare import memo_of
from contextwright.memo.ownership import remembering

SPECS = (
    C.default() | C.budget(2_000),
    C.window(n=3) | C.compact() | C.budget(2_000),
    C.compaction(2_000),
    C.default() | C.redact(["email"]) | C.fit(2_000),
)


def turns(spec, target="gpt-5", events=80):
    """The session and the pack of each turn of a loop."""
    log = list(generated_session(20, seed=5).log)[:events]
    session, engine = Session("s", log[:8]), Engine(spec, target, suspend=False)
    for at in range(8, len(log), 2):
        session.extend(log[at : at + 2])
        yield session, engine.compile(session)


@pytest.mark.parametrize("target", ["gpt-5", "claude-sonnet-4-5"])
@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_a_digest_that_goes_on_is_the_one_from_nothing(spec, target):
    for session, pack in turns(spec, target):
        for scope in (nullcontext(), remembering(memo_of(session.log))):
            with scope:
                assert pack.manifest.digested().digest == pack.manifest.digest


def test_a_turn_hashes_the_entries_that_are_new(monkeypatch):
    encode, entries = manifest_digest._encode, list[object]()

    def counted(value):
        entries.append(value)
        return encode(value)

    monkeypatch.setattr(manifest_digest, "_encode", counted)
    hashed = list[int]()
    for _ in turns(C.default() | C.budget(100_000)):
        hashed.append(len(entries))
        entries.clear()
    assert max(hashed[1:]) <= 4  # the fields beside, and the exchanges of a turn


def test_an_entry_that_another_list_takes_the_place_of_is_told():
    *_, (session, pack) = turns(SPECS[0])
    manifest = pack.manifest
    swapped = (manifest.kept[1], manifest.kept[0], *manifest.kept[2:])
    with remembering(memo_of(session.log)):
        for other in (manifest.kept[:-1], swapped, ()):
            assert replace(manifest, kept=other).digested().digest != manifest.digest
            assert manifest.digested().digest == manifest.digest


def test_a_manifest_that_was_read_has_the_digest_that_it_was_written_with():
    *_, (_, pack) = turns(SPECS[1])
    again = manifest_from_json(pack.manifest.to_json())
    assert again == pack.manifest and again.digested() == again
