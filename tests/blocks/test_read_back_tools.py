"""The tools that read back: what they are called, and which calls are theirs."""

import pytest

from contextwright.blocks.read_back_tools import (
    is_read_back,
    is_reading,
    original_ref,
    read_back_tools,
    reads_refs,
)
from contextwright.session.event import Tool, ToolCall


def test_they_are_called_expand_and_search():
    assert [tool.name for tool in read_back_tools()] == ["expand", "search"]


def test_a_name_that_the_agent_uses_is_left_to_it():
    mine = Tool(name="search", description="The web.", parameters={"type": "object"})
    expand, search = read_back_tools((mine,))
    assert (expand.name, search.name) == ("expand", "search_context")
    assert read_back_tools((mine, expand, search)) == (expand, search)
    assert not is_read_back(mine)


def test_what_finds_refs_names_what_reads_them():
    mine = Tool(name="expand", parameters={"type": "object"})
    expand, search = read_back_tools((mine,))
    assert "expand_ref" in search.description
    assert reads_refs(expand)
    assert not reads_refs(search) and is_read_back(search)
    assert not reads_refs(mine)


@pytest.mark.parametrize(
    ("arguments", "ref"),
    [
        ('{"ref": "event://e2#0"}', "event://e2#0"),
        ('{"ref": "artifact://a/b.txt", "page": 2}', "artifact://a/b.txt"),
        ('{"ref": "https://example.com/x"}', ""),
        ('{"ref": 7}', ""),
        ('{"ref": "e2"}', "event://e2"),
        ('{"ref": "e2-e9"}', "event://e2#..e9"),
        ('{"ref": "the second"}', ""),
        ('["ref"]', ""),
        ('{"ref"', ""),
    ],
)
def test_a_call_reads_the_ref_that_it_names(arguments, ref):
    assert original_ref(ToolCall(id="c", name="expand", arguments=arguments)) == ref


def test_another_tool_reads_nothing_back():
    call = ToolCall(id="c", name="git_show", arguments='{"ref": "event://e2#0"}')
    assert original_ref(call) == ""
    assert not is_reading(call)
    assert not is_reading(ToolCall(id="c", name="search", arguments='{"query": "x"}'))
    assert is_reading(ToolCall(id="c", name="expand", arguments='{"ref": "event://e2#0"}'))
