"""Hostile and difficult inputs through every entry point that they fit."""

import base64
import json

import pytest

from contextwright import C, Session, compile, read_session
from contextwright.blocks import Block, parse_ref
from contextwright.blocks.escape import escape, parse_sections, section, unescape
from contextwright.compiler.layout import section_of
from contextwright.errors import ContextwrightError, RefError, SessionError, SpecError
from contextwright.formats.decode import decode
from contextwright.session.event import Text, Tool, ToolCall
from contextwright.stores import FileArtifacts, Refs, SQLiteSessions
from contextwright.testing import FORMATS, assert_valid, target_for
from contextwright.text.cut import cut
from contextwright.tokens.counter import counter_for

COUNT = counter_for("gpt-5").count


def texts(read_rows, step=1):
    """The texts of every file of hostile texts."""
    fields = {
        "naughty_strings": "text", "section_breakouts": "text", "hidden_text": "text",
        "xss": "html", "prompt_injection": "injection", "path_traversal": "path",
    }  # fmt: skip
    for name, field in fields.items():
        for row in read_rows(f"security/{name}")[::step]:
            yield row.get(field) or row.get("carrier") or ""


def test_escaping_has_an_inverse_and_a_section_comes_back_whole(read_rows):
    for text in texts(read_rows):
        assert unescape(escape(text)) == text
        shown = (
            section(text, source=f"state:{text[:30]}", tier=2) + "\n\n" + section("z", source="b")
        )
        found = parse_sections(shown)
        assert len(found) == 2, text
        assert found[0][1:] == (2, text)
        assert found[1] == ("b", 0, "z")


def test_hostile_text_in_every_field_compiles_for_every_provider(read_rows):
    for place, text in enumerate(texts(read_rows, step=9)):
        session = Session("s", tools=[Tool(name=text[:80] or "t", description=text)])
        session.add("system", text or ".")
        session.user(text or ".", author=text[:40])
        session.assistant(Text(text=text), ToolCall(id=text[:50], name=text[:90], arguments=text))
        session.result(text[:50], text, error=place % 2 == 0)
        session.update({f"k{text[:300]}": text, "_notes_n": [text]})
        session.user("and now?")
        spec = (
            C.default() + C.from_state(f"k{text[:300]}") + C.notes("n")
            | C.redact(["pii"]) | C.budget(90_000)
        )  # fmt: skip
        target = target_for(FORMATS[place % 4])
        try:
            pack = compile(session, spec, target=target)
        except SpecError as error:  # nobody could call it under a name that is redacted
            assert "a tool's own name" in str(error)
            session.tools = [Tool(name="t", description=text)]
            pack = compile(session, spec, target=target)
        assert_valid(pack, target)


def test_texts_survive_the_stores_byte_for_byte(read_rows, tmp_path):
    session = Session("hostile")
    kept = []
    for text in texts(read_rows, step=5):
        session.user(text)
        kept.append(text)
    store = SQLiteSessions(tmp_path / "s.db")
    store.save(session)
    assert [event.text for event in store.load("hostile").log] == kept
    files = FileArtifacts(tmp_path / "a")
    for text in kept[:200]:
        data = text.encode("utf-8", "surrogatepass")
        assert files.get(files.put(data)) == data


EXPECTED_ERRORS = {
    "torn-middle-line": "line 2",
    "latin1": "byte 29 of line 1",
    "not-object": "expected an object",
    "no-role": "no format fits",
    "duplicate-event-id": "line 1 and",
    "deep-metadata": "deeper than 256",
}


def test_bad_sessions_get_the_expected_verdict(read_rows):
    for row in read_rows("security/bad_sessions"):
        data = _data(row)
        case = row["case"]
        if case in EXPECTED_ERRORS:
            with pytest.raises(SessionError) as caught:
                read_session(data)
            assert EXPECTED_ERRORS[case] in str(caught.value), case
            assert caught.value.fix
            continue
        session = read_session(data)
        assert len(session) >= 1
        if case in {"torn-last-line", "lone-surrogate"}:
            assert session.metadata["repairs"]
        if case == "only-system":
            with pytest.raises(SpecError, match="nothing to send"):
                compile(session, C.default(), model="gpt-5")
            continue
        for format in FORMATS:
            target = target_for(format, 10_000_000)
            assert_valid(compile(session, C.default(), target=target), target)


def _data(row):
    if "b64" in row:
        return base64.b64decode(row["b64"])
    text = row["text"]
    if text.startswith("@@LINE_10MB"):
        return json.dumps({"role": "user", "content": "x " * 5_000_000}).encode() + b"\n"
    if text.startswith("@@EVENTS"):
        return b'{"role": "user", "content": "a"}\n' * 3000
    return text.encode("utf-8", "surrogatepass")


def test_json_documents_are_decoded_or_refused_by_name(read_rows):
    for row in read_rows("security/json_parsing"):
        if "b64" in row:
            data = base64.b64decode(row["b64"])
        else:
            unit = row["repeat"]
            data = base64.b64decode(unit["unit_b64"]) * unit["times"]
        try:
            decode(data, "case.json")
        except SessionError as error:
            assert row["expect"] != "accept", (row["name"], str(error))
            assert error.where
        else:
            assert row["expect"] != "reject", row["name"]


def test_bytes_that_are_not_utf8_are_named_with_their_place(read_rows):
    for row in read_rows("security/utf8"):
        data = b'{"role": "user", "content": "' + bytes.fromhex(row["hex"]) + b'"}'
        try:
            session = read_session(data)
        except SessionError as error:
            assert error.where
            valid = row["valid"] and not any(
                byte < 0x20 or byte in b'"\\' for byte in bytes.fromhex(row["hex"])
            )
            assert not valid, row["id"]
        else:
            assert row["valid"], row["id"]
            assert session.log[0].text == bytes.fromhex(row["hex"]).decode()


