"""What holds for the request of any layout, whoever it is for."""

import msgspec
import pytest
from hypothesis import given, settings
from tests.render.strategies import layouts

from contextwright.render.message_layout import Layout
from contextwright.render.providers import BUILT_IN, provider_named
from contextwright.testing import target_for

FORMATS = BUILT_IN
formats = pytest.mark.parametrize("format", FORMATS)


@formats
@given(layout=layouts())
def test_a_request_breaks_no_rule(format, layout):
    renderer, target = provider_named(format).renderer, target_for(format)
    assert renderer.validate(renderer.request(layout, target), target) == []


@formats
@given(layout=layouts())
def test_a_request_costs_no_more_than_its_pieces(format, layout):
    renderer, target = provider_named(format).renderer, target_for(format)
    fixed = Layout(tools=layout.tools, called=layout.called)
    bound = renderer.margin(target) + renderer.measure(renderer.request(fixed, target), target)
    bound += sum(renderer.cost(block, target) for block in layout.conversation)
    bound += renderer.markers_cost(layout.conversation, target)
    for place in (layout.system, layout.tail):
        bound += sum(renderer.section_cost(section.text, target) for section in place)
    assert renderer.measure(renderer.request(layout, target), target) <= bound


@formats
@settings(max_examples=20)
@given(layout=layouts())
def test_a_request_is_the_same_bytes_every_time(format, layout):
    renderer, target = provider_named(format).renderer, target_for(format)
    first = msgspec.json.encode(renderer.request(layout, target))
    assert msgspec.json.encode(renderer.request(layout, target)) == first
