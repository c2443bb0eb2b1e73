"""A replay compares all that a pack says: an edited request or receipt is found, and named."""

import random

import msgspec
import pytest

from contextwright import C, Engine, Session, compile, read_session
from contextwright.compiler import Manifest, Pack, manifest_from_json, replay
from contextwright.errors import (
    BudgetError,
    ContextwrightError,
    MalformedRecord,
    ReplayError,
    SpecError,
)
from contextwright.spec.codec import from_data
from contextwright.spec.task import Answer
from contextwright.testing import session_of, target_for

SPEC = C.window(n=2) | C.compact() | C.budget(3000)


@pytest.fixture(scope="module")
def session():
    made = session_of("u: hi | c: search(x) | r: one | a: ok | u: two | a: yes | u: three | a: no")
    for n in range(6):
        made.call("search", "{}", id=f"k{n}")
        made.result(f"k{n}", f"result {n} " * 400)
    made.user("and?")
    return made


@pytest.fixture(scope="module")
def pack(session):
    return compile(session, SPEC, model="gpt-5")


def test_what_was_not_edited_is_the_same(session, pack):
    assert pack.manifest.changes and pack.manifest.kept and pack.manifest.left_out
    assert replay(pack, session) == replay(pack.manifest, session)
    assert replay(pack, session).body == pack.body
    spaced = Pack(msgspec.json.format(pack.body, indent=2), pack.manifest)
    assert replay(spaced, session).body == pack.body, "the same JSON, written otherwise"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b'{"messages":[{"content":"FORGED"}]}', "request"),
        (b"no JSON", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (None, "request.messages[0].content was"),
        ("twice", "'messages' stands twice"),
    ],
)
def test_an_edited_request_is_named(session, pack, body, named):
    if body == "twice":
        body = b'{"messages":[{"content":"FORGED"}],' + pack.body[1:]
    if body is None:
        request = pack.request
        request["messages"][0]["content"] = "FORGED"
        body = msgspec.json.encode(request)
    with pytest.raises(ReplayError) as caught:
        replay(Pack(body, pack.manifest), session)
    assert named in caught.value.what


@pytest.mark.parametrize("field", Manifest.__struct_fields__)
def test_every_field_of_a_manifest_is_compared(session, pack, field):
    value = getattr(pack.manifest, field)
    forged = {
        bool: lambda: not value,
        int: lambda: value + 1,
        str: lambda: value + "x",
        tuple: lambda: value[1:] if value else ("forged",),
        dict: lambda: dict(list(value.items())[1:]) if value else {"forged": 1},
        type(None): lambda: 7,
    }.get(type(value), lambda: None)()
    if field == "answers":
        forged = (Answer(fingerprint="f", kind="summary", value="forged", model="m"),)
    with pytest.raises(ContextwrightError):
        replay(Pack(pack.body, msgspec.structs.replace(pack.manifest, **{field: forged})), session)


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"tokens": 1}, "kept[0].tokens was 1"), ({"tier": 9}, "kept[0].tier was 9")],
)
def test_an_edited_entry_is_named(session, pack, changes, named):
    first = pack.manifest.kept[0]
    kept = (msgspec.structs.replace(first, **changes), *pack.manifest.kept[1:])
    with pytest.raises(ReplayError) as caught:
        replay(msgspec.structs.replace(pack.manifest, kept=kept), session)
    assert named in caught.value.what


def mutants(value, rng):
    """Copies of JSON data with one thing in it changed."""
    odd = [None, 0, -1, 1.5, "", "x", "\ud800"[:0], [], {}, [None], {"a": 1}, True, 2**70]

    def places(node, path=()):
        yield path
        if isinstance(node, dict | list):
            for key, child in node.items() if isinstance(node, dict) else enumerate(node):
                yield from places(child, (*path, key))

    paths = list(places(value))
    for _ in range(120):
        path = rng.choice(paths)
        copy = msgspec.json.decode(msgspec.json.encode(value))
        if not path:
            yield rng.choice(odd)
            continue
        node = copy
        for key in path[:-1]:
            node = node[key]
        if rng.random() < 0.3:
            del node[path[-1]]
        else:
            node[path[-1]] = rng.choice(odd)
        yield copy


@pytest.mark.parametrize(
    "spec",
    [
        SPEC,
        C.default() + C.extract({"name": "str"}, "k") | C.redact(["pii"]) | C.fit(4000),
        C.rolling(n=1) + C.from_state("k") | C.budget(4000),
    ],
)
def test_a_manifest_that_was_broken_gives_errors_of_ours(session, spec):
    manifest = compile(session, spec, model="gpt-5").manifest
    plain = msgspec.json.decode(manifest.to_json())
    refused = 0
    for mutant in mutants(plain, random.Random(7)):
        try:
            replay(manifest_from_json(msgspec.json.encode(mutant)), session)
        except ContextwrightError as error:
            assert error.where and error.fix, error
            refused += 1
    assert refused > 80


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b"[" * 2000, "{"])
def test_what_is_no_manifest_is_named(data):
    with pytest.raises(MalformedRecord, match="no manifest"):
        manifest_from_json(data)


