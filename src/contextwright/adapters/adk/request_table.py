"""What is known of requests that are under way."""

import weakref
from typing import Generic, TypeVar

from google.adk.models.llm_request import LlmRequest

T = TypeVar("T")


class RequestTable(Generic[T]):
    """A value for each request, forgotten with it: nobody says when one was answered."""

    def __init__(self) -> None:
        self._values: dict[int, T] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, request: LlmRequest, value: T) -> None:
        key = id(request)
        if key not in self._values:
            weakref.finalize(request, self._values.pop, key, None)
        self._values[key] = value

    def get(self, request: LlmRequest) -> T | None:
        """The value of a request."""
        return self._values.get(id(request))
