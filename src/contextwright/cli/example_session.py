"""The example: a long, messy day of a support agent at a shop for cargo bikes.

Written for this project. Large tool outputs, parallel calls, retries, failures, an interrupted
call, pictures, notes: what real sessions are made of.
"""

import json
from typing import Any

from contextwright.session.event import Image, Text, Tool, ToolCall
from contextwright.session.session import Session

INSTRUCTION = """You are the support agent of Nordwind Cargo Bikes.
Help customers with orders, repairs and invoices. Look things up before you answer; never guess an
order number, a price or a date. Ask before you change an order. Refunds above 200 EUR need a
supervisor. Write short, friendly answers in the customer's language."""

_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)
_PARTS = ("battery", "display", "motor", "rear light", "brake lever", "charger", "fork", "saddle")
_CITIES = ("Kiel", "Aarhus", "Groningen", "Lübeck", "Malmö", "Bremen", "Odense", "Utrecht")

_STORY = (
    ("My cargo bike NW-4417 shows error E-17 and stops. What is going on?", "E-17", "battery"),
    ("Here is a photo of the display. Is that the same error?", "display", "display"),
    ("The shop in Kiel said the battery was recalled. Is mine?", "recall", "battery"),
    ("OK. When could it be exchanged, and what would it cost me?", "exchange", "charger"),
    ("Please book the earliest slot in Kiel.", "booking", "battery"),
    ("Different thing: my invoice 2026-0931 shows the trailer twice.", "invoice", "trailer"),
    ("I paid on 3 October with card, and 189.00 EUR is too much.", "payment", "trailer"),
    ("Can you refund the second trailer?", "refund", "trailer"),
    ("While we are at it: is there a software update for the motor?", "firmware", "motor"),
    ("Does the update change the range in winter?", "range", "motor"),
    ("And the rear light flickers since the last rain.", "rear light", "rear light"),
    ("Could that be covered by the warranty?", "warranty", "rear light"),
    ("Fine. Please summarize everything that is booked for my bike.", "summary", "battery"),
    ("One more: what was the exact part number of the new battery?", "part number", "battery"),
)


def example_session() -> Session:
    """The session, the same every time."""
    session = Session(
        "nordwind-support",
        state={
            "goal": "Get bike NW-4417 running again and settle invoice 2026-0931",
            "user:language": "English",
        },
        tools=_tools(),
    )
    session.add("system", INSTRUCTION)
    for turn, (question, topic, part) in enumerate(_STORY):
        _turn(session, turn, question, topic, part)
    return session


def _turn(session: Session, turn: int, question: str, topic: str, part: str) -> None:
    if turn == 1:
        photo = Image(media_type="image/png", data=_PIXEL, width=1024, height=768)
        session.user(Text(text=question), photo)
    else:
        session.user(question)
    _search(session, turn, topic)
    _pages(session, turn, topic)
    if turn % 3 == 0:
        _parallel(session, turn, part)
    if turn % 4 == 1:
        _retry(session, turn)
    if turn == 9:
        session.call("run_diagnostics", '{"bike": "NW-4417"}', id="t9-diagnostics")
        session.user("Sorry, wrong button. Please go on without the diagnostics.")
    _orders(session, turn)
    session.assistant(_answer(turn, topic, part))
    notes = [
        *session.state.get("_notes_case", []),
        f"turn {turn + 1}: {_answer(turn, topic, part)}",
    ]
    session.note("case", notes)


def _call(session: Session, id: str, name: str, arguments: dict[str, Any], result: Any) -> None:
    session.assistant(
        ToolCall(id=id, name=name, arguments=json.dumps(arguments, ensure_ascii=False))
    )
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    session.result(id, text, name=name)


def _search(session: Session, turn: int, topic: str) -> None:
    hits = [
        {
            "id": f"KB-{1000 + 37 * turn + place}",
            "title": f"{topic.title()}: what to check first ({_CITIES[place]})",
            "score": 97 - 5 * place,
            "snippet": " ".join(
                f"Step {step}: unplug the {_PARTS[(place + step) % 8]}, wait {10 + step} seconds, "
                f"plug it in again and read the code on the display."
                for step in range(1, 9)
            ),
        }
        for place in range(8)
    ]
    _call(session, f"t{turn}-search", "search_articles", {"query": topic}, {"results": hits})


