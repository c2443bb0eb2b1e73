"""What the arguments and fields of an agent are called, where that says whose words they are."""

from contextwright.session.event import Role

USERS = frozenset(
    {
        "question", "query", "prompt", "user", "user_input", "user_message", "user_prompt",
        "user_query", "user_request", "request", "task", "goal", "instruction", "instructions",
        "new_message",
    }
)  # fmt: skip
"""The user's: never shortened."""
SYSTEMS = frozenset(
    {"system", "system_prompt", "system_message", "system_instruction", "developer"}
)
"""The application's: never shortened."""
MACHINES = frozenset(
    {
        "api_key", "callbacks", "config", "deps", "dependencies", "extra_body", "extra_headers",
        "functions", "headers", "input_schema", "json_schema", "metadata", "model",
        "model_settings", "output_schema", "output_type", "parameters", "response_format",
        "run_config", "schema", "settings", "signature", "text_format", "thought_signature",
        "tool_choice", "tools", "toolsets", "usage", "usage_limits",
    }
)  # fmt: skip
"""No words at all: neither counted nor looked into."""
WHO = ("role", "sender", "from", "author", "speaker")
"""Fields that say whose words a record holds."""
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "HumanMessageChunk": "user",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""Whose words they are, by what formats call the speaker."""