@pytest.mark.parametrize("schema", ["junk", "{", "[1]", "\0", '"x"'])
def test_a_schema_that_is_none_is_named(schema):
    with pytest.raises(SpecError, match="no JSON object"):
        from_data({"atom": "extract", "schema": schema, "key": "k"})
    with pytest.raises(SpecError, match="no JSON object"):
        from_data({"atom": "summarize", "schema": schema})


def test_a_manifest_of_before_the_digest_is_replayed(session, pack):
    old = msgspec.json.decode(pack.manifest.to_json())
    del old["digest"]
    assert replay(manifest_from_json(msgspec.json.encode(old)), session).body == pack.body
    old["digest"] = pack.manifest.digest
    assert replay(manifest_from_json(msgspec.json.encode(old)), session).body == pack.body


ASKING = (
    C.fit(3000, strategy="summarize_only"), C.fit(3000), C.budget(2500, overflow="summarize"),
    C.decay(1, 1, subtasks=True), C.rolling(2) | C.budget(3000), C.default() + C.premise(unknown=True),
    C.default() | C.summarize(max_tokens=80) | C.truncate(40) | C.compaction(2500),
)  # fmt: skip
"""Specs that ask models."""


@pytest.mark.parametrize("spec", ASKING, ids=repr)
@pytest.mark.parametrize(
    ("name", "first"), [("pi_coding", 24), ("tau_bench_airline", 20), ("sgd", 4)]
)
def test_each_request_of_a_recorded_session_that_grows_can_be_built_again(
    spec, name, first, read_rows
):
    """What was worked out for one request makes no other one of the next."""
    whole = read_session(read_rows(name, 1)[0])
    session = Session(whole.id, tools=whole.tools)
    engine = Engine(spec, target=target_for("gemini"), suspend=False)
    for place, event in enumerate(whole.log[:70]):
        session.append(event)
        if place < first - 1 or event.role not in {"user", "tool"}:
            continue
        try:
            pack = engine.compile(session)
        except BudgetError:  # what a user gave is more than the limit
            return
        replay(pack, session)


def test_what_was_answered_for_messages_that_could_not_leave_as_they_came_is_in_the_receipt():
    """A list whose provider would refuse it is compiled as it came, and then anew, of what other
    words look at: a replay asked for what the first attempt had been answered."""

    def call(id, name, text):
        use = {"type": "tool_use", "id": id, "name": name, "input": {}}
        result = {"type": "tool_result", "tool_use_id": id, "content": text}
        return [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]

    rows = [f"Result {n}. " + f"It costs {n} euros and more. " * 60 for n in range(2)]
    messages = [{"role": "user", "content": "Begin."}, *call("a", "find", rows[0])]
    messages += [*call("b", "open", rows[1]), *call("c", "n" * 30_000, "transferred")]
    session = read_session(messages, format="anthropic")
    pack = Engine(C.cool(400), target=target_for("anthropic"), suspend=False).compile(session)
    assert pack.manifest.answers
    assert (
        replay(pack, session).manifest
        == msgspec.structs.replace(pack.manifest, prefix=None).digested()
    )


LATE = (
    C.summarize() | C.redact([r"R\d+"]), C.rolling(1) | C.redact([r"R\d+"]) | C.fit(4000),
    C.default() | C.decay(full=1, fold=1) | C.redact([r"R\d+"]) | C.compaction(700),
    C.sliding(600, recent=200) | C.redact([r"R\d+"]) | C.compaction(900),
    C.default() + C.rolling(1) | C.fit(1600),
)  # fmt: skip


@pytest.mark.parametrize("spec", LATE, ids=repr)
def test_a_pack_of_before_a_result_came_late_is_built_again(spec):
    """By a session that has it: what joined an exchange since was no part of it then, and that it
    was there let words look at more than they had, of which the receipt then told."""
    engine = Engine(spec, target=target_for("openai-chat"), suspend=False)
    session, packs = Session("late"), []
    session.user("Begin R0.")
    for n in range(16):
        if n % 3 == 0:
            session.user(f"Now R{n}.")
        session.call("find", "{}", id=f"c{n}")
        if n not in (3, 8):
            session.result(f"c{n}", f"R{n} costs {n} euros. " * 20)
        if n in (5, 12):
            session.result(f"c{3 if n == 5 else 8}", "R99 came late. " * 9)
        packs.append(engine.compile(session))
    for pack in packs:
        assert replay(pack, session).body == pack.body
    moment = session.snapshot_at(len(session) // 2, 0)
    late = compile(moment, spec, target=target_for("openai-chat"))  # of a log that has gone on
    assert replay(late, session).body == late.body
