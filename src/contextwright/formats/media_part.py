"""A picture, or any other file, of what a message says of it."""

from contextwright.session.event import File, Image

_STANDARD = str.maketrans("-_", "+/")


def standard_base64(data: str) -> str:
    """Base64 in the alphabet that every provider takes: pydantic writes the other one, so that
    stored messages and the requests of Google's SDK have it."""
    return data.translate(_STANDARD) if "-" in data or "_" in data else data


def media_part(media_type: str, *, data: str = "", url: str = "", name: str = "") -> Image | File:
    """An image where its type says so, else a file.

    Args:
        data: base64.
    """
    if media_type.startswith("image/"):
        return Image(media_type=media_type, data=data, url=url)
    return File(media_type=media_type, data=data, url=url, name=name)
