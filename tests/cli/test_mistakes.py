"""What people type wrong at the command: each error says what, where, and what to type instead."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from contextwright import write_session
from contextwright.cli.main import ctx
from contextwright.errors import ContextwrightError
from contextwright.testing import session_of

MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "hello"},
    {"role": "user", "content": "and now?"},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    files = {
        "s.json": json.dumps({"model": "gpt-4o", "messages": MESSAGES}),
        "two.jsonl": "".join(json.dumps({"messages": MESSAGES}) + "\n" for _ in range(2)),
        "empty.json": "",
        "torn.json": '{"messages": [',
        "other.json": '{"colour": "red"}',
        "number.json": "5",
        "nothing.json": "[]",
        "nomessages.json": '{"messages": []}',
        "messages.json": json.dumps(MESSAGES),
        "pairs.json": '[["user", "hi"]]',
        "own.json": '{"model": "our-own", "messages": [{"role": "user", "content": "hi"}]}',
        "notes.jsonl": '{"a": 1}\n{"b": 2}\n',
        "badrole.json": '[{"role": "bot", "content": "hi"}]',
        "badcontent.json": '[{"role": "user", "content": 5}]',
        "badimport.py": "import nothing_here\n",
        "badsyntax.py": "def (\n",
        "five.py": "spec = 5\n",
        "leaves.py": "import sys\nsys.exit(3)\n",
        "other.py": "from contextwright import C\nsupport = C.window(n=1)\n",
        "recipe.py": "from contextwright import PackBuilder\npack = PackBuilder()\n",
        "badspec.json": '{"atom": "windw"}',
        "badoption.json": '{"atom": "window", "k": 4}',
        "listspec.json": '["C.window()"]',
        "agents.json": '[{"agent": "a", "spec": "C.windw()"}]',
        "noagents.json": '[{"spec": "C.window()"}]',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin.json").write_bytes(b'[{"role": "user", "content": "\xe9"}]')
    (tmp_path / "wide.json").write_bytes('[{"role": "user", "content": "ü"}]'.encode("utf-16-le"))
    (tmp_path / "store.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 99)
    write_session(session_of("u: hi | a: hello"), path=tmp_path / "one.jsonl")
    run("compile", "s.json", "--out", "p.json")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(ctx, [str(one) for one in arguments])


S = ("compile", "s.json")
MISTAKES = [
    # what is typed, and what the error has to name
    (("compil", "s.json"), "did you mean compile"),
    (("compile",), "SESSION"),
    ((*S, "--modle", "gpt-5"), "--model"),
    (("compile", "gone.json"), "gone.json"),
    (("compile", "."), "directory"),
    (("compile", "."), "ctx sweep"),
    (("compile", "nomessages.json"), "no message"),
    (("compile", "empty.json"), "empty"),
    (("compile", "torn.json"), "torn.json"),
    (("compile", "other.json"), "--from"),
    (("compile", "number.json"), "list of messages"),
    (("compile", "badrole.json"), "assistant"),
    (("compile", "badcontent.json"), "write a string there"),
    (("compile", "latin.json"), "iconv -f LATIN1"),
    (("compile", "wide.json"), "iconv -f UTF-16"),
    (("compile", "store.db"), "SQLiteSessions"),
    (("compile", "nothing.json"), "no message"),
    (("compile", "pairs.json"), "list of list"),
    (("compile", "one.jsonl", "--row", "0"), "leave --row out"),
    ((*S, "--top", "-2"), "range"),
    ((*S, "--spec", "one.jsonl"), "that take a SESSION"),
    (("show-pack", "s.json"), "ctx show shows a session"),
    (("expand", "first", "s.json"), "event://e7"),
    (("expand", "file:///etc/x", "s.json"), "--root"),
    (("expand", "artifact://x", "s.json", "--artifacts", "gone"), "no folder of artifacts"),
    ((*S, "--artifacts", "gone"), "no folder of artifacts"),
    (("mcp", "s.json", "--artifacts", "gone"), "no folder of artifacts"),
    (("backup", "store.db", "s.json"), "FOLDER comes last"),
    (("verify", "gone.db"), "folder of artifacts"),
    (("compile", "two.jsonl"), "--row 0"),
    (("compile", "two.jsonl", "--row", "3"), "rows 0 to 1"),
    (("compile", "two.jsonl", "--row", "-1"), "rows 0 to 1"),
    ((*S, "--row", "3"), "row 0 only"),
    ((*S, "--row", "first"), "integer"),
    ((*S, "--from", "openai"), "openai-chat"),
    ((*S, "--to", "antropic"), "anthropic"),
    ((*S, "--model", "gpt-55"), "gpt-5"),
    ((*S, "--model", "a-llama-of-nobody"), "--window"),
    ((*S, "--budget", "8x"), "8k"),
    ((*S, "--budget", "3"), "allow"),
    ((*S, "--budget", "-4"), "positive"),
    ((*S, "--window", "0"), "whole number"),
    ((*S, "--window", "huge"), "8000"),
    ((*S, "--top", "x"), "integer"),
    ((*S, "--out", "/nowhere/p.json"), "folder that exists"),
    ((*S, "--out", "."), "written"),
    ((*S, "--llm", "openai:gpt-5-mini"), "OPENAI_API_KEY"),
    ((*S, "--llm", "nobody:x"), "provider:model"),
    ((*S, "--spec", "spec.json"), "spec.json"),
    ((*S, "--spec", "folder/spec"), "FILE.py:NAME"),
    ((*S, "--spec", "gone.py"), "gone.py"),
    ((*S, "--spec", "badimport.py"), "line 1"),
    ((*S, "--spec", "badsyntax.py"), "line 1"),
    ((*S, "--spec", "five.py"), "spec = C.window"),
    ((*S, "--spec", "leaves.py"), "__main__"),
    (("check", "--against", "gone.json"), "No such file or directory"),
    ((*S, "--spec", "other.py"), "it has support"),
    ((*S, "--spec", "other.py:suport"), "it has support"),
    ((*S, "--spec", "recipe.py:pakc"), "it has pack"),
    ((*S, "--spec", "badspec.json"), "did you mean window"),
    ((*S, "--spec", "badoption.json"), "known: n"),
    ((*S, "--spec", "listspec.json"), "to_json"),
    ((*S, "--spec", "s.json"), "session"),
    ((*S, "--spec", ""), "C.window"),
    ((*S, "--spec", "window(5)"), "C.window(5)"),
    ((*S, "--spec", "C.window"), "C.window(...)"),
    ((*S, "--spec", "window"), "C.window(...)"),
    ((*S, "--spec", "C.window(5), C.compact()"), "a | b"),
    ((*S, "--spec", "C.window(5) and C.compact()"), "a | b"),
    ((*S, "--spec", "C.window(5) > C.compact()"), "a | b"),
    ((*S, "--spec", "C.window(5) >> C.compact()"), "C.window"),
    ((*S, "--spec", "C.window(5"), "never closed"),
    ((*S, "--spec", "C.window(k=4)"), "known: n"),
    ((*S, "--spec", "C.window(n='5')"), "n=5"),
    ((*S, "--spec", "C.windw(5)"), "did you mean window"),
    ((*S, "--spec", "C.budget('8k')"), "max_tokens=8000"),
    ((*S, "--spec", "C.compact() | C.window(5)"), "select first"),
    ((*S, "--spec", "C.budget(900) | C.compact()"), "comes last"),
    ((*S, "--spec", "'C.window(5)'"), "without its quotes"),
    ((*S, "--spec", "C.budget(900)", "--budget", "900"), "two limits"),
    (("compile", "p.json"), "show-pack"),
    (("expand", "s.json", "event://e2"), "ctx expand REF SESSION"),
    (("expand", "the-second", "s.json"), "event://ID"),
    (("expand", "event://zz", "s.json"), "ctx explain"),
    (("expand", "event://e2"), "SESSION"),
    (("expand", "file:///etc/passwd", "s.json"), "file"),
    (("replay", "s.json", "p.json"), "pack"),
    (("replay", "p.json"), "SESSION"),
    (("replay", "gone.json", "s.json"), "ctx compile SESSION --out FILE"),
    (("diff", "s.json"), "--spec twice"),
    (("diff", "s.json", "--spec", "C.none()"), "--spec twice"),
    (("diff", "s.json", "p.json"), "pack"),
    (("diff", "C.window(n=4)", "C.window(n=6)"), "ctx diff SESSION --spec A --spec B"),
    ((*S, "--spec", "C.fit"), "C.fit is not called"),
    ((*S, "--spec", "C.wndow"), "did you mean window"),
    ((*S, "--spec", "C.window(n=4) | C.budget(8k)"), "8000 for 8k"),
    (("check", "C.budget(12K)"), "12000 for 12K"),
    (("try", "gone.json", "--budget", "8k"), "a folder of them"),
    (("check", "s.json"), "SESSION"),
    (("check", "messages.json"), "ctx check SPEC --session FILE"),
    (("check", "gone.json"), "gone.json"),
    (("check", "noagents.json"), "agent"),
    ((*S, "--spec", "C.all()", "--spec", "C.none()"), "ctx diff SESSION"),
    (("try", "s.json", "--spec=C.all()", "--spec", "C.none()"), "takes one"),
    ((*S, "--budget", "800", "--budget=900"), "--budget is given 2 times"),
    (("explain", "s.json", "--top", "3", "--top", "4"), "takes one"),
    (("convert", "s.json", "--out", "a", "--out", "b"), "--out is given 2 times"),
    (("sweep", "s.json", "-o", "rows.csv"), "give FILE.parquet"),
    ((*S, "--root", "gone"), "gone"),
    ((*S, "--root", "s.json"), "s.json"),
    (("check", "C.windw()"), "did you mean window"),
    (("check", "C.window(4)", "--model", "gpt-55"), "gpt-5"),
    (("check", "--against", "tuned.json", "--strict"), "--strict is of a pipeline"),
    (("check", "--against", "tuned.json", "--model", "gpt-5"), "--model is of a pipeline"),
    (("convert", "s.json", "--to", "opnai"), "openai-chat"),
    (("convert", "--to", "anthropic"), "SESSION"),
    (("convert", "s.json", "--out", "/nowhere/x"), "folder that exists"),
    (("show-pack", "s.json"), "pack"),
    (("show", "gone.json"), "gone.json"),
    (("salience", "s.json", "--row", "4"), "row 0 only"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "says"), MISTAKES, ids=[" ".join(m[0])[:60] for m in MISTAKES])
def test_a_mistake_is_named_with_what_to_type_instead(folder, typed, says):
    done = run(*typed)
    assert done.exit_code != 0
    if isinstance(done.exception, ContextwrightError):
        error = done.exception
        assert error.what and error.where and error.fix
        assert says in str(error)
    else:
        assert isinstance(done.exception, SystemExit), done.exception
        assert says in done.output
    assert "<unknown>" not in str(done.exception)


def test_what_a_file_of_a_spec_prints_is_no_part_of_the_output(folder):
    (folder / "loud.py").write_text(
        "print('hello')\nfrom contextwright import C\nspec = C.default()\n"
    )
    done = run(*S, "--json", "--spec", "loud.py")
    assert "hello" in done.stderr and json.loads(done.stdout)["request"]


def test_a_spec_may_begin_with_a_byte_order_mark(folder):
    (folder / "marked.json").write_bytes(b'\xef\xbb\xbf{"atom": "window", "n": 1}')
    assert run(*S, "--spec", "marked.json").exit_code == 0
    (folder / "agents.json").write_bytes(
        b'\xef\xbb\xbf[{"agent": "a", "spec": "C.default() | C.budget(900)"}]'
    )
    assert run("check", "agents.json").exit_code == 0, run("check", "agents.json").output


def test_a_place_is_named_once(folder):
    at = run("compile", "notes.jsonl", "--row", "0").exception.where
    assert at == "notes.jsonl line 1"


def test_a_model_that_is_not_known_is_said(folder):
    shown = run("compile", "own.json").output
    assert "'our-own' is not known; compiled for gpt-5" in shown
    assert "is not known" not in run("compile", "own.json", "--model", "gpt-4o").output


def test_a_wrong_agent_is_a_finding_with_its_fix(folder):
    done = run("check", "agents.json")
    assert done.exit_code == 3 and "did you mean window" in done.output


def test_every_exit_code_is_documented():
    def codes(kind):
        yield kind.exit_code
        for each in kind.__subclasses__():
            yield from codes(each)

    page = Path(__file__).parents[2] / "docs/how-to/command-line.md"
    listed = set(re.findall(r"^\| (\d+) \|", page.read_text(), re.MULTILINE))
    helped = set(re.findall(r"\d+", run("--help").output.partition("Exit codes")[2]))
    known = {str(code) for code in codes(ContextwrightError)}
    assert known <= listed and known <= helped


# the session's own model and format


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ({"model": "gpt-4o", "messages": MESSAGES}, "gpt-4o · openai-chat"),
        ({"model": "claude-opus-4-5", "max_tokens": 9, "system": "x", "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]}]},
         "claude-opus-4-5 · anthropic"),
        ({"model": "gpt-5", "instructions": "x", "input": [
            {"type": "message", "role": "user", "content": "hi"}]}, "gpt-5 · openai-responses"),
        ({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, "· gemini"),
        ({"model": "a-model-of-ours", "messages": MESSAGES}, "gpt-5 · openai-chat"),
        (MESSAGES, "gpt-5 · openai-chat"),
    ],
)  # fmt: skip
def test_model_and_format_are_the_sessions_own(tmp_path, body, shown):
    path = tmp_path / "body.json"
    path.write_text(json.dumps(body))
    assert shown in run("compile", path).output
    assert (
        "claude-sonnet-4-5 · anthropic"
        in run("compile", path, "--model", "claude-sonnet-4-5").output
    )


def test_a_session_may_come_through_a_pipe():
    done = CliRunner().invoke(ctx, ["compile", "-"], input=json.dumps(MESSAGES))
    assert done.exit_code == 0 and "openai-chat" in done.output


# what is shown


@pytest.fixture
def long_file(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    script = "u: go | " + " | ".join(
        f"c: read_the_file_with_a_long_name(f{n}) | r: " + f"line {n} of the file " * 60 + f" | u: q{n}"
        for n in range(30)
    )  # fmt: skip
    path = tmp_path / "long.jsonl"
    write_session(session_of(script), "contextwright", path)
    return path


@pytest.mark.parametrize("command", ["compile", "explain"])
def test_tables_fit_80_columns_and_begin_with_a_sum_by_reason(long_file, command):
    shown = run(command, long_file, "--spec", "C.default() | C.compact()").output
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) < 70
    summed = next(n for n, line in enumerate(lines) if "results compacted, " in line)
    assert summed < next(n for n, line in enumerate(lines) if "shortened and left out" in line)
    row = next(line for line in lines if "compacted" in line and "read_the_file" in line)
    assert '{"q"' in row
    assert "--top 0 lists all" in shown
    every = run(command, long_file, "--spec", "C.default() | C.compact()", "--top", "0").output
    assert len(every.splitlines()) > len(lines)


def test_show_prints_the_request_as_the_model_reads_it(long_file):
    shown = run("show", long_file, "--spec", "C.window(n=2) | C.compact()").output
    assert "── assistant calls read_the_file_with_a_long_name" in shown
    assert "── tool read_the_file_with_a_long_name" in shown and "[full output: " in shown
    whole = run("show", long_file, "--spec", "C.default()", "--whole").output
    assert len(whole) > 30 * 1000


@pytest.mark.parametrize(
    "format", ["openai-chat", "openai-responses", "anthropic", "gemini", "text"]
)
def test_show_reads_every_format_and_pack_files(long_file, tmp_path, format):
    pack = tmp_path / "pack.json"
    run("compile", long_file, "--to", format, "--budget", "3k", "--out", pack)
    shown = run("show-pack", pack).output
    assert "read_the_file_with_a_long_name" in shown


def test_show_never_prints_control_characters(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps([{"role": "user", "content": "\x1b[31mred\x07 [bold]x"}]))
    shown = run("show", path).output
    assert "\x1b[31m" not in shown and "\x07" not in shown and "[bold]x" in shown


def test_the_steps_have_every_word(long_file):
    spec = (
        "C.window(n=4) | C.compact() | C.priority(2) + C.notes('case') + C.write_notes('case')"
        " | C.redact(['email']) | C.budget(9000)"
    )
    shown = run("explain", long_file, "--spec", spec).output
    steps = shown.partition("in the request")[0].partition("steps")[2]
    for word in ("window", "compact", "priority", "notes(key", "write_notes", "redact", "budget"):
        assert word in steps, word
    assert "nothing was there" in steps and "writes around the turn" in steps


def test_what_is_added_up_adds_up_and_says_what_it_is(long_file):
    """Notes share one section: what each would take alone is more than the request."""
    session = session_of("s: be brief | u: hi | a: hello | u: more")
    session.note("case", [f"order {n} was shipped" for n in range(9)])
    write_session(session, path=long_file)
    shown = run("explain", long_file, "--spec", "C.default() + C.notes('case')").output
    rows = [line.strip("│ ").split("│") for line in shown.splitlines() if line.startswith("│")]
    layers = {row[0].strip(): row[-1] for row in rows if len(row) == 3}
    request = int(layers.pop("request").split(" of ")[0].replace(",", ""))
    parts = [
        int(layers[name].replace(",", ""))
        for name in layers
        if name in {"instruction, tools, overhead", "conversation", "memory"}
    ]
    assert min(parts) > 0 and sum(parts) == request
    assert "joined" not in layers


def test_a_note_on_the_past_and_an_estimate_are_told_in_words(long_file):
    shown = run("compile", long_file, "--spec", "C.compaction(3000)", "--to", "anthropic",
                "--model", "claude-sonnet-4-5").output  # fmt: skip
    assert "a note" in shown and "what was earlier, from e" in shown
    assert "o200k_base × " in shown and "o200k_base*" not in shown


def test_packs_without_their_session_are_told_apart_by_ids(long_file, tmp_path):
    packs = [tmp_path / "a.json", tmp_path / "b.json"]
    for pack, spec in zip(packs, ("C.window(n=3)", "C.window(n=4)"), strict=True):
        run("compile", long_file, "--spec", spec, "--out", pack)
    shown = run("diff", *packs).output
    assert "who" not in shown and "in the other" in shown
    assert max(map(len, shown.splitlines())) <= 80
