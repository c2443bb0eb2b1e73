"""A picture, or any other file, of what a message says of it."""

from contextwright.session.event import File, Image


def media_part(media_type: str, *, data: str = "", url: str = "", name: str = "") -> Image | File:
    """An image where its type says so, else a file.

    Args:
        data: base64.
    """
    if media_type.startswith("image/"):
        return Image(media_type=media_type, data=data, url=url)
    return File(media_type=media_type, data=data, url=url, name=name)
