"""Frameworks that send what is new alone, behind the newest answer that the provider keeps."""

from functools import partial
from typing import Any, TypeVar

import msgspec

from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.port import Body
from contextwright.errors import SpecError

MessageT = TypeVar("MessageT")


class AnswerIds(msgspec.Struct, frozen=True):
    """Where a framework's messages have the id under which the provider keeps an answer.

    Args:
        field: of a message; a dict.
        names: in it.
        prefix: what such an id begins with.
        option: of the framework, without which it sends all messages; empty where it needs none.
        other: what may be done without the option.
    """

    field: str
    names: tuple[str, ...]
    prefix: str = ""
    option: str = ""
    other: str = ""

    def unchained(
        self, request: MappedRequest[MessageT], body: Body, options: object = None
    ) -> list[MessageT]:
        """The messages of a compiled body. What the provider keeps nobody can shorten: where it has
        something else than what is sent, no message says which answer it came with, so that its
        framework sends all of them.

        Args:
            options: among which the option may be.
        """
        sent = request.messages_of(body)
        if not self._is_on(options) or self._has_the_same(request, body, sent):
            return sent
        return [self._without_id(each) if self._is_stored(each) else each for each in sent]

    def same(self, request: MappedRequest[MessageT], body: Body, options: object) -> list[MessageT]:
        """The messages of a compiled body, where the provider has the same in a conversation of its
        own.

        Args:
            options: among which the option may be.

        Raises:
            SpecError: it has something else; names the option.
        """
        sent = request.messages_of(body)
        if self._is_on(options) and not self._has_the_same(request, body, sent):
            raise SpecError(
                "the provider keeps this conversation, and the spec shows something else of what "
                "it has",
                where=self.option,
                fix="leave it out, and the whole conversation is sent as the spec has it; "
                f"{self.other}",
            )
        return sent

    def _is_on(self, options: Any) -> bool:
        value = options.get if isinstance(options, dict) else partial(getattr, options)
        return not self.option or bool(value(self.option, None))

    def _has_the_same(self, request: MappedRequest[MessageT], body: Body, sent: list[Any]) -> bool:
        """Whether all up to the newest answer that the provider keeps is as it was."""
        own = request.messages
        newest = max((n for n, each in enumerate(own) if self._is_stored(each)), default=-1)
        pairs = zip(own[: newest + 1], sent, strict=False)
        is_same = newest < len(sent) and all(one is other for one, other in pairs)
        return newest < 0 or (is_same and request.system_of(body) is None)

    def _is_stored(self, message: Any) -> bool:
        data: dict[str, Any] = getattr(message, self.field, None) or {}
        ids = (data.get(name) for name in self.names)
        return any(id and str(id).startswith(self.prefix) for id in ids)

    def _without_id(self, message: Any) -> Any:
        data: dict[str, Any] = getattr(message, self.field)
        rest = {key: value for key, value in data.items() if key not in self.names}
        return message.model_copy(update={self.field: rest})


AGNO = AnswerIds("provider_data", ("response_id", "interaction_id"))
LANGCHAIN = AnswerIds("response_metadata", ("id",), "resp_", "use_previous_response_id")
PYDANTIC_AI = AnswerIds(
    "provider_details",
    ("conversation_id",),
    option="openai_conversation_id",
    other="openai_previous_response_id='auto' goes on from an answer while that is the same",
)
