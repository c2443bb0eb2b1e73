"""Write docs/llms.txt (llmstxt.org): every page with its title and first sentence, for a model that
looks something up.

    python scripts/llms_txt.py
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SECTIONS = {
    "Tutorial": "tutorial",
    "How-to": "how-to",
    "Reference": "reference",
    "Explanation": "explanation",
}
HEAD = """# contextwright

> The compiler for LLM context: from an agent's session and a spec to the smallest valid request for
> OpenAI Chat, OpenAI Responses, Anthropic or Gemini, within a budget, cheap for the prompt cache,
> with a manifest of what was left out.

    from contextwright import C, Context, compile, read_session

    compile(read_session(path), C.compaction(8000), model="gpt-5").request
    messages = Context(C.compaction(8000), model="gpt-5")(messages)  # in a loop
"""


def llms_txt() -> str:
    """The text of the file."""
    lines = [HEAD]
    for title, folder in SECTIONS.items():
        lines.append(f"## {title}\n")
        lines += map(_line, sorted((DOCS / folder).rglob("*.md")))
        lines.append("")
    return "\n".join(lines)


def _line(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    title = heading[1].strip() if heading else path.stem
    rest = text[heading.end() :] if heading else text
    first = next((part for part in rest.split("\n\n") if re.match(r"\s*[A-Z`]", part)), "")
    sentence = re.match(r".*?[.:](?=\s|$)", " ".join(first.split()))
    shown = f": {sentence[0].rstrip(':.')}" if sentence else ""
    return f"- [{title}]({path.relative_to(DOCS).with_suffix('.html')}){shown}"


if __name__ == "__main__":
    (DOCS / "llms.txt").write_text(llms_txt())