@pytest.mark.parametrize("keep", ["head", "tail", "bookend"])
def test_cuts_fall_between_graphemes(read_rows, keep):
    marker = "|"
    for row in read_rows("security/graphemes")[::7]:
        unit = row["clusters"]
        clusters = ["a", " ", *unit, "b", " "] * 12
        text = "".join(clusters)
        short = cut(text, 15, keep, COUNT, marker=marker)
        assert COUNT(short) <= 15
        borders, at = {0}, 0
        for cluster in _clusters(text):
            at += len(cluster)
            borders.add(at)
        head, found, tail = short.partition(marker)
        if not found:
            continue
        head = head.removesuffix("\n")
        tail = tail.removeprefix("\n")
        if head and text.startswith(head):
            assert len(head) in borders or text[len(head)].isspace()
        if tail and text.endswith(tail):
            assert len(text) - len(tail) in borders or text[len(text) - len(tail) - 1].isspace()


def _clusters(text):
    import regex

    return regex.findall(r"\X", text)


def test_traversal_reaches_nothing_through_any_ref(read_rows, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "ok.txt").write_text("fine")
    (tmp_path / "secret.txt").write_text("secret")
    (root / "link").symlink_to(tmp_path / "secret.txt")
    session = Session("s", state={"k": "v"})
    session.user("hi")
    files = FileArtifacts(tmp_path / "artifacts")
    refs = Refs(session.snapshot(), artifacts=files, roots=[root])
    assert refs.read("file://ok.txt") == "fine"
    paths = [row["path"] for row in read_rows("security/path_traversal")]
    paths += [
        "link",
        "../secret.txt",
        "/etc/passwd",
        "ok.txt\0",
        "a/../../secret.txt",
        "C:\\x",
        ".",
    ]
    for path in paths:
        for scheme in ("file", "artifact", "event", "state"):
            with pytest.raises(RefError):
                refs.read(f"{scheme}://{path}")


def test_addresses_are_refused_but_for_the_allowed_host(read_rows):
    session = Session("s")
    session.user("hi")
    fetched = []
    allowed = Refs(
        session.snapshot(), hosts={"allowed.example": lambda u: fetched.append(u) or "ok"}
    )
    closed = Refs(session.snapshot())
    for row in read_rows("security/ssrf_urls"):
        with pytest.raises(ContextwrightError):
            closed.read(row["url"])
        if not row["url"].startswith("https://allowed.example/"):
            with pytest.raises(ContextwrightError):
                allowed.read(row["url"])
    assert all(url.startswith("https://allowed.example/") for url in fetched)
    assert allowed.read("https://allowed.example/page") == "ok"


def test_addresses_as_a_browser_reads_them_never_reach_another_host(read_rows):
    session = Session("s")
    session.user("hi")
    fetched = []
    refs = Refs(session.snapshot(), hosts={"example.org": lambda url: fetched.append(url) or ""})
    for row in read_rows("security/url_parsing"):
        try:
            refs.read(row["input"])
        except ContextwrightError:
            continue
        assert row["failure"] is False
        assert row["host"] == "example.org"
    assert all(url.startswith("https://example.org") for url in fetched)


def test_refs_of_another_session_are_absent():
    one, other = Session("one"), Session("other")
    one.user("mine", id="a1")
    other.user("yours", id="b1")
    with pytest.raises(RefError, match="nothing is found"):
        Refs(one.snapshot()).read("event://b1")
    with pytest.raises(RefError, match="nothing is found"):
        Refs(one.snapshot()).read("event://zz")


@pytest.mark.parametrize(
    "text", ["", "event://", "://x", "ftp://x", "x" * 5000, "event", "EVENT://a"]
)
def test_what_is_no_ref_is_refused(text):
    with pytest.raises(RefError):
        parse_ref(text)


def test_a_block_of_hostile_text_is_one_section(read_rows):
    for row in read_rows("security/section_breakouts"):
        block = Block(id="x", source="state:x", text=row["text"])
        assert parse_sections(section_of(block)) == [("state:x", 0, row["text"])]


def test_a_transcript_of_hostile_text_has_the_markers_of_its_blocks_only(read_rows):
    for row in read_rows("security/section_breakouts"):
        session = Session("s")
        session.user(row["text"])
        session.call("t", "{}", id="c")
        session.result("c", row["text"])
        text = compile(session, C.window(1), target=target_for("text")).text
        assert text.count("<context_block") == text.count("</context_block>") == 1


@pytest.mark.parametrize("keep", ["head", "tail", "bookend"])
@pytest.mark.parametrize(
    "text",
    ["🇩🇪" * 3000 + "\n", "x" + "🇩🇪" * 3000, "e\u0301" * 4000, "a" * 200 + "\u0301" * 5 + "b" * 900,
     "👨‍👩‍👧‍👦" * 900, "क्षि" * 3000, "\u0301 " * 3000],
    ids=["flags", "flags behind a letter", "accents", "marks behind letters", "family", "devanagari", "spaces"],
)  # fmt: skip
def test_long_runs_without_a_space_are_cut_between_graphemes(text, keep):
    for limit in (7, 20, 33, 64):
        short = cut(text, limit, keep, COUNT, marker="|")
        assert COUNT(short) <= limit
        borders, at = {0}, 0
        for cluster in _clusters(text):
            at += len(cluster)
            borders.add(at)
        head, _, tail = short.partition("|")
        head, tail = head.removesuffix("\n"), tail.removeprefix("\n")
        if head:
            assert text.startswith(head)
            assert len(head) in borders or text[len(head)].isspace()
        if tail:
            assert len(text) - len(tail) in borders or len(text.rstrip()) - len(tail) in borders
