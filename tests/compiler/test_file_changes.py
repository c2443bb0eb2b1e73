"""What a note tells of a file is what the file holds, by whatever tools it was read and changed."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.steps.file_states import file_states
from contextwright.compiler.steps.shell_files import shell_changes
from contextwright.session.event import Text, ToolCall

PATHS = ("src/a.py", "src/b.ts", "doc/c.md")


class Disk:
    """Files, and a session of an agent that works on them."""

    def __init__(self):
        self.session, self.files, self.fresh = Session("s"), {}, 0
        self.session.user("Work on it.")

    def call(self, name, result, **arguments):
        id = f"c{self.session.snapshot().position}"
        self.session.call(name, json.dumps(arguments), id=id)
        self.session.result(id, result)

    def line(self):
        self.fresh += 1
        return f"line {self.fresh} = {self.fresh * 7}"

    def states(self):
        blocks = [block_of(exchange) for exchange in self.session.snapshot().exchanges()]
        return {state.path: state for state in file_states(blocks, len(blocks))}


def numbered(lines, first=1):
    return "\n".join(f"{n:6}\t{line}" for n, line in enumerate(lines, first))


def act(disk, kind, path, n):
    """One call of an agent, as one of many tools has it; and what it does to the file."""
    lines = disk.files.get(path)
    name, at = path.rpartition("/")[2], 0 if not lines else n % len(lines)
    if lines is None or kind == "write":
        disk.files[path] = lines = [disk.line() for _ in range(3 + n % 20)]
        text = "\n".join(lines)
        shapes = (
            ("write_file", {"path": path, "content": text}),
            ("str_replace_editor", {"command": "create", "path": path, "file_text": text}),
            ("Write", {"file_path": path, "content": text}),
            ("bash", {"command": f"cat > {path} <<'EOF'\n{text}\nEOF"}),
            ("apply_patch", {"input": patch(f"Add File: {path}", [f"+{one}" for one in lines])}),
        )
        tool, arguments = shapes[n % len(shapes)]
        disk.call(tool, "written", **arguments)
    elif kind == "read":
        text = "\n".join(lines)
        part = lines[at : at + 8]
        span = f"{at + 1},{at + len(part)}"
        shapes = (
            ("read_file", text, {"path": path}),
            ("str_replace_editor", numbered(lines), {"command": "view", "path": path}),
            ("bash", text, {"command": f"cat {path}"}),
            ("shell", text, {"command": ["bash", "-lc", f"cat {path}"]}),
            ("bash", numbered(part, at + 1), {"command": f"sed -n '{span}p' {path}"}),
            ("read", "\n".join(part), {"path": path, "offset": at + 1, "limit": 8}),
        )
        tool, result, arguments = shapes[n % len(shapes)]
        disk.call(tool, result, **arguments)
    elif kind == "edit":
        old, new = lines[at], [disk.line() for _ in range(n % 3)]
        text = "\n".join(new)
        hunk = [*(f" {one}" for one in lines[max(0, at - 1) : at]), f"-{old}"]
        shapes = (
            ("edit", {"path": path, "oldText": old, "newText": text}),
            ("Edit", {"file_path": path, "old_string": old, "new_string": text}),
            ("apply_patch", {"input": patch(f"Update File: {path}", hunk + [f"+{one}" for one in new])}),
            ("edit_lines", {"path": path, "start_line": at + 1, "end_line": at + 1, "content": text}),
        )  # fmt: skip
        tool, arguments = shapes[n % len(shapes)]
        if text:
            disk.files[path] = [*lines[:at], *new, *lines[at + 1 :]]
            disk.call(tool, "edited", **arguments)
    elif kind == "insert":
        new = [disk.line() for _ in range(1 + n % 2)]
        disk.files[path] = [*lines[:at], *new, *lines[at:]]
        arguments = {"command": "insert", "path": path, "insert_line": at}
        disk.call("str_replace_editor", "edited", **arguments, new_str="\n".join(new))
    elif kind == "everywhere" and any(" = " in one for one in lines):
        disk.files[path] = [one.replace(" = ", " == ") for one in lines]
        arguments = {"old_string": " = ", "new_string": " == ", "replace_all": True}
        disk.call("Edit", "edited", file_path=path, **arguments)
    elif kind == "delete":
        del disk.files[path]
        shapes = (
            ("bash", {"command": f"rm -f {path}"}),
            ("delete_file", {"target_file": path}),
            ("apply_patch", {"input": patch(f"Delete File: {path}", [])}),
        )
        tool, arguments = shapes[n % len(shapes)]
        disk.call(tool, "deleted", **arguments)
    elif kind == "move":
        new = f"src/moved{disk.fresh}_{name}"
        disk.files[new] = disk.files.pop(path)
        shapes = (
            ("bash", {"command": f"git mv {path} {new}"}),
            ("move_file", {"source": path, "destination": new}),
            ("apply_patch", {"input": patch(f"Update File: {path}", [f"*** Move to: {new}"])}),
        )
        tool, arguments = shapes[n % len(shapes)]
        disk.call(tool, "moved", **arguments)
    elif kind == "unseen":
        disk.files[path] = [one.replace("line", "row") for one in lines]
        disk.call("bash", "", command=f"cd . && sed -i 's/line/row/' {path} && echo done")


def patch(head, lines):
    return "\n".join(["*** Begin Patch", f"*** {head}", *lines, "*** End Patch"])


KINDS = (
    "write",
    "read",
    "read",
    "edit",
    "edit",
    "insert",
    "everywhere",
    "delete",
    "move",
    "unseen",
)
STEPS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from(PATHS), st.integers(0, 60)), max_size=25
)


@settings(deadline=None, max_examples=300)
@given(STEPS)
def test_what_is_told_of_a_file_is_what_it_holds(steps):
    disk, known = Disk(), set()
    for kind, path, n in steps:
        is_new = path not in disk.files
        act(disk, kind, path, n)
        if kind == "write" or is_new:
            known.add(path)
        elif kind in {"unseen", "delete"}:
            known.discard(path)
        elif kind == "move":
            known |= set(list(disk.files)[-1:]) if path in known else set()
            known.discard(path)
    states = disk.states()
    for path, state in states.items():
        assert path in disk.files, f"{path} is not there any more"
        assert not state.whole or text_of(state) == "\n".join(disk.files[path])
    for path in known:
        assert states[path].whole or not disk.files[path]


def text_of(state):
    return "\n".join(line.text for part in state.parts for line in part)


def test_an_edit_beside_a_call_that_fails_is_known():
    session = Session("s")
    session.user("go")
    session.call("write_file", json.dumps({"path": "a.py", "content": "x = 1\ny = 2"}), id="w")
    session.result("w", "ok")
    session.assistant(
        Text(text="Both."),
        ToolCall(id="e", name="edit", arguments='{"path":"a.py","old_str":"x = 1","new_str":"x = 3"}'),
        ToolCall(id="t", name="bash", arguments='{"command":"pytest"}'),
    )  # fmt: skip
    session.result("e", "ok")
    session.result("t", "1 failed", error=True)
    blocks = [block_of(exchange) for exchange in session.snapshot().exchanges()]
    (state,) = file_states(blocks, len(blocks))
    assert "\n".join(line.text for line in state.parts[0]) == "x = 3\ny = 2"


def test_what_a_command_writes_first_is_known():
    wrote, removed = shell_changes("cd x && cat > a.py <<'E'\n$x\nE\nrm b.py")
    assert (wrote.path, wrote.kind, wrote.new) == ("a.py", "write", "$x")
    assert (removed.path, removed.kind) == ("b.py", "remove")
    assert [one.kind for one in shell_changes("cat > a.py <<E\n$x\nE")] == ["lost"]


@pytest.mark.parametrize(
    "command",
    ["sed -i 's/1/2/' a.py", "echo x >> a.py", "git checkout -- a.py", "rm a.py", "rm a.py && ls"],
)
def test_a_note_does_not_tell_a_file_that_a_command_changed(command):
    disk = Disk()
    disk.call("write_file", "ok", path="a.py", content="\n".join(map(str, range(99))))
    disk.call("bash", "", command=command)
    assert disk.states() == {}


def test_a_patch_of_several_files_is_told_in_a_note():
    disk = Disk()
    parts = [
        line
        for name in "ab"
        for line in (f"*** Add File: {name}.py", *(f"+{name} = {n}" for n in range(40)))
    ]
    text = "\n".join(["*** Begin Patch", *parts, "*** End Patch"])
    disk.call("apply_patch", "ok", input=text)
    for n in range(40):
        disk.call("bash", f"run {n}: " + "all of it passed, once more. " * 30, command=f"t{n}")
    body = compile(disk.session, C.compaction(6_000), model="gpt-5").body.decode()
    for name in "ab":
        assert f"[{name}.py as it is by now]" in body
        assert f"{name} = 38\\n{name} = 39" in body


def test_a_long_command_is_read_in_one_go():
    for text in ("cat " + "a" * 200_000, "cat > a <<E\nE\n" * 20_000, "> " * 100_000):
        assert len(list(shell_changes(text))) <= 32
