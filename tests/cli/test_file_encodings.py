"""Every file that a command reads, as Windows' programs write it: UTF-8 with a mark, and UTF-16 with
one as PowerShell's `>` does, lines ended by CRLF. What is printed as JSON is UTF-8 on every console."""

import json
import os
import subprocess
import sys

import pytest
from tests.cli.commands import ended
from tests.sweep.test_run_sweep import conversation

from contextwright import C
from contextwright.formats import write_session
from contextwright.spec.codec import to_json

pytest.importorskip("pyarrow")

MESSAGES = [
    {"role": role, "content": f"hé → 日本 🙂 {n}"}
    for n in range(6)
    for role in ("user", "assistant")
]
BODY = {"model": "gpt-5", "messages": MESSAGES}


@pytest.fixture(params=["utf-8-sig", "utf-16"])
def rewritten(request, tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text.replace("\n", "\r\n").encode(request.param))
        return path

    return write


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "plain.json"
    path.write_text(json.dumps(BODY, ensure_ascii=False), encoding="utf-8")
    return path


def done(capsys, *arguments):
    code, out, err = ended(capsys, *arguments)
    assert code == 0, (arguments, err)
    return out


def test_sessions(rewritten, session, capsys):
    plain = done(capsys, "compile", session, "--json")
    text = json.dumps(BODY, ensure_ascii=False, indent=1)
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in MESSAGES)
    request = json.loads(plain)["request"]
    for path in (rewritten("s.json", text), rewritten("s.jsonl", lines)):
        made = json.loads(done(capsys, "compile", path, "--model", "gpt-5", "--json"))
        assert made["request"] == request


def test_a_session_a_line(rewritten, tmp_path, capsys):
    lines = "".join(
        json.dumps({**BODY, "user": str(n)}, ensure_ascii=False) + "\n" for n in range(3)
    )
    out = tmp_path / "rows.parquet"
    done(capsys, "sweep", rewritten("many.jsonl", lines), "-o", out, "--workers", "1", "--json")
    done(capsys, "compile", rewritten("many.jsonl", lines), "--row", "2")


def test_specs_packs_and_pipelines(rewritten, session, tmp_path, capsys):
    spec = rewritten("spec.json", to_json(C.window(n=2)).decode())
    pack = tmp_path / "pack.json"
    done(capsys, "compile", session, "--spec", spec, "--out", pack)
    moved = rewritten("moved.json", pack.read_text(encoding="utf-8"))
    assert "the same" in done(capsys, "replay", moved, session)
    done(capsys, "check", spec)
    done(capsys, "check", rewritten("agents.json", '[{"agent": "a", "spec": "C.window(n=5)"}]\n'))


def test_a_tuned_spec(rewritten, tmp_path, capsys):
    from contextwright.tune.tuned import read_tuned

    pytest.importorskip("optuna")
    tuned, sessions = tmp_path / "tuned.json", tmp_path / "sessions"
    sessions.mkdir()
    for number in range(2):
        write_session(conversation(number, turns=2), path=sessions / f"{number}.json")
    options = ("--budget", "1500", "--trials", "1", "--workers", "1", "-o", tuned, "--json")
    printed = done(capsys, "tune", sessions, *options)
    assert printed == tuned.read_text(encoding="utf-8")
    assert read_tuned(rewritten("moved.json", printed)) == read_tuned(tuned)


@pytest.mark.parametrize(
    "names", [("convert", "--json"), ("convert", "--to", "anthropic"), ("show", "--json")]
)
def test_json_is_utf_8_whatever_the_console_takes(names, session, tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    first, *rest = names
    out = ("--out", tmp_path / "é 🙂.json") if rest == ["--json"] and first == "convert" else ()
    command = [sys.executable, "-m", "contextwright.cli", first, session, *rest, *out]
    ran = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert json.loads(ran.stdout.decode("utf-8"))
