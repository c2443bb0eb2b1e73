"""What a context gives is typed as what it was given, and the types are true."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import get_overloads

import pytest

from contextwright import Context

MESSAGES = [{"role": "user", "content": "hi"}]
BODY = {"model": "gpt-5", "messages": MESSAGES}


@pytest.mark.parametrize("name", ["__call__", "acall", "recover", "arecover"])
def test_a_list_is_typed_as_a_list_and_a_body_as_a_body(name):
    listed, body = get_overloads(getattr(Context, name))
    item = listed.__annotations__["return"].__args__[0]
    assert listed.__annotations__["messages"] == list[item] | tuple[item, ...]
    assert listed.__annotations__["return"] == list[item]
    assert body.__annotations__["messages"] == Mapping[str, object]
    assert body.__annotations__["return"].__origin__ is dict


@pytest.mark.parametrize(
    ("messages", "kind"),
    [(MESSAGES, list), (tuple(MESSAGES), list), (BODY, dict), (MappingProxyType(BODY), dict)],
)
def test_what_is_given_is_of_the_type_that_is_said(messages, kind):
    assert type(Context(model="gpt-5")(messages)) is kind