def _pages(session: Session, turn: int, topic: str) -> None:
    for page in range(2):
        number = 1000 + 37 * turn + page
        body = "\n\n".join(
            f"## {section}. {topic.title()} and the {_PARTS[(section + page) % 8]}\n"
            + " ".join(
                f"Firmware {section}.{line} of 2026-{1 + (section + line) % 12:02d}-"
                f"{1 + (line * 3) % 27:02d} reports {topic} as code E-{10 + (line + turn) % 20} when "
                f"the {_PARTS[line % 8]} draws more than {4 + line}.{section} A."
                for line in range(6)
            )
            for section in range(1, 7)
        )
        arguments = {"url": f"https://help.nordwind.example/articles/KB-{number}"}
        text = f"# {topic.title()} — Nordwind help center\n\n{body}"
        _call(session, f"t{turn}-page{page}", "fetch_page", arguments, text)


def _parallel(session: Session, turn: int, part: str) -> None:
    calls = [
        ToolCall(
            id=f"t{turn}-stock{place}",
            name="check_stock",
            arguments=json.dumps({"part": part, "city": city}, ensure_ascii=False),
        )
        for place, city in enumerate(_CITIES[:4])
    ]
    session.assistant("I'll ask four shops at once.", *calls)
    for place, call in enumerate(reversed(calls)):
        shelf = [
            {"part_number": f"NW-{part[:3].upper()}-{700 + turn * 10 + row}", "count": row * place}
            for row in range(12)
        ]
        session.result(call.id, json.dumps({"shelf": shelf}), name="check_stock")


def _retry(session: Session, turn: int) -> None:
    arguments = {"customer": "C-20931", "since": "2026-01-01"}
    for attempt in range(2):
        id = f"t{turn}-payments{attempt}"
        session.call("list_payments", json.dumps(arguments), id=id)
        session.result(id, "Error: the payment service timed out after 30 s", error=True)
    rows = [
        {
            "date": f"2026-10-{day:02d}",
            "amount_eur": f"{day * 7}.{day:02d}",
            "invoice": f"2026-{900 + day}",
        }
        for day in range(1, 24)
    ]
    _call(session, f"t{turn}-payments2", "list_payments", arguments, {"payments": rows})


def _orders(session: Session, turn: int) -> None:
    order = {
        "order": "NW-4417",
        "customer": "C-20931",
        "status": ("open", "in repair", "waiting", "booked")[min(turn // 3, 3)],
        "items": [
            {
                "sku": f"SKU-{400 + n}",
                "name": f"{name} for model Kutter {n}",
                "price_eur": 19 + 8 * n,
            }
            for n, name in enumerate(_PARTS)
        ],
        "history": [
            f"2026-0{1 + n % 9}-1{n % 9} {city}: checked {_PARTS[n % 8]}"
            for n, city in enumerate(_CITIES)
        ],
    }
    _call(session, f"t{turn}-order", "get_order", {"order": "NW-4417"}, order)


def _answer(turn: int, topic: str, part: str) -> str:
    code = f"NW-{part[:3].upper()}-{700 + turn * 10 + 4}"
    return f"About {topic}: the {part} is the cause; part {code} is on the shelf in {_CITIES[turn % 8]}."


def _tools() -> list[Tool]:
    def tool(name: str, description: str, *fields: str) -> Tool:
        properties = {field: {"type": "string"} for field in fields}
        schema = {"type": "object", "properties": properties, "required": list(fields)}
        return Tool(name=name, description=description, parameters=schema)

    return [
        tool("search_articles", "Search the help center.", "query"),
        tool("fetch_page", "Read a page of the help center.", "url"),
        tool("check_stock", "What a shop has on its shelf.", "part", "city"),
        tool("list_payments", "A customer's payments.", "customer", "since"),
        tool("get_order", "An order with its items and history.", "order"),
        tool("run_diagnostics", "Ask a bike for its state.", "bike"),
    ]


def question_positions(session: Session) -> list[int]:
    """Positions at which the model was asked: in front of every assistant message."""
    return [
        position
        for position, event in enumerate(session.log)
        if event.role == "assistant" and position > 0
    ]
