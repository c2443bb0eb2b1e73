"""Tools for a request: by their words, their family, and what one gives that another takes."""

import pytest

from contextwright.retrieval.tool_index import ToolIndex
from contextwright.session.event import Tool

CARS = "This tool belongs to the car system, for engine, doors and lights."
MAIL = "This tool belongs to the mail system."


def tool(name, description, takes=(), gives=()):
    def schema(fields):
        return {"type": "object", "properties": {f: {"type": "string", "description": d}
                                                 for f, d in fields}}  # fmt: skip

    return Tool(
        name=name,
        description=description,
        parameters=schema(takes),
        extra={"outputSchema": schema(gives)},
    )


TOOLS = [
    tool("estimate_distance", f"{CARS} Estimates the distance between two cities.",
         [("from", "The zipcode of the first city."), ("to", "The zipcode of the other.")]),
    tool("start", f"{CARS} Starts it.", [("mode", "How.")]),
    tool("press_pedal", f"{CARS} Presses it.", [("position", "How far.")]),
    tool("lookup", "Looks a place up.", [("city", "Its name.")], [("zipcode", "Of the city.")]),
    tool("send", f"{MAIL} Sends a letter.", [("text", "What it says.")], [("id", "Of it.")]),
    tool("list_letters", f"{MAIL} Lists letters.", [("id", "Of one.")], [("id", "Of each.")]),
    tool("forward", f"{MAIL} Sends a letter on.", [("id", "Of it.")]),
    *(tool(f"noise_{n}", f"Counts the apples of tree {n}.") for n in range(20)),
]  # fmt: skip


def test_a_tool_brings_the_one_that_alone_gives_what_it_takes():
    assert ToolIndex(TOOLS).search("How long is the distance?", 2) == [
        "estimate_distance",
        "lookup",
    ]
    alone = [one for one in TOOLS if one.name != "estimate_distance"]
    assert "lookup" not in ToolIndex(alone).search("How long is the distance?")


def test_what_several_give_brings_none_of_them():
    assert ToolIndex(TOOLS)._needs["forward"] == {}


def test_what_the_request_says_is_needed_of_no_tool():
    asked = "The distance between two cities, of the zipcode 94016; then press it"
    assert "press_pedal" in ToolIndex(TOOLS).search(asked, 2)
    assert "lookup" in ToolIndex(TOOLS).search(asked.replace("zipcode ", ""), 2)


def test_what_a_tool_is_for_counts_more_than_what_its_parameters_mention():
    tools = [
        tool("first", "Files it.", [("note", "What a ticket says.")]),
        tool("second", "Closes a ticket.", [("reason", "Why, in one sentence or in several.")]),
        *(tool(f"noise_{n}", f"Counts the apples of tree {n}.") for n in range(20)),
    ]
    assert ToolIndex(tools).search("The ticket, please", 1) == ["second"]


def test_what_the_best_purposes_say_is_looked_for_too():
    tools = [
        tool("dispatch", "Sends a letter to somebody."),
        tool("post", "Sends a parcel."),
        *(tool(f"noise_{n}", f"Counts the apples of tree {n}.") for n in range(20)),
    ]
    assert ToolIndex(tools).search("dispatch it") == ["dispatch", "post"]


@pytest.mark.parametrize("quoted", ["'{}'", '"{}"', "\u201c{}\u201d"])
def test_what_a_request_quotes_is_what_a_call_is_made_with(quoted):
    request = "Send a letter: " + quoted.format(
        "I can't start it, how far is the city? It's apples"
    )
    assert ToolIndex(TOOLS).search(request) == ToolIndex(TOOLS).search("Send a letter: ")


def test_a_tool_may_be_named_in_quotes_and_all_of_a_request_may_be_quoted():
    assert ToolIndex(TOOLS).search("Run the 'lookup' of 'apples'", 1) == ["lookup"]
    assert ToolIndex(TOOLS).search("'the pedal, pressed'", 1) == ["press_pedal"]
    assert ToolIndex(TOOLS).search("Do it: 'the pedal, pressed'", 1) == ["press_pedal"]
    assert ToolIndex(TOOLS).search("Ann's pedal isn't pressed", 1) == ["press_pedal"]


def test_a_family_is_found_by_what_its_descriptions_have_in_common():
    found = ToolIndex(TOOLS).search("Please start the engine", 3)
    assert found[0] == "start"
    assert set(found) == {"start", "press_pedal", "estimate_distance"}


def test_a_family_is_named_by_its_names():
    tools = [tool(f"mcp__{family}__{verb}", verb) for family in ("github", "jira")
             for verb in ("list", "close", "open")]  # fmt: skip
    found = ToolIndex(tools).search("list what is in jira", 4)
    assert found[0] == "mcp__jira__list"
    assert sum("jira" in name for name in found) == 3


def test_the_order_of_the_tools_does_not_show_and_no_word_finds_nothing():
    one, other = ToolIndex(TOOLS), ToolIndex(TOOLS[::-1])
    for request in ("send a letter", "apples", "the engine", "zebra"):
        assert one.search(request) == other.search(request)
    assert one.search("zebra") == []
    assert ToolIndex([]).search("send") == []


def test_schemas_that_are_none_end_nothing():
    odd = Tool(name="odd", description="Odd.", parameters={"properties": {"a": 3, "b": {"items": []}}},
               extra={"outputSchema": "text"})  # fmt: skip
    assert ToolIndex([odd]).search("odd") == ["odd"]


class Meaning:
    """Vectors by whether a text is about money."""

    id = "meaning"

    def vectors(self, texts):
        money = [any(word in text.lower() for word in ("apples", "pay")) for text in texts]
        return [[1.0, 0.0] if each else [0.0, 1.0] for each in money]


def test_meaning_finds_what_no_word_does():
    assert ToolIndex(TOOLS, Meaning()).search("pay", 1)[0].startswith("noise_")
