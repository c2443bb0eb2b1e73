"""The pack payload: the step and what it needs, as sections in front of the user's own words.

    CONTEXT PACK

    GOAL:
    - Summarize competitor analysis with sources.

    USER REQUEST (VERBATIM):
    ...

A header stands at the beginning of a line, and content never does: every line of it is a bullet
or indented, whatever breaks lines in it. An address in it that is not one of this pack's own is
written so that it reads as text. The user's words come last, unchanged, and nothing follows.
"""

import re

import msgspec

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.blocks.escape import escape
from contextwright.blocks.layering import Layer
from contextwright.render.target import Target
from contextwright.render.wire import clean
from contextwright.session.event import Text

TITLE = "CONTEXT PACK"
HEADERS = {
    "rules": "INTERPRETATION RULES",
    "role": "ROLE",
    "goal": "GOAL",
    "step": "STEP",
    "constraints": "CONSTRAINTS",
    "context": "CONTEXT",
    "tools": "TOOLS (step-only)",
    "evidence": "EVIDENCE",
    "memory": "MEMORY",
    "summary": "CONVERSATION SUMMARY",
    "acceptance": "ACCEPTANCE",
}
"""Sections in the order of the request: what matters most stands near the end (Lost in the
Middle, TACL 2024)."""
USER = "USER REQUEST (VERBATIM):"
_LAYERS = {
    Layer.TOOLS: "tools",
    Layer.EVIDENCE: "evidence",
    Layer.MEMORY: "memory",
    Layer.CONVERSATION: "summary",
}
_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
_ADDRESS = re.compile(r"(artifact|event|state)(\s*:\s*)//(?=(\s*\S*))", re.IGNORECASE)


def section_of(block: Block) -> str:
    """The section in which a text block stands."""
    if _is_plan(block):
        return "step" if block.source == "background" else block.source
    return _LAYERS.get(block.layer, "context")


def _is_plan(block: Block) -> bool:
    """Whether a block is the plan's own words, which name what addresses they like."""
    return block.layer is Layer.TASK and block.id.startswith(f"step:{block.source}/")


def payload(blocks: Blocks, *, headers: bool = False) -> str:
    """The sections of these text blocks, each with its blocks in their order.

    Args:
        headers: with all headers, also of empty sections: what the form itself costs.
    """
    own = frozenset(block.ref for block in blocks if block.layer is Layer.EVIDENCE)
    parts = [TITLE]
    for name, header in HEADERS.items():
        lines = [item(block, own) for block in blocks if section_of(block) == name]
        if lines or headers:
            parts.append("\n".join((f"{header}:", *lines)))
    return "\n\n".join(parts)


def headers_of(blocks: Blocks) -> list[str]:
    """The headers of the sections in which these text blocks stand."""
    sections = {section_of(block) for block in blocks}
    return [header for name, header in HEADERS.items() if name in sections]


def item(block: Block, own: frozenset[str] = frozenset()) -> str:
    """A block as a bullet.

    Args:
        own: addresses that may stand in content as what they are.
    """
    text = _inert(block.text, None if _is_plan(block) else own | {block.ref})
    where = escape(_ONE_LINE.sub("", block.ref))
    if block.source == "evidence":
        return f"- {where} (summary: {text})" if text else f"- {where}"
    if where and block.layer in {Layer.EVIDENCE, Layer.CONVERSATION}:
        return f"- {text} ({where})"
    return f"- {text}"


_ONE_LINE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def _inert(text: str, own: frozenset[str] | None) -> str:
    """Content as it may stand in a bullet.

    Args:
        own: addresses that stay; None where all do: the plan's own words.
    """
    text = escape(_CONTROL.sub("", _BREAK.sub("\n", text)).strip())
    if own is not None:

        def disarmed(match: re.Match[str]) -> str:
            whole = match[0] + match[3]
            return match[0] if _is_one_of(own, whole) else f"{match[1]}:&#47;&#47;"

        text = _ADDRESS.sub(disarmed, text)
    return "\n  ".join(text.split("\n"))


def _is_one_of(own: frozenset[str], address: str) -> bool:
    return address in own or address.rstrip(".,:;!?)]}*_`'\"") in own


def cost_of_form(target: Target) -> int:
    """Tokens that titles and headers take at most."""
    form = f"{payload((), headers=True)}\n\n{USER}\n"
    return target.counter.count(form) + 2 * len(HEADERS)


def cost_of_item(block: Block, target: Target) -> int:
    """Tokens that a block takes at most."""
    return target.counter.count(clean(item(block)) + "\n") + 1


def in_front(conversation: Blocks, text: str) -> Blocks | None:
    """The conversation with the payload in its newest user message, in front of all that the
    user said and showed; None where there is no such message."""
    for place in range(len(conversation) - 1, -1, -1):
        block = conversation[place]
        if block.role == "user":
            first, *rest = block.messages
            changed = msgspec.structs.replace(block, messages=(_joined(first, text), *rest))
            return (*conversation[:place], changed, *conversation[place + 1 :])
    return None


def _joined(message: Message, text: str) -> Message:
    parts = message.parts
    head = f"{text}\n\n{USER}\n"
    if parts and isinstance(parts[0], Text):
        parts = (Text(text=head + parts[0].text), *parts[1:])
    else:
        parts = (Text(text=head), *parts)
    return msgspec.structs.replace(message, parts=parts)
