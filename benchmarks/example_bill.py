"""`python -m benchmarks.example_bill`: the bill of the example session, sent call by call, into the
README. `tests/docs/test_example_bill.py` holds it to it.
"""

from pathlib import Path

from contextwright import target
from contextwright.cli.example_session import example_session
from contextwright.inspect.page_data import page_data
from contextwright.words import parse

README = Path(__file__).parents[1] / "README.md"
MODEL = "claude-sonnet-4-5"
SPECS = ("C.compaction(8000)", "C.window(n=4) | C.compact() | C.budget(8000)")
START, END = "<!-- example-bill -->", "<!-- /example-bill -->"


def bill() -> list[str]:
    """The lines of the table: sending everything, and each spec."""
    session = example_session()
    given = target(MODEL, tools=session.tools)
    data = page_data(session, [(text, parse(text)) for text in SPECS], given, "example")
    whole = data["everything"]
    calls = len(whole["tokens"])
    lines = [
        f"| {calls} calls of the example session, {MODEL} | largest request | tokens sent | cost |",
        "| --- | ---: | ---: | ---: |",
        _row("everything, as most loops do", whole["tokens"], whole["cost"]),
    ]
    for series in data["series"]:
        shown = series["spec"].replace("|", "\\|")
        lines.append(_row(f"`{shown}`", series["tokens"], series["cost"]))
    return lines


def _row(name: str, tokens: list[int], cost: list[int]) -> str:
    return f"| {name} | {max(tokens):,} | {sum(tokens):,} | ${sum(cost) / 1e6:.2f} |"


def main() -> None:
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(START)
    _, after = rest.split(END)
    shown = "\n".join(["", *bill(), ""])
    README.write_text(before + START + shown + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
