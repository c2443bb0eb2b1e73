"""An agent's loop with contextwright in it. The model is a script, so that this runs anywhere:

python examples/agent_loop.py
"""

import json
from collections.abc import Iterator
from typing import Any

from contextwright import C, Engine, Session
from contextwright.session import Tool, ToolCall

TOOLS = (
    Tool(
        name="list_orders",
        description="All orders of a customer.",
        parameters={"type": "object", "properties": {"customer": {"type": "string"}}},
    ),
)

SPEC = (
    C.from_state("goal") | C.priority(tier=1)
    + C.window(n=8) | C.compact() | C.priority(tier=2)
    | C.redact(["email"])
    | C.budget(max_tokens=2_000, overflow="truncate_lowest_priority")
)  # fmt: skip


def list_orders(customer: str) -> str:
    """A large tool result."""
    rows = [
        {"order": f"NW-{n}", "eur": 20 + n, "mail": f"{customer}{n}@example.com"} for n in range(60)
    ]
    return json.dumps(rows)


def scripted_model() -> Iterator[tuple[str, dict[str, Any]] | str]:
    """What the model does, call by call: a tool with arguments, or an answer."""
    yield "list_orders", {"customer": "ada"}
    yield "You have 60 orders; the newest is NW-59."
    yield "expand", {"ref": "event://e1#0", "grep": "NW-33"}
    yield "Order NW-33 was 53 EUR."


def main() -> None:
    """Two turns; in the second one the agent looks up what was compacted."""
    engine = Engine(SPEC, model="gpt-5", tools=TOOLS, read_back=True)
    session = Session("shop", state={"goal": "answer questions about orders"})
    read_back = engine.tools(session)
    model = scripted_model()
    for question in ("What did I order?", "And what did NW-33 cost?"):
        session.user(question)
        while True:
            pack = engine.compile(session)
            prefix = pack.manifest.prefix.tokens if pack.manifest.prefix else 0
            print(f"{pack.tokens:5} tokens sent, {prefix:5} of them as before")
            step = next(model)  # client.chat.completions.create(**pack.request)
            if isinstance(step, str):
                session.assistant(step)
                engine.record(session)
                print("agent:", step)
                break
            name, given = step
            call = ToolCall(id=f"call{len(session)}", name=name, arguments=json.dumps(given))
            session.assistant(call)
            own = not read_back.handles(name)
            result = list_orders(**given) if own else read_back.call(name, given)
            session.result(call.id, result, name=name)
            print(f"tool {name}: {len(result)} characters")


if __name__ == "__main__":
    main()
