"""A small body of each format that is told from others by its messages, as its maker writes it."""

from typing import Any

CHAT = {
    "model": "gpt-5",
    "messages": [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "look"}]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
    ],
}  # fmt: skip
RESPONSES = {
    "model": "gpt-5",
    "instructions": "be brief",
    "input": [
        {"role": "user", "content": "look"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5j"},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "seen"},
    ],
}
ANTHROPIC = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 9,
    "system": "be brief",
    "messages": [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "c1", "name": "look", "input": {"a": 1}}
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "seen"}
        ]},
    ],
}  # fmt: skip
GEMINI = {
    "systemInstruction": {"role": "user", "parts": [{"text": "be brief"}]},
    "contents": [
        {"role": "user", "parts": [{"text": "look"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "look", "args": {"a": 1}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "look", "response": {"result": "seen"}}}
        ]},
    ],
    "generationConfig": {"temperature": 1},
}  # fmt: skip
BEDROCK = {
    "modelId": "anthropic.claude",
    "system": [{"text": "be brief"}, {"cachePoint": {"type": "default"}}],
    "messages": [
        {"role": "user", "content": [
            {"text": "look"},
            {"image": {"format": "png", "source": {"bytes": "aGk="}}},
            {"document": {"format": "pdf", "name": "d", "source": {
                "s3Location": {"uri": "s3://b/d.pdf"}}}},
        ]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}},
            {"toolUse": {"toolUseId": "c1", "name": "look", "input": {"a": 1}}},
        ]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": "c1", "content": [{"text": "seen"}, {"json": {"n": 1.0}}]}},
            {"guardContent": {"text": {"text": "guarded"}}},
        ]},
    ],
    "toolConfig": {"tools": [
        {"toolSpec": {"name": "look", "inputSchema": {"json": {"type": "object"}}}},
        {"cachePoint": {"type": "default"}},
    ]},
    "inferenceConfig": {"maxTokens": 9},
}  # fmt: skip
VERCEL = [
    {"id": "m1", "role": "user", "parts": [
        {"type": "text", "text": "look"},
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aGk="},
    ]},
    {"id": "m2", "role": "assistant", "metadata": {"n": 1}, "parts": [
        {"type": "step-start"},
        {"type": "reasoning", "text": "hm", "state": "done"},
        {"type": "tool-look", "toolCallId": "c1", "state": "output-available",
         "input": {"a": 1}, "output": {"rows": [1.0]}},
        {"type": "dynamic-tool", "toolName": "ask", "toolCallId": "c2", "state": "output-error",
         "input": {}, "errorText": "no"},
        {"type": "step-start"},
        {"type": "text", "text": "seen", "state": "done"},
        {"type": "source-url", "sourceId": "s", "url": "https://x.org"},
        {"type": "data-weather", "id": "w", "data": {"t": 1}},
        {"type": "tool-wait", "toolCallId": "c3", "state": "input-available", "input": {}},
    ]},
]  # fmt: skip
VERCEL_MODEL = [
    {"role": "user", "content": [{"type": "text", "text": "look"}]},
    {"role": "assistant", "content": [
        {"type": "text", "text": "I do"},
        {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {"a": 1}}]},
    {"role": "tool", "content": [
        {"type": "tool-result", "toolCallId": "c1", "toolName": "look",
         "output": {"type": "json", "value": {"rows": [1.0]}}}]},
    {"role": "assistant", "content": "seen"},
]  # fmt: skip
LLAMA_INDEX = [
    {"role": "system", "additional_kwargs": {}, "blocks": [
        {"block_type": "text", "text": "be brief"}]},
    {"role": "user", "additional_kwargs": {}, "blocks": [
        {"block_type": "text", "text": "look"},
        {"block_type": "image", "image": None, "path": None, "url": "https://x.org/a.png",
         "image_mimetype": "image/png", "detail": None},
        {"block_type": "cache", "cache_control": {"type": "ephemeral"}},
    ]},
    {"role": "assistant", "additional_kwargs": {}, "blocks": [
        {"block_type": "thinking", "content": "hm", "num_tokens": None,
         "additional_information": {"signature": "s"}},
        {"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "look",
         "tool_kwargs": {"a": 1}},
    ]},
    {"role": "tool", "additional_kwargs": {"tool_call_id": "c1"}, "blocks": [
        {"block_type": "text", "text": "seen"}]},
    {"role": "assistant", "blocks": [], "additional_kwargs": {"tool_calls": [
        {"id": "c2", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}},
]  # fmt: skip
AGENT_FRAMEWORK = [
    {"type": "message", "role": "user", "author_name": "bob", "additional_properties": {},
     "contents": [
        {"type": "text", "text": "look", "additional_properties": {}},
        {"type": "uri", "uri": "https://x.org/a.png", "media_type": "image/png"},
    ]},
    {"type": "message", "role": "assistant", "message_id": "m2", "contents": [
        {"type": "text_reasoning", "text": "hm", "protected_data": "enc"},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": {"a": 1}},
        {"type": "function_call", "call_id": "c2", "name": "look", "arguments": '{"a": 2}'},
        {"type": "usage", "usage_details": {}},
    ]},
    {"type": "message", "role": "tool", "contents": [
        {"type": "function_result", "call_id": "c1", "result": "seen",
         "items": [{"type": "text", "text": "seen"}]},
        {"type": "function_result", "call_id": "c2", "result": {"n": 1.0}, "exception": "E"},
    ]},
]  # fmt: skip
PYDANTIC_AI = [
    {"kind": "request", "instructions": "be brief", "parts": [
        {"part_kind": "user-prompt", "content": "look", "timestamp": "2026-01-01T00:00:00Z"}]},
    {"kind": "response", "model_name": "m", "parts": [
        {"part_kind": "thinking", "content": "hm", "signature": "s"},
        {"part_kind": "tool-call", "tool_name": "look", "args": {"a": 1}, "tool_call_id": "c1"}]},
    {"kind": "request", "parts": [
        {"part_kind": "tool-return", "tool_name": "look", "content": {"n": 1.0},
         "tool_call_id": "c1"}]},
]  # fmt: skip
LANGCHAIN = {
    "messages": [
        {"type": "human", "content": "look", "id": "m1", "additional_kwargs": {}},
        {"type": "ai", "content": "", "id": "m2", "tool_calls": [
            {"name": "look", "args": {"a": 1}, "id": "c1", "type": "tool_call"}]},
        {"type": "tool", "content": "seen", "tool_call_id": "c1", "status": "success"},
    ],
    "remaining_steps": 3,
}  # fmt: skip

BODIES: dict[str, Any] = {
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "bedrock": BEDROCK,
    "vercel-ai": VERCEL,
    "vercel-ai-model": VERCEL_MODEL,
    "llama-index": LLAMA_INDEX,
    "agent-framework": AGENT_FRAMEWORK,
    "pydantic-ai": PYDANTIC_AI,
    "langchain": LANGCHAIN,
}
