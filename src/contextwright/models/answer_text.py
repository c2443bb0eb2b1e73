"""The text of a model's answer, without what no text has; or the fault that it is none."""

import re

from contextwright.models.llm import Completion, ModelFault

_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
_FILTERED = frozenset({"content_filter", "refusal", "safety", "prohibited_content", "blocklist",
                       "recitation", "spii", "guardrail_intervened"})  # fmt: skip
"""Reasons to end, as OpenAI, Anthropic, Gemini and Bedrock name them."""
_NO_TEXT = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-_]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
"""Escape sequences of terminals, and control signs."""
_REFUSAL = re.compile(
    r"(?:i['\u2019]?m (?:really |very |so )?sorry|sorry|i apologi[sz]e|unfortunately)?[,.! ]*"
    r"(?:but |as an ai(?: language)?(?: model)?,? )*"
    r"(?:i (?:can['\u2019]?t|cannot|can not|won['\u2019]?t|am unable to|am not able to)"
    r"|i['\u2019]m (?:unable|not able) to|it (?:is|would be) (?:not|in)appropriate)"
    r"\s+(?:help|assist|comply|summari[sz]e|do (?:that|this)|fulfil+|provide|process|continue"
    r"|answer|share|create|write|generate|discuss)\b"
    r"|(?:es tut mir leid|entschuldigung|leider)[^.!]{0,20}\bkann ich\b[^.!]*\bnicht\b"
    r"|(?:d\u00e9sol\u00e9e?|je suis d\u00e9sol\u00e9e?)[^.!]{0,20}\bje ne peux pas\b"
    r"|lo siento[^.!]{0,20}\bno puedo\b"
    r"|\u5f88?(?:\u62b1\u6b49|\u5bf9\u4e0d\u8d77)[\uff0c, ]*\u6211(?:\u65e0\u6cd5|\u4e0d\u80fd)",
    re.IGNORECASE,
)
"""A refusal in words: an answer that begins so speaks of the model, not of the material."""


def text_of(completion: Completion) -> str:
    """The text.

    Raises:
        ModelFault: cut_off, refused, or malformed: no text, or none that can be stored.
    """
    reason = completion.finish_reason.casefold().rpartition(".")[2]
    if reason in _CUT_OFF:
        raise ModelFault("cut_off", f"the answer ended in the middle ({reason})")
    if reason in _FILTERED:
        raise ModelFault("refused", f"the provider gave no answer ({reason})")
    raw: object = completion.text
    if not isinstance(raw, str):
        raise ModelFault("malformed", f"expected a text, got a {type(raw).__name__}")
    text = _NO_TEXT.sub("", raw).strip()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ModelFault("malformed", f"a text that can not be encoded: {error.reason}") from error
    if _REFUSAL.match(text):
        raise ModelFault("refused", text[:200])
    return text
