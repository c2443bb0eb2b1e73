"""A model with scripted answers: for tests."""

import asyncio
from collections.abc import Callable, Iterable

from contextwright.models.llm import Completion, ModelFault, Prompt

Line = str | Exception | Callable[[Prompt], str]


class ScriptedLLM:
    """Answers with its lines in turn, the last one again and again.

    Args:
        lines: texts; exceptions, which are raised; functions of the prompt.

    Attributes:
        prompts: what it was asked.
    """

    def __init__(
        self, lines: Iterable[Line] | Line, *, id: str = "scripted", delay_s: float = 0
    ) -> None:
        self.id = id
        self.prompts: list[Prompt] = []
        single = isinstance(lines, (str, Exception)) or callable(lines)
        self._lines: list[Line] = [lines] if single else list(lines)  # pyright: ignore
        self._delay_s = delay_s

    async def complete(self, prompt: Prompt) -> Completion:
        """The next line."""
        self.prompts.append(prompt)
        place = min(len(self.prompts), len(self._lines)) - 1
        if self._delay_s:
            await asyncio.sleep(self._delay_s)
        if place < 0:
            raise ModelFault("unavailable", "the script has no line")
        line = self._lines[place]
        if isinstance(line, Exception):
            raise line
        text = line if isinstance(line, str) else line(prompt)
        read = len(prompt.system) + len(prompt.text)
        return Completion(
            text=text, model=self.id, input_tokens=read // 4, output_tokens=len(text) // 4
        )
