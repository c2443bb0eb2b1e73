"""Objects that hold messages behind a method are refused by name, with what gives the messages."""

import pytest

from contextwright import C, Context, Conversation, compile
from contextwright.errors import UnknownFormat
from contextwright.formats.objects import session_from


def _llama_memories():
    memory = pytest.importorskip("llama_index.core.memory")
    types = pytest.importorskip("llama_index.core.base.llms.types")
    stores = pytest.importorskip("llama_index.core.storage.chat_store")
    messages = [types.ChatMessage(role="user", content="hi")]
    own = memory.Memory.from_defaults(token_limit=99, tokenizer_fn=str.split)
    own.put_messages(messages)
    buffer = memory.ChatMemoryBuffer.from_defaults(messages, token_limit=99, tokenizer_fn=str.split)
    store = stores.SimpleChatStore(store={"k": messages})
    return [(own, "memory.get_all()"), (buffer, "memory.get_all()"),
            (store, "store.get_messages(KEY)")]  # fmt: skip


def _agents_of_openai():
    agents = pytest.importorskip("agents")
    made = [(agents.SQLiteSession("s"), "await session.get_items()")]
    result = agents.RunResult.__new__(agents.RunResult)
    result.input, result.new_items = "hi", []
    return [*made, (result, "result.to_input_list()")]


def _run_of_pydantic_ai():
    pydantic_ai = pytest.importorskip("pydantic_ai")
    testing = pytest.importorskip("pydantic_ai.models.test")
    result = pydantic_ai.Agent(testing.TestModel(call_tools=[])).run_sync("hi")
    assert compile(result.all_messages(), C.default(), model="gpt-5").request["messages"]
    return [(result, "result.all_messages()")]


@pytest.mark.parametrize("holders", [_llama_memories, _agents_of_openai, _run_of_pydantic_ai])
def test_what_holds_messages_names_what_gives_them(holders):
    doors = (
        session_from,
        lambda held: session_from([held]),
        lambda held: compile(held, C.default(), model="gpt-5"),
        Context(C.default(), model="gpt-5"),
        Conversation().update,
    )
    for held, way in holders():
        for door in doors:
            with pytest.raises(UnknownFormat) as caught:
                door(held)
            assert type(held).__name__ in caught.value.what and way in caught.value.fix
            assert caught.value.where


def test_what_a_memory_of_llama_index_gives_is_read():
    for held, _ in _llama_memories():
        if hasattr(held, "get_all"):
            request = compile(held.get_all(), C.default(), model="gpt-5").request
            assert request["messages"] == [{"role": "user", "content": "hi"}]
