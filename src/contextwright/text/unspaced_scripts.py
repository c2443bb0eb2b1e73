"""Scripts that set no blank between words, or none between a word and its particles: an id of Latin
letters and digits may stand there beside any sign, and is a word by itself."""

import re

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u312f\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"  # Chinese, Japanese
    "\u1100-\u11ff\uac00-\ud7af"  # Korean
)
"""Their signs, as a class of a pattern has them."""
_SIGN = re.compile(f"[{UNSPACED}]")


def has_unspaced(text: str) -> bool:
    """Whether a text has signs of such a script. What identifies something stands there in ASCII
    between them: a pattern that looks for it is asked with `re.ASCII`."""
    return not text.isascii() and _SIGN.search(text) is not None


def word_flags(text: str) -> re.RegexFlag:
    """How patterns of words take a text: signs of other scripts are no part of an id in such a
    text; in ASCII they are asked for faster, and tell the same."""
    return re.ASCII if text.isascii() or has_unspaced(text) else re.NOFLAG
