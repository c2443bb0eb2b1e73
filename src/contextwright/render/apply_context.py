"""The context of one request in another, whose caller built it elsewhere."""

from collections.abc import Mapping
from typing import Any

from contextwright.errors import NotInThisFormat
from contextwright.formats.fields import Json, object_if
from contextwright.render.gemini_body import SYSTEM
from contextwright.render.idle_choice import without_idle_choice
from contextwright.render.providers import provider_named


def applied(request: Json, body: Mapping[str, Any], format: str, *, of_tools: bool) -> Json:
    """The body with the context of a request of the same format.

    Args:
        of_tools: whether it was decided which tools are sent: none are where the request has none.

    Raises:
        NotInThisFormat: it has no place for the request's messages.
    """
    renderer = provider_named(format).renderer
    messages = renderer.cache_order[-1]
    if messages == "contents" and "contents" in object_if(object_if(body).get("request")):
        return {**body, "request": applied(request, body["request"], format, of_tools=of_tools)}
    if not isinstance(body, Mapping) or messages not in body:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise NotInThisFormat(
            f"expected a request for {format}, with {messages!r}",
            where="pack.apply(body)",
            fix=f"give the keyword arguments of the call; this pack is for {format}",
        )
    whole = dict(body)
    if messages == "contents":
        return _gemini(request, whole, of_tools=of_tools)
    for key in renderer.context_keys:
        if key in request:
            whole[key] = request[key]
    return _scoped(whole, request, of_tools=of_tools)


def _scoped(place: Json, request: Json, *, of_tools: bool) -> Json:
    if of_tools and not request.get("tools") and place.get("tools"):
        return without_idle_choice({**place, "tools": None})
    return place


def _gemini(request: Json, body: Json, *, of_tools: bool) -> Json:
    """As for all; instruction and tools go where the body has its own."""
    body["contents"] = request["contents"]
    config = object_if(request.get("config")) or request
    place = dict(object_if(body.get("config"))) if "config" in body else body
    system = next((config[key] for key in SYSTEM if config.get(key) is not None), None)
    if system is not None:
        key = next((key for key in SYSTEM if key in place), SYSTEM["config" not in body])
        plain = "config" in body or isinstance(system, dict)
        place[key] = system if plain else {"parts": [{"text": system}]}
    if config.get("tools"):
        place["tools"] = config["tools"]
    place = _scoped(place, config, of_tools=of_tools)
    return {**body, "config": place} if "config" in body else place
