"""Gemini's generateContent as its command line asks for it where its user logged in."""

from collections.abc import Iterator
from typing import Any

from contextwright.testing.strict_server.api import Event, Issued
from contextwright.testing.strict_server.billing import Billed
from contextwright.testing.strict_server.gemini_api import GeminiApi
from contextwright.testing.strict_server.refusal import fields, unknown_fields
from contextwright.testing.strict_server.reply import Reply

_TOP = fields("model project user_prompt_id request")


class GeminiLoginApi(GeminiApi):
    """`POST /v1internal:generateContent` and `:streamGenerateContent`: the request stands in an
    object that names the model and the project, the answer in one with a trace."""

    def check(self, body: dict[str, Any], issued: Issued, bound: bool) -> None:
        unknown_fields(body, "body", _TOP)
        super().check(_request(body), issued, bound)

    def units(self, body: dict[str, Any]) -> list[Any]:
        return super().units(_request(body))

    def texts(self, body: dict[str, Any]) -> list[str]:
        return super().texts(_request(body))

    def tools(self, body: dict[str, Any]) -> list[str]:
        return super().tools(_request(body))

    def answer(
        self, body: dict[str, Any], reply: Reply, billed: Billed, issued: Issued
    ) -> dict[str, Any]:
        answer = super().answer(_request(body), reply, billed, issued)
        return {"response": answer, "traceId": answer["responseId"]}

    def events(self, body: dict[str, Any], answer: dict[str, Any]) -> Iterator[Event]:
        for name, data in super().events(_request(body), answer["response"]):
            yield name, {"response": data, "traceId": answer["traceId"]}


def _request(body: dict[str, Any]) -> dict[str, Any]:
    """The request as another client would send it."""
    request = {key: value for key, value in body["request"].items() if key != "session_id"}
    return {**request, "model": body["model"]}
