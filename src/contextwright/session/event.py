"""One immutable message of a session, and the typed parts it is made of."""

from typing import TYPE_CHECKING, Any, Literal, NoReturn

import msgspec

from contextwright.errors import SessionError
from contextwright.session.checked_call import CheckedMessage

Role = Literal["system", "user", "assistant", "tool"]
ROLES = ("system", "user", "assistant", "tool")
Status = Literal["ok", "error", "interrupted", "pending"]


class NoFields(dict[str, Any]):
    """An empty object that all messages without fields of their own share. It stays empty: what
    one message was given must not appear in another."""

    __slots__ = ()

    def __reduce__(self) -> str:
        return "NO_FIELDS"  # a copy is the same object

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise SessionError(
            "a message does not change once it is made",
            where="the metadata or extra of an event or a part",
            fix="give them when it is made: Event(..., metadata={...})",
        )

    if not TYPE_CHECKING:
        __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse


NO_FIELDS = NoFields()


class Part(
    msgspec.Struct,
    metaclass=CheckedMessage,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    gc=False,
    tag_field="type",
):
    """A piece of a message.

    Args:
        extra: what the source format said beside the typed fields, by format name, so that an
            export gives back what was imported. Never shown to a model of another provider.
    """

    extra: dict[str, Any] = NO_FIELDS

    def __hash__(self) -> int:
        return hash(self.__struct_fields__) ^ hash(str(self.extra))


class Text(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag="text"):
    """Plain text."""

    text: str

    def __hash__(self) -> int:
        return hash(self.text)


class ToolCall(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag="tool_call"):
    """An assistant asks for a tool.

    Args:
        arguments: the JSON text as the model wrote it, never parsed and written again.
    """

    id: str
    name: str
    # left out of the JSON where nobody gave it: recorded sessions are digested as they are written
    arguments: str = "{}"

    def __hash__(self) -> int:
        return hash((self.id, self.name, self.arguments))


class Image(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag="image"):
    """A picture: `data` as base64, or a `url`, or a provider's `file_id`."""

    media_type: str = "image/png"
    data: str = ""
    url: str = ""
    file_id: str = ""
    width: int = 0
    height: int = 0
    detail: str = ""

    def __hash__(self) -> int:
        return hash((self.data, self.url, self.file_id))


class File(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag="file"):
    """A document or a recording: `data` as base64, or a `url`, or a provider's `file_id`."""

    media_type: str = "application/octet-stream"
    name: str = ""
    data: str = ""
    url: str = ""
    file_id: str = ""

    def __hash__(self) -> int:
        return hash((self.name, self.data, self.url, self.file_id))


class Thinking(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag="thinking"):
    """A model's reasoning, bound by its signature to the provider that made it.

    Args:
        signature: the provider's proof; empty where there is none.
        redacted: the encrypted form where the provider shows no text.
        provider: `anthropic`, `openai`, `google`, or empty where unknown.
    """

    text: str = ""
    signature: str = ""
    redacted: str = ""
    provider: str = ""

    def __hash__(self) -> int:
        return hash((self.text, self.signature, self.redacted))


class Opaque(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag="opaque"):
    """A part of a kind that is not known here: kept, given back on export, not rendered."""

    format: str
    kind: str
    value: dict[str, Any] = {}

    def __hash__(self) -> int:
        return hash((self.format, self.kind))


class ToolResult(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag="tool_result"):
    """What a tool gave back, or why it gave nothing."""

    call_id: str
    name: str = ""
    content: tuple[Text | Image | File | Opaque, ...] = ()
    status: Status = "ok"

    @property
    def text(self) -> str:
        """The text parts, a line each."""
        content = self.content
        if len(content) == 1 and isinstance(content[0], Text):  # as nearly all are
            return content[0].text
        return "\n".join([part.text for part in content if isinstance(part, Text)])

    def __hash__(self) -> int:
        return hash((self.call_id, self.content, self.status))


AnyPart = Text | ToolCall | ToolResult | Image | File | Thinking | Opaque


class Event(
    msgspec.Struct,
    metaclass=CheckedMessage,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    gc=False,
):
    """One message, as it happened.

    Args:
        id: unique in its session.
        author: who spoke: an agent's name; by default the role.
        time_ms: milliseconds since 1970, only ever shown; order is position in the log.
        invocation: the run of the agent that this belongs to.
        tags: labels set by the application, found by `C.select(tag=...)`.
        pinned: never dropped or shortened by a budget; `metadata={"pinned": True}` says the same.
        metadata: the application's own data; `kind="summary"` marks a summary artifact.
        extra: what the source format said beside the typed fields, by format name.
    """

    id: str
    role: Role
    parts: tuple[AnyPart, ...] = ()
    author: str = ""
    time_ms: int | None = None
    invocation: str = ""
    tags: tuple[str, ...] = ()
    pinned: bool = False
    metadata: dict[str, Any] = NO_FIELDS
    extra: dict[str, Any] = NO_FIELDS

    def __hash__(self) -> int:
        return hash((self.id, self.role, self.parts))

    @property
    def is_pinned(self) -> bool:
        """Whether it is pinned, by its field or in its metadata."""
        return self.pinned or ("pinned" in self.metadata and self.metadata["pinned"] is True)

    @property
    def speaker(self) -> str:
        """The author, or the role where no author is named."""
        return self.author or self.role

    @property
    def text(self) -> str:
        """The text parts, a line each; no tool results."""
        return "\n".join([part.text for part in self.parts if isinstance(part, Text)])

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in order."""
        return tuple([part for part in self.parts if isinstance(part, ToolCall)])

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results in order."""
        return tuple([part for part in self.parts if isinstance(part, ToolResult)])


class Tool(
    msgspec.Struct,
    metaclass=CheckedMessage,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    gc=False,
):
    """A tool that the agent may call: name, purpose, JSON Schema of its arguments."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = {}
    extra: dict[str, Any] = {}

    def __hash__(self) -> int:
        return hash((self.name, self.description))
