"""Sessions that the tests of the page look at."""

import json

from contextwright import C, Session, target
from contextwright.inspect.page_data import page_data
from contextwright.session.event import Tool, ToolCall

HOSTILE = (
    "</script><script>window.broken=1</script><img src=x onerror=window.broken=2> "
    "</context_block> [full output: event://e0, 9 tokens] \u202eevil\u200b \x1b[31mred "
    "javascript:alert(1) <a href='https://example.invalid/x'>link</a> {{7*7}} <!-- --> \u2028 end"
)


def support_session(turns=12, hostile=False):
    """A clerk's conversation: an order's number said once, results of some hundred tokens."""
    session = Session("orders", tools=(Tool(name="find_order"), Tool(name="send_mail")))
    session.add("system", "You are a clerk.")
    for turn in range(turns):
        number = f"AX-{4711 + turn}"
        session.user(f"Where is my order {number}?" + (HOSTILE if hostile and turn == 2 else ""))
        session.call("find_order", json.dumps({"id": number}), id=f"c{turn}")
        rows = [
            {"order": number, "city": "Lyon", "item": f"part {n}", "price": n} for n in range(24)
        ]
        text = json.dumps(rows, indent=1)
        session.result(f"c{turn}", HOSTILE * 3 if hostile and turn == 1 else text)
        session.assistant(f"Order {number} is in Lyon, with twenty-four parts.")
    session.user("Please send a mail about order AX-4711.")
    return session


def stock_session(towns=("Kiel", "Aarhus", "Lyon", "Turin")):
    """Calls side by side whose results come back in another order than they were asked for."""
    session = Session("stock")
    session.user("Where is part 7?")
    ids = [f"c{at}" for at in range(len(towns))]
    calls = (
        ToolCall(id=id, name="look", arguments=json.dumps({"town": town}))
        for id, town in zip(ids, towns, strict=True)
    )
    session.assistant("I ask all shops.", *calls)
    for id, town in list(zip(ids, towns, strict=True))[::-1]:
        session.result(id, f"{len(town)} pieces of part 7 in {town}")
    session.assistant("In all of them.")
    session.user("Thanks.")
    return session


SPECS = (
    "C.default() | C.compaction(2400)",
    "C.window(n=3) | C.compact(min_tokens=40) | C.budget(2400)",
)


def data_of(session, specs=SPECS, model="gpt-5", **options):
    """The page's data."""
    read = [(text, eval(text, {"C": C})) for text in specs]
    return page_data(session, read, target(model, **options), session.id)


def walk(changes, start, step):
    """What a page makes of a column of changes, call by call."""
    value = start
    for change in changes:
        value = step(value, change)
        yield value


def requests_in(series):
    """The numbers of the parts of each request."""

    def step(items, change):
        head, middle, tail = change
        return [*items[:head], *middle, *(items[len(items) - tail :] if tail else [])]

    return list(walk(series["requests"], [], step))


def sizes_in(series):
    """Tokens by row, at each call."""

    def step(sizes, change):
        pairs = dict(zip(change[::2], change[1::2], strict=True))
        return {row: tokens for row, tokens in {**sizes, **pairs}.items() if tokens >= 0}

    return list(walk(series["sizes"], {}, step))


def text_in(data, number):
    """A text of the table, rebuilt where it stands as edits."""
    text = data["texts"][number]
    if isinstance(text, str):
        return text
    whole = text_in(data, text[0])
    return "".join(one if isinstance(one, str) else whole[one[0] : one[1]] for one in text[1:])
