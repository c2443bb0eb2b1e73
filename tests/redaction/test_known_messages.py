"""What is redacted once for all terms is what each of them would make of it by itself."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Engine, Session
from contextwright.blocks.block import Block, Message
from contextwright.memo.owned_tables import Table
from contextwright.redaction import scan
from contextwright.redaction.find import find
from contextwright.redaction.haystack import Haystack
from contextwright.redaction.patterns import PERSONAL, Pattern
from contextwright.redaction.redact_parts import PartRedaction
from contextwright.redaction.redactor import Redactor
from contextwright.redaction.scan import Scanner, compile_patterns
from contextwright.session.event import Text, Thinking, ToolCall, ToolResult

EVERY = (("pii",), ("secrets",), ("pii", "secrets", "url"), ("email", "phone"), (r"\d\d", "ssn"))
PIECES = st.sampled_from(
    [
        "event://e12#1", "assistant", "get_user_details", "call_4TGqQ", "Parcel 7 is in depot 3.", "",
        "bob@example.com", "123-45-6789", "(415) 555-0132", "phone: ", "5551234567", "born ",
        "1990-04-05", "4111 1111 1111 1111", "\\n", "bob\\u0040example.com", "bob%40example.com",
        "bob&#64;example.com", "Ym9iQGV4YW1wbGUuY29t", "DE89370400440532013000", "password: hunter22",
        "10.0.0.1", "aa:bb:cc:00:11:22", "A12345678", "sk-ab12cd34ef56gh78ij90", "1.2.3", "\u0663\u0663",
        "caf\u00e9", "{\"ssn\": 123456789}", " ", "\n", "+", "=", "/", "-", ".", ":", "@", "a", "0", "9",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=40)


@given(TEXTS, st.sampled_from(EVERY))
def test_nothing_is_found_in_what_is_plain(text: str, patterns: tuple[str, ...]) -> None:
    scanner = compile_patterns(patterns)
    if scanner.is_plain(text):
        assert scanner.redact(text) == (text, ())


@pytest.mark.parametrize("name", ["event://e1234", "assistant", "get_user_details", "12.call_7"])
def test_names_and_ids_are_plain(name: str) -> None:
    assert compile_patterns(("pii",)).is_plain(name)


@given(TEXTS, st.sampled_from(EVERY))
def test_what_has_too_few_digits_has_no_match(text: str, patterns: tuple[str, ...]) -> None:
    scanner = compile_patterns(patterns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Haystack, "digits", 10**9)
        every = scanner.redact(text)
    assert scanner.redact(text) == every


NUMBERS = [pattern for pattern in PERSONAL if pattern.digits]


@pytest.mark.parametrize("pattern", NUMBERS, ids=lambda one: one.regex[:20])
@given(data=st.data())
def test_a_match_has_so_many_digits(pattern: Pattern, data: st.DataObject) -> None:
    flags = re.ASCII | (re.IGNORECASE if pattern.fold else 0)
    match = data.draw(st.from_regex(re.compile(pattern.regex, flags), fullmatch=True))
    assert Haystack(match).digits >= pattern.digits


def test_numbers_apart_are_no_number(monkeypatch) -> None:
    """Of a text with many short numbers no pattern of long ones is looked for."""
    looked = []
    monkeypatch.setattr(scan, "find", lambda pattern, text: looked.append(pattern) or ())
    rows = "".join(
        f'{{"id": "A-{n}x", "price": {n % 900}, "text": "order{n % 100}"}}\n' for n in range(40)
    )
    assert compile_patterns(("pii",)).redact(rows) == (rows, ())
    assert looked
    assert max(pattern.digits for pattern in looked) < 4


@given(
    TEXTS
    | st.lists(st.sampled_from(["de89370400440532013000", "ab12", "7", "\\n", "_", " "])).map(
        "".join
    )
)
def test_an_account_number_is_found_from_its_digits(text: str) -> None:
    [by_digits] = [one for one in PERSONAL if one.name == "iban" and one.anchor]
    by_letters = msgspec.structs.replace(by_digits, anchor="", lead=0)
    assert list(find(by_digits, Haystack(text))) == list(find(by_letters, Haystack(text)))


def test_an_id_is_redacted_once_for_its_call_and_its_result(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(Redactor, "ident", lambda self, name: asked.append(name) or name)
    call = ToolCall(id="call 1", name="find")
    messages = (
        Message(role="assistant", parts=(call, ToolCall(id="call 2", name="find"))),
        Message(role="tool", parts=(ToolResult(call_id="call 1", name="find"),)),
    )
    PartRedaction(Redactor(patterns=("pii",)), Table()).block(
        Block(id="b", source="history", messages=messages)
    )
    assert asked == ["call 1", "find", "call 2"]


def test_who_said_something_is_redacted_once_a_name(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(Redactor, "text", lambda self, text: asked.append(text) or text)
    messages = tuple(Message("assistant", (Text(text=f"{n}"),), author="ann") for n in range(3))
    redaction = PartRedaction(Redactor(patterns=("pii",)), Table())
    for n in range(3):
        redaction.block(Block(id=f"b{n}", source="history", messages=messages[n : n + 1]))
    assert asked.count("ann") == 1


PARTS = st.one_of(
    st.builds(Text, text=TEXTS),
    st.builds(Thinking, text=TEXTS, signature=st.sampled_from(["", "s"])),
    st.builds(ToolCall, id=PIECES, name=PIECES, arguments=TEXTS),
    st.builds(ToolResult, call_id=PIECES, content=st.tuples(st.builds(Text, text=TEXTS))),
)
MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool"]),
    parts=st.lists(PARTS, max_size=3).map(tuple),
    event_id=st.sampled_from(["e1", "e2"]),
    author=PIECES,
    whole=st.booleans(),
)
BLOCKS = st.builds(
    Block,
    id=st.just("e1"),
    source=st.sampled_from(["log", "history"]),
    messages=st.lists(MESSAGES, max_size=2).map(tuple),
    text=TEXTS,
    ref=PIECES,
)


@given(st.lists(BLOCKS, min_size=1, max_size=4), st.sampled_from(EVERY), st.booleans())
def test_a_message_that_was_redacted_before_is_what_it_would_be_now(
    blocks: list[Block], patterns: tuple[str, ...], fields: bool
) -> None:
    """Blocks of equal messages too, which are not the very same: what stays is what was given."""
    redactor = Redactor(patterns, ("ssn",) if fields else ())
    together, known = [], Table()
    again = [*blocks, *[copied(block) for block in blocks]]
    for block in again:
        together.append(PartRedaction(redactor, known).block(block))
    for block, made in zip(again, together, strict=True):
        alone = PartRedaction(redactor, Table()).block(block)
        assert (made, made is block) == (alone, alone is block)


def copied(block: Block) -> Block:
    """An equal one of which nothing is the very same."""
    messages = tuple(
        [Message(m.role, m.parts, m.event_id, m.author, m.whole) for m in block.messages]
    )
    return Block(
        id=block.id, source=block.source, messages=messages, text=block.text, ref=block.ref
    )


SPECS = (
    C.default() | C.redact("pii") | C.fit(3_000),
    C.default() | C.redact("pii") | C.compact() | C.fit(3_000),
    C.default() | C.redact("pii") | C.compact() | C.summarize(max_tokens=60) | C.budget(3_000),
)


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_a_text_is_searched_once_by_a_first_compile(spec, monkeypatch) -> None:
    """Whoever names it, and however many words stand in front of who does."""
    session, searched, search = Session("long"), list[str](), Scanner.search

    def noted(self: Scanner):
        find = search(self)
        return lambda text: searched.append(text) or find(text)

    for turn in range(400):
        session.user(
            f"What of parcel {turn}, and where may it be by now? It is for ann{turn}@x.org."
        )
        session.assistant(f"It is parcel {turn}, in depot {turn % 7}; ann{turn}@x.org knows. " * 9)
    monkeypatch.setattr(Scanner, "search", noted)
    Engine(spec, "gpt-5").compile(session)
    words = [text for text in searched if text.startswith("It is parcel ") and "@" in text]
    assert len(words) > 300 and len(words) <= 1.1 * len({*words})
