"""`C.minify()`: JSON without its blanks is the same value, from its first request on."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.atoms.compress import minify
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.minified_results import without_blanks_of_json
from contextwright.compiler.plan import plan
from contextwright.engine.engine import Engine
from contextwright.errors import ProtectionError
from contextwright.session.event import Text, ToolResult
from contextwright.stores import Refs
from contextwright.testing import target_for
from contextwright.text.file_arguments import names_file
from contextwright.text.json_rows import loaded

ROWS = '{"rows": [{"id": "P 1", "price": 1.50}, {"id": "P, 2", "price": 2.00}]}'
SHORT = '{"rows":[{"id":"P 1","price":1.50},{"id":"P, 2","price":2.00}]}'
SPECS = (C.minify(), C.default() | C.minify() | C.compaction(30_000), C.minify() | C.budget(9_000))


def looked_up(text=ROWS, *, name="search", arguments='{"q": "a"}', error=False, pin=False):
    session = Session("s")
    session.user("Look it up.")
    session.call(name, arguments, id="c1", pinned=pin)
    session.result("c1", text, error=error)
    return session


def sent(session, spec=SPECS[0]):
    pack = compile(session, spec, target=target_for("openai-chat"))
    results = [one["content"] for one in pack.request["messages"] if one["role"] == "tool"]
    return results[-1], pack.manifest


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_the_newest_result_is_sent_without_blanks_and_the_receipt_says_so(spec):
    session = looked_up()
    text, manifest = sent(session, spec)
    assert text == SHORT
    (change,) = manifest.changes
    assert (change.step, change.action, change.reason) == (
        "C.minify()", "compacted", "JSON without its blanks",
    )  # fmt: skip
    assert change.tokens_after < change.tokens_before
    refs = Refs(session.snapshot())
    assert refs.read(f"{change.ref}#0") == ROWS
    assert json.dumps(ROWS) in refs.read(change.ref)
    assert not manifest.notes


def test_a_result_keeps_its_bytes_from_its_first_request_on():
    session, bodies = looked_up(), []
    for n in range(4):
        pack = compile(session, SPECS[1], target=target_for("openai-chat"))
        bodies.append([json.dumps(one) for one in pack.request["messages"]])
        session.call("search", f'{{"q": "{n}"}}', id=f"d{n}")
        session.result(f"d{n}", f'{{"n": {n}, "rows": [1, 2, 3]}}')
    for before, after in zip(bodies, bodies[1:], strict=False):
        assert after[: len(before)] == before


def test_nothing_is_changed_without_the_word():
    assert sent(looked_up(), C.default() | C.compaction(30_000))[0] == ROWS


@pytest.mark.parametrize(
    "options",
    [
        {"error": True},
        {"pin": True},
        {"name": "read_file", "arguments": '{"path": "package.json"}'},
        {"name": "read_file", "arguments": '{\n  "file_path": "package.json"\n}'},
        {"name": "read", "arguments": '{"options": {"files": ["a.json", "b.json"]}}'},
        {"name": "expand", "arguments": '{"ref": "event://e1#0"}'},
    ],
    ids=str,
)
def test_what_may_be_quoted_stays_as_it_came(options):
    """An edit quotes a file word for word; a failure stays verbatim; who reads an original back
    has it."""
    text, manifest = sent(looked_up(**options))
    assert text == ROWS
    assert not manifest.changes and not manifest.notes


def test_the_newest_result_is_given_back_whole():
    """Its value is the same with blanks as without: `C.expand` behind the word is not undone."""
    text, manifest = sent(looked_up(), C.default() | C.minify() | C.expand())
    assert text == ROWS and not manifest.notes


def test_a_tier_that_is_never_shortened_stays_as_it_came():
    assert sent(looked_up(), C.default() | C.priority(1) | C.minify())[0] == ROWS


AS_THEY_ARE = [
    "a, b, c", '{\n  "a": 1\n}', '{"a": 1,}', "[1, 2", '"a b"', "1 2", '[1,\r2]',
    '{"a": 1} {"b": 2}', '\u00a0{"a": 1}', '{"a": 1}\u2028', '\ufeff{"a": 1}', '[1, 2] # two',
    "[" * 200 + " " + "]" * 200, f'{{"n": {"9" * 5000}, "m": 1}}',
]  # fmt: skip


@pytest.mark.parametrize("text", AS_THEY_ARE, ids=lambda text: repr(text[:20]))
def test_what_is_not_one_line_of_json_stays_as_it_came(text):
    assert without_blanks_of_json(text) == text
    assert sent(looked_up(text))[0] == text


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ('{"a": 1, "a": 2}', '{"a":1,"a":2}'),
        ('{"b": 1, "a": 2}', '{"b":1,"a":2}'),
        ("[NaN, -Infinity, 1.0]", "[NaN,-Infinity,1.0]"),
        ("[1.50, 1E+02, -0.0, 12345678901234567890.10]", "[1.50,1E+02,-0.0,12345678901234567890.10]"),
        (r'{"a \" b": "c \\", "d": "\u00e9 \/"}', r'{"a \" b":"c \\","d":"\u00e9 \/"}'),
        ('{"é ü": "日本 語 🙂"}', '{"é ü":"日本 語 🙂"}'),
        (' \t[ 1 , 2 ]\r\n', "[1,2]"),
    ],
)  # fmt: skip
def test_names_numbers_and_strings_stay_verbatim(text, short):
    assert without_blanks_of_json(text) == short


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
ROW = st.lists(SCALARS, max_size=4) | st.dictionaries(st.text(), SCALARS, max_size=4)
VALUES = SCALARS | ROW


@given(
    value=st.lists(VALUES) | st.dictionaries(st.text(), VALUES),
    blanks=st.tuples(st.sampled_from([",", ", ", " ,\t"]), st.sampled_from([":", ": ", " :  "])),
    ascii=st.booleans(),
    around=st.sampled_from(["", " ", "\n", "\r\n", "\t"]),
)
def test_it_is_the_same_value_and_once_is_enough(value, blanks, ascii, around):
    text = around + json.dumps(value, separators=blanks, ensure_ascii=ascii) + around
    short = without_blanks_of_json(text)
    assert json.loads(short) == json.loads(text)
    assert short == json.dumps(value, separators=(",", ":"), ensure_ascii=ascii)
    assert without_blanks_of_json(short) == short


@given(st.text(alphabet='{}[]",:\\ \t\r\nu0a1.eE-\u00a0\u2028N'))
def test_any_text_is_the_same_value_or_the_same_text(text):
    short = without_blanks_of_json(text)
    assert without_blanks_of_json(short) == short
    if short != text:
        pairs = [json.loads(one, object_pairs_hook=list) for one in (text, short)]
        assert repr(pairs[0]) == repr(pairs[1])
        assert isinstance(json.loads(text), (dict, list)) and "\n" not in text.strip()


@given(st.text(), st.text())
def test_text_around_json_is_no_json(before, after):
    text = before + ROWS + after
    assume(loaded(text) is None)
    assert without_blanks_of_json(text) == text


def test_a_text_that_reads_as_a_mark_of_ours_stays_as_it_came():
    """Shortened, the mark would be disarmed, and the value another one."""
    text = json.dumps({"a": "[full output: event://e0, 9 tokens]", "b": [1, 2, 3, 4, 5]})
    assert sent(looked_up(text))[0] == compile(
        looked_up(text), C.default(), target=target_for("openai-chat")
    ).request["messages"][-1]["content"]  # fmt: skip


def test_a_result_of_several_parts_stays_as_it_came():
    session = Session("s")
    session.user("Look.")
    session.call("search", "{}", id="c")
    session.add("tool", ToolResult(call_id="c", content=(Text(text="[1, 2]"), Text(text="[3, 4]"))))
    assert sent(session)[0] != "[1,2]\n[3,4]"
    assert not sent(session)[1].changes


@pytest.mark.parametrize("limit", [C.compaction(900), C.fit(900), C.budget(900)], ids=repr)
def test_limits_go_on_behind_it_as_behind_nothing(limit):
    spec = C.default() | C.minify() | limit
    assert plan(spec).view == plan(C.default() | limit).view


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("", False), ("{}", False), ('{"q": "a/b.py"}', False), ('{"profile": "x"}', False),
        ('{"filePath": "a"}', True), ('{"FILE": "a"}', True), ('{"path": 7}', False), ("{", True), ("*** Update File: a.json", True),
        ("[" * 100_000, True),
    ],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_a_file_is_told_by_the_name_of_the_argument(arguments, named):
    assert names_file(arguments) is named


def test_an_engine_gives_the_original_by_its_ref():
    session = looked_up()
    engine = Engine(SPECS[1], "gpt-5")
    (change,) = engine.compile(session).manifest.changes
    assert engine.expand(session, f"{change.ref}#0") == ROWS


@pytest.mark.parametrize(
    ("old", "new", "pinned", "is_same"),
    [
        ('{"a": 1.50, "b": "x y"}', '{"a":1.50,"b":"x y"}', False, True),
        ('{"a": 1.50, "b": "x y"}', '{"a":1.5,"b":"x y"}', False, False),
        ('{"a": 1.50, "b": "x y"}', '{"a":1.50,"b":"xy"}', False, False),
        ('{"a": 1.50, "b": "x y"}', '{"a":1.50,"b":"x y"}', True, False),
        ("a, b", "a,b", False, False),
    ],
)
def test_of_the_newest_result_no_word_may_take_more_than_blanks(
    old, new, pinned, is_same, monkeypatch
):
    """The tracer looks at what came out: it does not go by which word it was."""

    def shortened(block, count):
        messages = rewrite(block, on_result=lambda *_: new)
        return block.lower(Fidelity.COMPACTED, messages=messages, why="shorter")

    monkeypatch.setattr(minify, "minified", shortened)
    session = looked_up(old, pin=pinned)
    if is_same:
        assert sent(session)[0] == new
    else:
        with pytest.raises(ProtectionError, match="C.minify"):
            sent(session)
