"""What ADK itself puts into a request beside the conversation: its instruction, the tools, loaded
artifacts. It counts against the budget, and passes the spec's redaction."""

import json
from collections.abc import Mapping
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from contextwright.adapters.answer_schemas import answer_schema, with_schema
from contextwright.formats.adk_wire import from_wire
from contextwright.render.body_redaction import BodyRedaction
from contextwright.render.providers import provider_named
from contextwright.tokens.counter import counter_for

MESSAGE = provider_named("gemini").renderer.overhead.message
BLOB = 258
"""Tokens of a picture that ADK adds: what Gemini counts for a tile (ai.google.dev, tokens)."""

Added = list[tuple[types.Content, int]]


def own_tokens(request: LlmRequest, model: str, counted: set[str]) -> int:
    """Tokens of what ADK sends in front of all contents: its instruction, its tools, and the schema
    of the answer.

    Args:
        counted: functions that the compile counts itself.
    """
    config = request.config
    own = [text_of(config.system_instruction)] if config and config.system_instruction else []
    tools: Any = config.tools if config and config.tools else []
    own += [json.dumps(_dumped(tool, counted), sort_keys=True) for tool in tools]
    if (shape := answer_schema(_answer_shape(config))) is not None:
        own.append(json.dumps(shape.schema, sort_keys=True))
    return _tokens(own, model)


def added_tokens(added: list[types.Content], model: str) -> int:
    """Tokens of contents beside the conversation."""
    parts = [part for content in added for part in content.parts or ()]
    own = [part.text for part in parts if part.text]
    called = [one for part in parts if (one := part.function_call or part.function_response)]
    own += [one.model_dump_json(exclude_none=True) for one in called]
    blobs = sum(BLOB for part in parts if part.inline_data or part.file_data)
    return blobs + _tokens(own, model) + MESSAGE * len(added)


def _tokens(texts: list[str], model: str) -> int:
    return sum(map(counter_for(model or "gemini").count, texts))


def clean_own_parts(request: LlmRequest, added: Added, redaction: BodyRedaction) -> Added:
    """The contents beside the conversation without what the spec redacts; the request's
    instruction, tool descriptions and schema of the answer are changed in place.

    Args:
        added: those contents, each with the event that it stands behind.
        redaction: what the spec redacts.
    """
    if request.config and request.config.system_instruction:
        text = text_of(request.config.system_instruction)
        request.config.system_instruction = redaction.text(text)
    if request.config and request.config.tools:
        request.config.tools = [_clean_tool(tool, redaction) for tool in request.config.tools]
    _clean_answer(request.config, redaction)
    return [(_clean_content(content, redaction), after) for content, after in added]


def _answer_shape(config: types.GenerateContentConfig | None) -> Any:
    """What ADK has of the shape of an answer that is data."""
    if config is None:
        return None
    shape = config.response_json_schema or config.response_schema
    return _dump(shape) if isinstance(shape, types.Schema) else shape


def _clean_answer(config: types.GenerateContentConfig | None, redaction: BodyRedaction) -> None:
    shape = _answer_shape(config)
    shown = answer_schema(shape)
    if config is None or shown is None or (clean := redaction.schema(shown.schema)) == shown.schema:
        return
    field = "response_json_schema" if config.response_json_schema else "response_schema"
    is_model = isinstance(shape, type)
    new = with_schema(shape, shown._replace(schema=clean)) if is_model else clean
    setattr(config, field, new)


def _clean_content(content: types.Content, redaction: BodyRedaction) -> types.Content:
    """A content without what is redacted, in whichever of its fields."""
    dumped = content.model_dump(mode="json", by_alias=True, exclude_none=True)
    dumped["parts"] = list(map(from_wire, dumped.get("parts", ())))
    clean = redaction.message(dumped)
    return content if clean == dumped else types.Content.model_validate(clean)


def _clean_tool(tool: Any, redaction: BodyRedaction) -> Any:
    if not isinstance(tool, types.Tool) or not tool.function_declarations:
        return tool
    declared = [
        types.FunctionDeclaration.model_validate(redaction.declaration(_dump(one)))
        for one in tool.function_declarations
    ]
    return tool.model_copy(update={"function_declarations": declared})


def _dumped(tool: Any, counted: set[str]) -> Any:
    if not hasattr(tool, "model_dump"):
        return {}
    dumped = _dump(tool)
    declared = dumped.get("function_declarations")
    if declared:
        dumped["function_declarations"] = [d for d in declared if d.get("name") not in counted]
    return dumped


def _dump(model: Any) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_none=True)


def text_of(instruction: Any) -> str:
    """The text of an instruction in any of the forms that the SDK takes."""
    if isinstance(instruction, str):
        return instruction
    if isinstance(instruction, list | tuple):
        items: Any = instruction
        return "\n".join(map(text_of, items))
    if isinstance(instruction, Mapping):
        parts: Any = instruction.get("parts", [])  # pyright: ignore
        return "\n".join(str(part.get("text", "")) for part in parts)
    parts = getattr(instruction, "parts", None)
    if parts is not None:
        return "\n".join(part.text or "" for part in parts)
    return str(getattr(instruction, "text", "") or "")
