"""What an agent thinks aloud between marks in its message, as open models write it where no parser
of a server takes it out: not what it says (docs/adr/0198-thinking-in-a-message-is-not-said.md)."""

import re
from collections.abc import Sequence

from contextwright.memo.ownership import cached_text
from contextwright.session.event import Text

_NAMES = "think|thinking|thought|thoughts|reasoning|scratchpad|seed:think|antThinking|reflection"
"""DeepSeek R1, Qwen 3, GLM, MiniMax, Kimi: `think`; Seed-OSS: `seed:think`; the others stand in
instructions that ask for thoughts."""
_OPENS = re.compile(rf"^[ \t]*(?:<(?:{_NAMES})>|\[THINK\]|\u25c1think\u25b7)", re.MULTILINE)
"""At the beginning of a line: within one they are spoken of. Magistral writes `[THINK]`, Kimi-VL
triangles."""
_END = rf"(?:</(?:{_NAMES})>|\[/THINK\]|\u25c1/think\u25b7)"
_ENDS = re.compile(_END)
_CLOSES = re.compile(rf"^[ \t]*{_END}|{_END}[ \t]*$", re.MULTILINE)
_MARK = re.compile(rf"[<\[\u25c1]/?(?:{_NAMES}|THINK)[>\]\u25b7]")
_ANSWER = re.compile(r"\s*<(answer|final_answer|response)>(.*)</\1>\s*", re.DOTALL)
"""What follows the thoughts, in marks of its own."""


def without_thinking(text: str) -> str:
    """What an agent says in a text: without its thoughts between marks, without those in front of a
    mark that only ends them (a chat template began them), and without marks around its answer."""
    return _said_in(text) if _is_marked(text) else text


def _is_marked(text: str) -> bool:
    # nearly no text has a mark, and most have not even its first sign
    return ("<" in text or "[" in text or "\u25c1" in text) and _MARK.search(text) is not None


@cached_text
def _said_in(text: str) -> str:
    spoken, at = list[str](), 0
    while opens := _OPENS.search(text, at):
        spoken.append(text[at : opens.start()])
        ends = _ENDS.search(text, opens.end())  # in whatever form: some models mix them
        if ends is None:  # cut off, if it began the message; else a mark that is shown
            at = len(text) if not "".join(spoken).strip() else opens.start()
            break
        at = ends.end()
    rest = text[at:]
    if not spoken:
        closes = _CLOSES.search(text)
        is_alone = closes is not None and text[: closes.start()][-1:] in {"", "\n"}
        if closes is None or not (is_alone or text[closes.end() :].strip()):
            return text  # behind words, with nothing behind it, a mark is spoken of
        rest = text[closes.end() :]
    words = "".join((*spoken, rest)).strip()
    answer = _ANSWER.fullmatch(words)
    return answer[2].strip() if answer else words


def agent_words(parts: Sequence[object]) -> str:
    """What an agent says in the parts of a message: a line for each text, without its thoughts."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    if not any(map(_is_marked, texts)):
        return "\n".join(texts)
    return "\n".join(filter(None, map(without_thinking, texts)))
