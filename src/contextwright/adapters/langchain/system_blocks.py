"""The texts of LangChain's system message, of which each block may have its own mark of a cache."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import SystemMessage


def system_texts(message: SystemMessage) -> list[str]:
    """The texts of its blocks; none of those that are empty."""
    return [text for block in _blocks(message.content) if (text := _text(block))]


def system_with(message: SystemMessage, texts: Sequence[str]) -> SystemMessage:
    """A copy with other texts: each in its block, where there are as many.

    Args:
        message: as the agent has it.
        texts: of now, in order.
    """
    if isinstance(message.content, str) or len(texts) != len(system_texts(message)):
        return message.model_copy(update={"content": "\n\n".join(texts)})
    new = iter(texts)
    blocks = _blocks(message.content)
    content = [_with_text(block, next(new)) if _text(block) else block for block in blocks]
    return message.model_copy(update={"content": content})


def _with_text(block: Any, text: str) -> Any:
    return text if isinstance(block, str) else {**block, "text": text}


def _blocks(content: Any) -> list[Any]:
    return [content] if isinstance(content, str) else list(content)


def _text(block: Any) -> str:
    return block if isinstance(block, str) else str(block.get("text") or "")
