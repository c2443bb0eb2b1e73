"""The shape of an answer: read as programs hold it, sent as each provider has it, counted."""

import dataclasses
import json

import msgspec
import pydantic
import pytest

from contextwright import C, Session, compile, target
from contextwright.compiler import replay
from contextwright.compiler.manifest import manifest_from_json
from contextwright.errors import BudgetError, ModelError
from contextwright.render.response_format import ResponseFormat, read_response_format


class Refund(pydantic.BaseModel):
    order: str
    amount: float


@dataclasses.dataclass
class Plain:
    order: str


class Struct(msgspec.Struct):
    order: str


SCHEMA = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "number"}}}
AS_OPENAI = {"type": "json_schema", "json_schema": {"name": "refund", "schema": SCHEMA}}
MODELS = ["gpt-5", "claude-opus-5", "gemini-2.5-pro"]


@pytest.mark.parametrize(
    ("source", "name", "keys"),
    [
        (Refund, "Refund", ["order", "amount"]),
        (Plain, "Plain", ["order"]),
        (Struct, "Struct", ["order"]),
        (SCHEMA, "answer", ["b", "a"]),
        (AS_OPENAI, "refund", ["b", "a"]),
        ({"type": "json_schema", "name": "refund", "schema": SCHEMA}, "refund", ["b", "a"]),
        ({"order": "str"}, "answer", ["order"]),
    ],
)
def test_a_response_format_is_read_as_programs_hold_one(source, name, keys):
    read = read_response_format(source)
    assert read.name == name
    assert list(read.json_schema["properties"]) == keys


def test_what_asks_for_no_shape_and_for_any_object():
    assert read_response_format(None) is None
    assert read_response_format({"type": "text"}) is None
    assert read_response_format({"type": "json_object"}) == ResponseFormat()


@pytest.mark.parametrize("source", [3, "json", {"type": "json_schema"}, int, {"a": "color"}])
def test_what_is_none_is_named_with_what_to_give(source):
    with pytest.raises(ModelError) as raised:
        target("gpt-5", response_format=source)
    assert raised.value.where == "response_format" and "JSON Schema" in raised.value.fix


def session():
    session = Session("s")
    session.user("refund order A17, please")
    return session


def packed(model, **options):
    return compile(session(), C.default(), target=target(model, response_format=Refund, **options))


def test_openai_chat_has_it():
    from openai.types.shared_params import ResponseFormatJSONSchema

    sent = packed("gpt-5", format="openai-chat").request["response_format"]
    pydantic.TypeAdapter(ResponseFormatJSONSchema).validate_python(sent)
    assert sent["json_schema"]["schema"] == Refund.model_json_schema()
    whole = compile(session(), model="gpt-5", response_format={"type": "json_object"})
    assert whole.request["response_format"] == {"type": "json_object"}


def test_openai_responses_has_it():
    from openai.types.responses import ResponseTextConfigParam

    sent = packed("gpt-5", format="openai-responses").request["text"]
    pydantic.TypeAdapter(ResponseTextConfigParam).validate_python(sent)
    assert sent["format"]["name"] == "Refund"


def test_anthropic_has_it_by_a_schema_only():
    from anthropic.types import OutputConfigParam

    sent = packed("claude-opus-5").request["output_config"]
    pydantic.TypeAdapter(OutputConfigParam).validate_python(sent)
    with pytest.raises(ModelError, match="without a schema"):
        target("claude-opus-5", response_format={"type": "json_object"})


def test_gemini_has_it():
    types = pytest.importorskip("google.genai.types")
    config = packed("gemini-2.5-pro").request["config"]
    read = types.GenerateContentConfig.model_validate(config)
    assert read.response_mime_type == "application/json"
    assert read.response_json_schema == Refund.model_json_schema()


def test_a_text_has_none():
    with pytest.raises(ModelError, match="no response format"):
        target("gpt-5", format="text", response_format=Refund)


@pytest.mark.parametrize("model", MODELS)
def test_it_counts_in_the_budget_and_is_replayed(model):
    bare = compile(session(), C.default(), target=target(model))
    pack = packed(model)
    schema = len(json.dumps(Refund.model_json_schema())) // 8
    assert pack.tokens > bare.tokens + schema
    assert pack.tokens == pack.manifest.tokens
    with pytest.raises(BudgetError):
        spec = C.default() | C.budget(bare.tokens)
        compile(session(), spec, target=target(model, response_format=Refund))
    manifest = manifest_from_json(pack.manifest.to_json())
    assert replay(manifest, session()).body == pack.body
