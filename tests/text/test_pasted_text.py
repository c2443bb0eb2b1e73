"""What a user pastes for the model to read is not what the user says."""

import pytest

from contextwright.text.directives import directives
from contextwright.text.pasted_text import own_words
from contextwright.text.remarks import remarks

PASSAGES = "\n\n".join(
    f'<passage id="SLA:{n}" score="0.{n}1">\nAvailability is told by month. Credits must be claimed '
    f"within 30 days. Never use a beta feature for it.\n</passage>"
    for n in range(4)
)
PLAIN = "\n\n".join(
    f"[{n}] Terms of service\nCredits must be claimed within 30 days. Question: who pays? Nobody."
    for n in range(6)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"Context passages:\n\n{PASSAGES}\n\nQuestion: And the second one?",
         "Question: And the second one?"),
        (f"Which one is cheaper? Always cite.\n\n{PASSAGES}", "Which one is cheaper? Always cite."),
        (f"Answer from the context.\n\nContext:\n{PLAIN}\n\nQuestion: How much is it?\nAnswer:",
         "Answer from the context.\nQuestion: How much is it?\nAnswer:"),
        (f"## Relevant documents:\n{PLAIN}\n## User question: How much is it?",
         "## User question: How much is it?"),
        (f"<document>\n{PLAIN}\n</document>", f"<document>\n{PLAIN}\n</document>"),
        (f"<document>\n{PLAIN}", f"<document>\n{PLAIN}"),
    ],
)  # fmt: skip
def test_what_is_asked_beside_what_was_found(text, said):
    assert own_words(text) == said


def test_a_message_without_anything_pasted_is_all_said():
    text = "Please rename the module. " * 20 + "\n\nTask: and then run the tests, all of them."
    assert own_words(text) == text
    tagged = "<rules>\nAlways run the tests before a commit.\n</rules>\n" * 8
    assert own_words(tagged) == tagged


def test_passages_lay_down_nothing():
    text = f"Context passages:\n\n{PASSAGES}\n\nQuestion: What is it? Always answer in French."
    assert directives(text) == ("Always answer in French.",)
    assert all("beta" not in one for one in remarks(text))
