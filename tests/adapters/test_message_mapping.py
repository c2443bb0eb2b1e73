"""A framework's messages through a context, and back."""

from contextwright.adapters.message_forms import NoReasoning
from contextwright.adapters.message_mapping import MappedRequest


class Said(NoReasoning):
    """Messages that are chat messages of a user and an assistant."""

    def wires(self, message):
        return [message]

    def changed(self, message, wires):
        return dict(wires[0])

    def made(self, wire):
        assert wire["role"] in {"user", "assistant"}
        return wire


USER = {"role": "user", "content": "hi"}
KIND = {"role": "system", "content": "Be kind"}


def through(system, wires):
    request = MappedRequest(Said(), [USER], model="gpt-5", system=system, apart=True)
    compiled = {"messages": [*wires, *request.body["messages"]]}
    return request.system_of(compiled), request.messages_of(compiled)


def test_what_is_added_to_the_instruction_is_system_text_where_messages_have_no_place_for_it():
    request = MappedRequest(Said(), [USER], model="gpt-5", system="Be brief", apart=True)
    own, *rest = request.body["messages"]
    compiled = {"messages": [own, KIND, *rest]}
    assert request.system_of(compiled) == "Be brief\n\nBe kind"
    assert request.messages_of(compiled) == [USER]
    assert through(None, [KIND]) == ("Be kind", [USER])
    assert through(None, []) == (None, [USER])
