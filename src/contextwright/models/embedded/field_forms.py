"""The forms of values: what a field's name says that its value looks like."""

import re

from contextwright.text.search_terms import stem, words

_THOUSANDS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
AMOUNT = rf"(?<![\w.,-])({_THOUSANDS})\s?(k|m|thousand|million)?\b(?![-/:%]|[.,]\d)"
"""A number, and its scale."""
SCALE = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000}
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY = rf"\d{{4}}-\d\d-\d\d\b|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
_WEEKDAY = r"(?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|tomorrow\b|today\b"
ID = r"#?(?=[\w-]*[\d_]|(?-i:[A-Z]){4})[A-Za-z\d][\w-]+\b"
NAME = r"(?-i:[A-Z])[\w'\u2019-]+(?: (?-i:[A-Z])[\w'\u2019.-]*){0,3}"
EMAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
DEADLINE = rf"(?:by|until|before|within|in|next|due)\s+[^,;.!?]{{3,40}}|{_DAY}"
_FORMS = {
    "email mail": EMAIL,
    "id number code reference sku": ID,
    "phone telephone": r"\+?\(?\d[\d ().-]{5,}\d",
    "url link website": r"https?://\S+[^\s.,;)]",
    "name": NAME,
    "timeline deadline due": DEADLINE,
    "date day": rf"\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?\b|{_DAY}|{_WEEKDAY}",
    "time": r"\d{1,2}:\d\d(?: ?[ap]\.?m\b)?|\d{1,2} ?[ap]\.?m\b|noon\b|midnight\b",
    "price cost budget amount total fee": r"[$\u20ac\u00a3]?\d[\d,]*(?:\.\d+)?"
    r"\s?(?:k|m|usd|eur|dollars|euros)?\b",
}
"""The form of a value, by the words of its field's name; the last one that has a form counts."""
_FORM_OF_STEM = {stem(word): form for names, form in _FORMS.items() for word in names.split()}
NO_VALUE = re.compile(
    r"(?:please|not|no longer|unknown|unclear|required|needed|missing|what|which|where|how|who|for"
    r"|to|going|still|being|also|as|if|that|this|it|you|i|we|they|he|she|there|based|non|either"
    r"|(?:the )?same|just|your|correct|wrong|valid|invalid|available|important|fine|ok|okay"
    r"|good|great|n/?a|tbd)\b",
    re.IGNORECASE,
)
"""What does not begin a value of no form of its own."""
GOES_ON = re.compile(
    r"\s+(?:and|but|so|because|which|that|with|who)\s.*|\s+(?:now|today|please|thanks)$",
    re.IGNORECASE | re.DOTALL,
)
"""What a sentence goes on with behind such a value."""


def form_of(name: str) -> str:
    """The form of a field's value, as a pattern; empty where it has none of its own."""
    split = words(name.replace("_", " "))
    if "of" in split:  # the number of seats is none that names a seat
        split = split[split.index("of") + 1 :]
    forms = (_FORM_OF_STEM.get(stem(word), "") for word in reversed(split))
    return next(filter(None, forms), "")
