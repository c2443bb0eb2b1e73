"""The same bytes in other processes, under other hash seeds, with a cold memo."""

import os
import subprocess
import sys

import msgspec
import pytest

CODE = """
from contextwright import C, compile, read_session
from contextwright.cli.example_session import example_session
spec = (
    C.from_state("goal") | C.priority(1)
    + C.window(n=6) | C.compact() | C.dedup("structural") | C.priority(2)
    + C.notes("case") | C.priority(3)
    | C.redact(["pii"]) | C.budget(6000, overflow="truncate_lowest_priority")
)
for model in ("gpt-5", "claude-sonnet-4-5", "gemini-2.5-flash"):
    pack = compile(example_session(), spec, model=model)
    print(pack.manifest.checksum, pack.manifest.pack_id)
said = [{"role": role, "content": f"{role} {n}: write to a{n}@b.org " + "and again " * 40}
        for n in range(12) for role in ("user", "assistant")]
read = read_session({"messages": [*said, {"role": "user", "content": "And now?"}]})
folded = compile(read, C.default() | C.redact(["email"]) | C.compaction(900), model="gpt-5")
print(folded.manifest.digest, folded.manifest.folds[0].scope)
"""


def printed(seed):
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "TZ": "Asia/Tokyo" if seed == "1" else "UTC",
    }
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_processes_and_hash_seeds_agree():
    assert printed("0") == printed("1") == printed("4242")


def test_a_manifest_holds_no_clock_and_no_machine():
    from contextwright import C, compile
    from contextwright.testing import session_of

    manifest = compile(session_of("u: hi"), C.default(), model="gpt-5").manifest
    assert manifest.now_ms is None
    assert os.path.expanduser("~") not in manifest.to_json().decode()


@pytest.mark.parametrize("field", ["session_digest", "state_digest", "tools_digest", "checksum"])
def test_an_edited_manifest_is_found_by_replay(field):
    from contextwright import C, compile, replay
    from contextwright.errors import ReplayError
    from contextwright.testing import session_of

    session = session_of("u: hi", state={"k": 1})
    manifest = compile(session, C.default() + C.from_state("k"), model="gpt-5").manifest
    edited = msgspec.structs.replace(manifest, **{field: "0" * 64})
    with pytest.raises(ReplayError):
        replay(edited, session)


def test_the_prefix_shared_with_the_pack_before_is_reported():
    from contextwright import C, compile
    from contextwright.testing import session_of

    session = session_of("s: be brief | u: " + "words " * 1500)
    before = compile(session, C.default(), model="gpt-5")
    session.assistant("ok")
    session.user("more")
    after = compile(session, C.default(), model="gpt-5", previous=before)
    assert after.manifest.prefix.tokens == before.tokens
    assert after.manifest.prefix.first_difference == "messages[2]"
    assert after.manifest.prefix.saved_microdollars > 0


def test_manifests_go_through_json():
    from contextwright import C, compile
    from contextwright.compiler import manifest_from_json
    from contextwright.testing import session_of

    session = session_of("u: hi | c: f(x) | r: " + "words " * 300 + " | a: ok | u: go")
    manifest = compile(session, C.default() | C.compact(), model="gpt-5", steps=True).manifest
    assert manifest_from_json(manifest.to_json()) == manifest


def test_an_equal_block_from_a_memo_is_no_change():
    """A memo gives back what it made of an equal block; what was compiled before is in no
    manifest."""
    from contextwright import C, Session, compile
    from contextwright.blocks.block import Block
    from contextwright.engine.engine import memo_of
    from contextwright.testing import target_for
    from contextwright.testing.rule_sessions import SESSIONS

    def as_memo(session):
        """Every block of the compiles of this log as an equal one, of other objects."""
        memo = memo_of(session.log)
        made = memo.map
        memo.map = lambda key, blocks, change: tuple(map(copied, made(key, blocks, change)))
        return session

    def copied(block):
        if not isinstance(block, Block):
            return block
        return msgspec.structs.replace(
            block, messages=tuple(msgspec.structs.replace(m) for m in block.messages)
        )

    spec, target = C.default() | C.fit(target_tokens=3000), target_for("anthropic")
    built = SESSIONS["agent"]()
    cold = Session(built.id, list(built.log), state=dict(built.state))
    warm = as_memo(Session(built.id, list(built.log), state=dict(built.state)))
    assert (
        compile(warm, spec, target=target).manifest == compile(cold, spec, target=target).manifest
    )
