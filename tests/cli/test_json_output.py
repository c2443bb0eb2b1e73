"""`--json` of the commands that show, rebuild and demonstrate."""

import json

import pytest
from tests.cli.commands import ended

LONG = "word " * 2000
BODY = {
    "model": "gpt-5",
    "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": LONG}],
}


@pytest.fixture
def files(tmp_path, capsys):
    session, pack = tmp_path / "session.json", tmp_path / "pack.json"
    session.write_text(json.dumps(BODY))
    assert ended(capsys, "compile", session, "--out", pack)[0] == 0
    return session, pack


def printed(capsys, *arguments):
    code, out, err = ended(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_show_prints_all_messages_whole(files, capsys):
    session, pack = files
    shown = printed(capsys, "show", session)
    assert [part["who"] for part in shown["parts"]] == ["system", "user"]
    assert shown["parts"][1]["text"] == LONG and shown["model"] == "gpt-5"
    of_file = printed(capsys, "show-pack", pack)
    assert of_file["tokens"] == shown["tokens"] and of_file["parts"][1]["text"] == LONG


@pytest.mark.parametrize("option", ["--whole", "--pager"])
def test_what_is_for_people_is_refused_beside_it(option, files, capsys):
    for arguments in (("show", files[0]), ("show-pack", files[1])):
        code, _, err = ended(capsys, *arguments, "--json", option)
        assert code == 2 and option in err


def test_replay_prints_size_and_digest(files, capsys):
    session, pack = files
    stored = json.loads(pack.read_text())
    again = printed(capsys, "replay", pack, session)
    assert again["checksum"] == stored["manifest"]["checksum"] and again["bytes"] > len(LONG)


def test_demo_prints_what_each_spec_took(capsys):
    bills = printed(capsys, "demo")
    assert [bill["name"] for bill in bills] == ["everything", "compacted", "tiers"]
    assert all(len(bill["tokens"]) > 1 and bill["sent"] for bill in bills)


def test_one_of_anything_is_in_the_singular():
    from contextwright.cli.tables import count_of

    assert [count_of(n, "call") for n in (0, 1, 2000)] == ["0 calls", "1 call", "2,000 calls"]


def test_try_prints_what_its_tables_say(files, tmp_path, capsys):
    session, page = files[0], tmp_path / "page.html"
    code, out, err = ended(capsys, "try", session, "--budget", "8k", "--json", "-o", page)
    assert code == 0 and "page.html" in err and page.exists()
    shown = json.loads(out)
    (one,) = shown["sessions"]
    assert shown["spec"] == "C.compaction(max_tokens=8000)" and shown["unread"] == []
    assert {"ours", "unseen", "gaps", "trail", "model"} <= set(one) and LONG not in out


def test_a_value_that_try_does_not_find_in_sight_is_redacted_in_its_json(tmp_path, capsys):
    path = tmp_path / "s.json"
    messages = [{"role": "user", "content": "the order is ORD-99812-X, of kim.lee@example.com"}]
    for n in range(12):
        messages += [
            {"role": "assistant", "content": f"{n}. " + "word " * 300},
            {"role": "user", "content": f"go on {n}"},
        ]
    arguments = json.dumps({"order": "ORD-99812-X", "to": "kim.lee@example.com"})
    call = {"id": "a", "type": "function", "function": {"name": "send", "arguments": arguments}}
    messages += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "sent"},
        {"role": "user", "content": "thanks"},
    ]
    path.write_text(json.dumps({"model": "gpt-5", "messages": messages}))
    shown = printed(capsys, "try", path, "--spec", "C.window(n=2) | C.redact('email')")
    (one,) = shown["sessions"]
    assert [value["value"] for value in one["unseen"]] == ["[REDACTED]"]
    assert "kim.lee" not in json.dumps(shown)
