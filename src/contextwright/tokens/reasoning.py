"""What models do with reasoning that is sent back to them. They differ, and one rule for all is
wrong both ways: where one refuses reasoning whose prefix was edited, another refuses the newest
message without it."""

import re
from functools import lru_cache
from typing import Literal

from contextwright.tokens.models import spellings_of

ReasoningProfile = Literal["none", "strip-old", "keep", "bound"]
"""`none`: it takes none back. `strip-old`: it reads that of the running turn only. `keep`: it reads
all, whatever became of what stood before it. `bound`: reasoning holds only while everything before
it is as it was, and what was left out once stays out."""

_PROFILES: tuple[tuple[str, ReasoningProfile], ...] = (
    (r"claude-(?:3|opus-4(?:-0|-1)?$|sonnet-4(?:-0|-5)?$|haiku-4)", "strip-old"),
    (r"claude-(?:opus|sonnet)-4-\d$|claude-(?:opus|sonnet|fable|mythos)-5$", "keep"),
    (r"claude-mythos-preview$", "keep"),
    (r"claude-", "bound"),
    (r"gpt-(?:6\.[2-9]|[7-9]|\d\d)", "bound"),
)
"""By the beginning of a name. A Claude that is not listed is newer than this list, and the newer
ones bind. Sources: Anthropic, "Preserved thinking" and "Thinking troubleshooting"; OpenAI, "Keep
the prefix unchanged" (GPT-6.2 and later)."""


@lru_cache(1024)
def reasoning_profile(model: str) -> ReasoningProfile:
    """What a model does with reasoning; `keep` where nothing is known of it."""
    name = spellings_of(model)[-1]
    for start, profile in _PROFILES:
        if re.match(start, name):
            return profile
    return "keep"
