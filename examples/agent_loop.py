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
    Tool(
        name="expand",
        description="Read what a ref such as event://e2#0 names, whole.",
        parameters={"type": "object", "properties": {"ref": {"type": "string"}}},
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
    yield "expand", {"ref": "event://e1#0"}
    yield "Order NW-3 was 23 EUR."


def main() -> None:
    """Two turns; in the second one the agent looks up what was compacted."""
    engine = Engine(SPEC, model="gpt-5", tools=TOOLS)
    session = Session("shop", state={"goal": "answer questions about orders"})
    model = scripted_model()
    for question in ("What did I order?", "And what did NW-3 cost?"):
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
            result = (
                list_orders(**given) if name == "list_orders" else engine.expand(session, **given)
            )
            session.result(call.id, result, name=name)
            print(f"tool {name}: {len(result)} characters")


if __name__ == "__main__":
    main()
