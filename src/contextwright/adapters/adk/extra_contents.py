"""What a request of ADK's holds beside the conversation: a dynamic instruction, loaded artifacts,
memories, what a callback put in. ADK tells none of it of the session, so nobody else would."""

from google.genai import types

FRONT = -1
"""The place of what stands in front of the whole conversation."""


def extra_contents(
    contents: list[types.Content], source: list[types.Content]
) -> list[tuple[types.Content, int]] | None:
    """The contents that ADK does not tell of the session, each with how many of those that it tells
    follow; None where one of these is missing, is another or stands elsewhere: then somebody wrote
    the conversation anew.

    Args:
        contents: of the request.
        source: what ADK tells of the session.
    """
    extras: list[tuple[types.Content, int]] = []
    known = 0
    for content in contents:
        if known < len(source) and content == source[known]:
            known += 1
        else:
            extras.append((content, len(source) - known if known else FRONT))
    return extras if known == len(source) else None


def put_extra_contents(
    contents: list[types.Content], added: list[tuple[types.Content, int]]
) -> list[types.Content]:
    """The contents with those added, as far from the end as they were. None comes between a
    tool's call and its result."""
    front = [content for content, after in added if after == FRONT]
    places: dict[int, list[types.Content]] = {}
    for content, after in added:
        if after != FRONT:
            place = max(0, len(contents) - after)
            while place < len(contents) and _has_result(contents[place]):
                place += 1
            places.setdefault(place, []).append(content)
    out = front
    for place, content in enumerate(contents):
        out += [*places.get(place, ()), content]
    return out + places.get(len(contents), [])


def _has_result(content: types.Content) -> bool:
    return any(part.function_response for part in content.parts or ())
