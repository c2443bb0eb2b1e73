"""What a model still sees, as an inspect_ai evaluation that needs no key:

python examples/inspect_ai_eval.py

An agent reads a log, a line a call, and is asked which code one of the lines had. The model is a
script that reads: it gives the code where its request shows it, and `?` where it does not. So the
accuracy is that of the request: no model can answer out of what it is not shown.
"""

import re
import tempfile

from inspect_ai import Task
from inspect_ai import eval as run
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    CompactionEdit,
    CompactionStrategy,
    CompactionTrim,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import includes
from inspect_ai.tool import Tool, ToolChoice, ToolInfo, tool

from contextwright import C
from contextwright.adapters.inspect_ai import ContextCompaction
from contextwright.tokens.counter import named_counter

LINES, THRESHOLD = 18, 2_500
MODEL = "mockllm/model"
count = named_counter("o200k_base").count


def ways() -> dict[str, CompactionStrategy | None]:
    """What is held against one another."""
    ours = ContextCompaction(C.compaction(THRESHOLD), threshold=THRESHOLD, model="gpt-5")
    return {
        "full history": None,
        "CompactionTrim": CompactionTrim(threshold=THRESHOLD),
        "CompactionEdit": CompactionEdit(threshold=THRESHOLD),
        "ContextCompaction": ours,
    }


def code(number: int) -> str:
    """The code of a line."""
    return f"KX-{7919 * (number + 1) % 9973:04}"


@tool
def line() -> Tool:
    """The log."""

    async def execute(number: int) -> str:
        """A line of the log.

        Args:
            number: which one.
        """
        trace = "retried, nothing new; " * 40
        return f'{{"next": {number + 1}, "code": "{code(number)}", "trace": "{trace}"}}'

    return execute


def text_of(message: ChatMessage) -> str:
    """All that a model reads in a message."""
    calls = getattr(message, "tool_calls", None) or ()
    return "\n".join([message.text, *(f"{call.function} {call.arguments}" for call in calls)])


def read(
    messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
) -> ModelOutput:
    """The model: the next line while there is one, then an answer out of what it is shown."""
    shown = "\n".join(map(text_of, messages))
    newest = re.search(r'"next":\s*(\d+)', messages[-1].text)
    number = int(newest[1]) if newest else 0
    if number < LINES:
        output = ModelOutput.for_tool_call(MODEL, "line", {"number": number})
    else:
        asked = re.search(r"code has line (\d+)", shown)
        known = asked is not None and code(int(asked[1])) in shown
        answer = code(int(asked[1])) if asked and known else "?"
        output = ModelOutput.for_tool_call(MODEL, "submit", {"answer": answer})
    size = count(shown)
    output.usage = ModelUsage(input_tokens=size, total_tokens=size)
    return output


async def counted(text: str) -> int:
    """The framework's own counter fetches a vocabulary."""
    return count(text)


def evaluated(compaction: CompactionStrategy | None) -> tuple[float, int]:
    """Accuracy, and the tokens of all requests."""
    lines = range(0, LINES, 3)
    task = Task(
        dataset=[
            Sample(input=f"Read all {LINES} lines. Which code has line {n}?", target=code(n))
            for n in lines
        ],
        solver=react(tools=[line()], compaction=compaction),
        scorer=includes(),
    )
    model = get_model(MODEL, custom_outputs=read, memoize=False)
    model.api.count_text_tokens = counted
    with tempfile.TemporaryDirectory() as folder:
        (log,) = run(task, model=model, log_dir=folder, display="none")
    if log.status != "success" or log.results is None:
        raise RuntimeError(log.error)
    accuracy = log.results.scores[0].metrics["accuracy"].value
    return float(accuracy), log.stats.model_usage[MODEL].input_tokens


def main() -> None:
    """A line for each way."""
    print(f"{'':20}  accuracy  tokens sent")
    for name, compaction in ways().items():
        accuracy, sent = evaluated(compaction)
        print(f"{name:20}  {accuracy:8.3f}  {sent:11,}")


if __name__ == "__main__":
    main()
