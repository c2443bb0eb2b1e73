"""What may stand at the edges of a match: no ASCII letter, digit or underscore, and no sign that
goes on with a number."""

_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")


def opens(text: str, start: int, glue: str) -> bool:
    """Whether a match may start here: not inside a word, nor behind a number it continues.

    Args:
        glue: signs that go on with a number where a digit is before them.
    """
    if not start:
        return True
    before = text[start - 1]
    if before in _WORD:
        # The `n` of a `\n` in JSON text is no part of a word.
        return before in "nrt" and text[start - 2 : start - 1] == "\\"
    return not (before in glue and text[start - 2 : start - 1] in _DIGITS)


def opening(first: str, glue: str, ahead: str = "", size: int = 1) -> str:
    """The first signs of a match that `opens`, as an expression.

    Args:
        first: these signs: they stand first, so that a search passes over all others.
        ahead: what is matched from there on as well, without being taken.
        size: how many signs they are.
    """
    signs = rf"[\s\S]{{{size}}}"
    behind_number = rf"(?<![0-9][{glue}])" if glue else ""
    opens = rf"(?:(?<![0-9A-Za-z_]){behind_number}|(?<=\\[nrt]))"
    # most places are in a word, which one look tells
    in_word = rf"(?<![0-9A-Z_a-moqsu-z]{signs})"
    return rf"{first}{in_word}(?<={opens}{f'(?={ahead})' if ahead else ''}{signs})"


def closes(text: str, end: int, glue: str) -> bool:
    """Whether a match may end here."""
    after = text[end : end + 1]
    return not (after in _WORD or (after and after in glue and text[end + 1 : end + 2] in _DIGITS))
