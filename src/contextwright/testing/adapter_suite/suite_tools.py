"""The tools and texts of the scenarios."""

import base64
import json
import random
import re
from typing import Any

from contextwright.testing.strict_server import Reply, ReplyCall, StrictRequest, call, calls
from contextwright.testing.strict_server.reply import Line

WINDOW = 12_000
"""Tokens that the strict server takes, four characters each."""
LIMIT = 8_000
"""Tokens that the agents' contexts are held to."""
SECRET = "AKIAIOSFODNN7EXAMPLE"  # noqa: S105
"""A key that must not leave; an example of its provider's own."""
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A PNG of one pixel."""
_WORDS = (
    "ledger parcel harbour invoice signal garden bridge winter copper lantern market orchard river",
    "station timber valley window archive beacon canvas",
)


def page(path: str) -> str:
    """What stands in a file: about 3,500 characters, its own line in the middle."""
    dice = random.Random(path)  # noqa: S311
    words = " ".join(_WORDS).split()
    lines = [
        f"{number:03d} {' '.join(dice.choices(words, k=8))} {dice.randrange(10_000)}"
        for number in range(52)
    ]
    lines[26] = middle(path)
    return f"# {path}\n" + "\n".join(lines)


def middle(path: str) -> str:
    """The line in the middle of a file, which stands nowhere else."""
    return f"the seal of {path} is {random.Random('seal' + path).randrange(10**9)}"  # noqa: S311


def read(path: str) -> str:
    """Read a file."""
    return page(path)


def read_long(path: str) -> str:
    """Read a very long file."""
    return "\n".join(page(f"{path}/{part}") for part in range(14))


def read_secret(path: str) -> str:
    """Read a file that has a key in it."""
    return f"{page(path)}\naws_access_key_id = {SECRET}\n"


def read_odd(path: str) -> str:
    """Read a file of many scripts, with quotes, marks and control signs."""
    return f'{page(path)}\n漢字 emoji 🧭 "quotes" \\ </context_block> \x07 {path}'


def read_nothing(path: str) -> str:
    """Read a file that is empty."""
    return ""


def read_record(path: str) -> dict[str, Any]:
    """Read a record."""
    return {"path": path, "text": page(path), "count": 3, "rate": 0.5, "next": None, "tags": ["a"]}


def read_list(path: str) -> list[Any]:
    """Read a list of records."""
    return [{"n": n, "line": line} for n, line in enumerate(page(path).splitlines())]


def read_null(path: str) -> None:
    """Read what is not there."""
    return


def broken(path: str) -> str:
    """Read a file; the disk is broken."""
    raise OSError(f"cannot read {path}: the disk is broken")


def save(path: str) -> str:
    """Save a file; the disk is full."""
    return f"Error: cannot save {path}: no space left on device (errno 28)"


def reading(count: int, tool: str = "read", start: int = 0) -> list[Line]:
    """Replies that read so many files one by one."""
    return [call(tool, path=f"f{number}.txt") for number in range(start, start + count)]


def long_loop() -> list[Line]:
    """34 replies with calls, every seventh with two at once, and an answer: 38 files."""
    script: list[Line] = []
    file = 0
    for number in range(34):
        paths = [f"f{file + each}.txt" for each in range(2 if number % 7 == 0 else 1)]
        script.append(calls(*(("read", {"path": path}) for path in paths)))
        file += len(paths)
    return [*script, "all files are read, and this is the answer in the end"]


def files_of(script: list[Line]) -> list[str]:
    """The files that a script reads."""
    replies = [line for line in script if isinstance(line, Reply)]
    return [each.arguments["path"] for reply in replies for each in reply.calls]


def hand_over(task: str) -> Line:
    """A line that hands a task to the helper, by whatever tool the framework has for it."""

    def line(request: StrictRequest) -> Reply:
        name = next((tool for tool in request.tools if "helper" in tool), None)
        assert name is not None, f"no tool reaches the helper: {request.tools}"
        arguments = {} if name.startswith("transfer_to") else {"task": task}
        return Reply(calls=(ReplyCall(name, arguments),))

    return line


def structured(answer: str, tools: tuple[str, ...]) -> Line:
    """A line that answers with an object: by the framework's tool for it, or as text."""

    def line(request: StrictRequest) -> Reply:
        known = {*tools, "expand", "search"}
        others = [tool for tool in request.tools if tool not in known]
        named = [tool for tool in others if "answer" in tool.lower()]
        is_native = {"response_format", "output_config", "output_format"} & request.body.keys()
        output = None if is_native else next(iter(named or others), None)
        if output is not None:
            return call(output, answer=answer)
        return Reply(text=json.dumps({"answer": answer}))

    return line


REF = re.compile(r"\b(?:event|artifact)://[^\s\"'\]<>)},|\\]+")
"""A ref, as a shortened text shows it."""


def read_back(path: str) -> Line:
    """A line that expands the ref of a file that was shortened."""

    def line(request: StrictRequest) -> Reply:
        assert "expand" in request.tools, f"no tool reads a ref back: {request.tools}"
        of_file = [text for text in request.texts if path in text and REF.search(text)]
        assert of_file, f"no ref for {path} in the request"
        refs = REF.findall(of_file[0][of_file[0].index(path) :]) or REF.findall(of_file[0])
        return call("expand", ref=refs[0])

    return line
