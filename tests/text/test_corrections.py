"""What takes back or changes what was said before, and what only sounds so."""

import pytest

from contextwright.text.corrections import MAX_CORRECTION, TERSE, corrections, corrects
from contextwright.text.directives import directives


@pytest.mark.parametrize(
    "message",
    [
        "no, the 2pm slot",
        "hmm, sorry, I meant the Lyon office",
        "nope. metric units",
        "No. No partitions.",
        "Actually the invoice goes to Marta",
        "hang on, it's the blue one we want",
        "my bad, wrong file. it's b.csv",
        "wrong key for the shed door, it hangs under the pot",
        "the link is actually 666666",
        "let's do 40 rather than 60",
        "only three instead of five people are coming",
        "Make the font 14pt.",
        "make it half",
        "Make the reservation for 11:15.",
        "the launch was pushed to the 21st",
        "the deadline got extended to Friday",
        "she changed her mind: aisle seat",
        "I misspoke, two adults and one child",
        "it was 5 not 15",
        "not Anna, Hanna.",
        "The dealer has no parts for that model. So not them.",
        "use v3 of the template after all",
        "it should read 'Schmidt'",
        "Ignore my previous note about fonts",
        "we're back to three rooms",
        "we're down to 5",
    ],
)
def test_what_changes_what_was_said(message):
    assert corrects(message)
    assert directives(message)


@pytest.mark.parametrize(
    "message",
    [
        "No, thanks.",
        "No, that's all.",
        "no, nothing else",
        "no, it works now",
        "No chest pain, no fever.",
        "No problem, take your time",
        "Sorry for the delay!",
        "sorry, I was away",
        "wait, what?",
        "Hold on, let me check",
        "Wait until it is done.",
        "Can you move it to May 24 instead?",
        "Is it 5 or 6?",
        "I moved to Berlin in 2019",
        "We switched to Postgres last year",
        "make it work",
        "make the tests pass",
        "Make a table of it",
        "Make the invoice for order12.",
        "go to the second page",
        "this is not what I expected",
        "not sure",
        "I don't actually have the number with me right now.",
        "I've realized that I gave the wrong number.",
        "The dog is out",
    ],
)
def test_what_only_sounds_so(message):
    assert not corrects(message)


def test_a_long_message_is_told_by_its_sentences():
    rest = "The boat was painted in spring. " * 12
    assert len(rest) > MAX_CORRECTION
    assert not corrects(f"No, use 40 feet of rope. {rest}")


def test_of_a_message_that_is_not_terse_what_corrects_is_told_with_what_it_corrects():
    message = (
        "good catch. sand the deck and the rail down to the wood, then paint it four times, from the "
        "bow on. no - once is enough, the weather turns. can you start today?"
    )
    assert len(message) > TERSE
    told = (
        "sand the deck and the rail down to the wood, then paint it four times, from the bow on.",
        "no - once is enough, the weather turns.",
    )
    assert corrections(message) == directives(message) == told


def test_a_short_message_is_told_whole_where_no_rule_says_what_it_corrects():
    message = "the hull looks dull. no, two coats"
    assert directives(message) == (message,)
    assert directives("Fix the keel. We use tabs, not spaces.") == ("We use tabs, not spaces.",)
    assert directives("no, two coats", "assistant") == ()
