"""Which of many messages says that a request is over: as looking at each of them says."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.text import end_messages
from contextwright.text.end_messages import EndMessages
from contextwright.text.end_sentences import (
    is_news_of,
    names_in,
    proper_names,
    says_end,
    tells_of,
)

REQUESTS = (
    "Please migrate table item7x.",
    "Refactor the login page.",
    "Water the office plants.",
    "Ask Ottilie, then call Bergmanns about the invoice.",
)
MESSAGES = st.sampled_from((
    *REQUESTS,
    "item7x is finished.",
    "item8x is finished.",
    "Is item7x done?",
    "The login page is refactored.",
    "The login page was mentioned.",
    "All plants of the office are watered.",
    "Cancel item7x.",
    "Forget about the login page.",
    "Good morning.",
    "We called Bergmann, the invoice is paid.",
    "Ottilie asked about the invoices.",
    "The invoice of Bergmanns is no longer needed.",
    "Never mind Bergmann.",
))  # fmt: skip
TALKS = st.lists(st.tuples(MESSAGES, st.sampled_from(("user", "assistant"))), max_size=12)


def messages_of(talk):
    found = EndMessages()
    for place, (text, role) in enumerate(talk):
        found.add(place, text, role)
    return found


@given(TALKS, st.sampled_from(REQUESTS), st.data())
def test_the_end_of_a_request_is_what_looking_at_each_message_finds(talk, request_, data):
    start = data.draw(st.integers(0, len(talk)))
    ends = [at for at in range(start, len(talk)) if says_end(request_, *talk[at])]
    names = {*names_in(request_), *proper_names(request_)}
    by_name = [at for at in ends if any(name in talk[at][0].casefold() for name in names)]
    expected = max(by_name, default=min(ends, default=None))
    found = messages_of(talk)
    assert found.end_of(request_, start, len(talk)) == expected
    tells = [at for at in range(start, len(talk)) if tells_of(request_, *talk[at])]
    assert found.last_word_on(request_, start, len(talk)) == max(tells, default=None)
    said = [at for at in range(start, len(talk)) if talk[at][1] == "user"]
    news = [at for at in said if is_news_of(request_, talk[at][0])]
    assert found.news_of(request_, start, len(talk)) == max(news, default=None)


@given(TALKS, TALKS, st.sampled_from(REQUESTS))
def test_a_place_that_is_taken_anew_is_looked_at_anew(talk, after, request_):
    found = messages_of(talk)
    found.end_of(request_, 0, len(talk))
    found.truncate(len(talk) // 2)
    whole = [*talk[: len(talk) // 2], *after]
    for place, (text, role) in enumerate(after, len(talk) // 2):
        found.add(place, text, role)
    expected = messages_of(whole).end_of(request_, 0, len(whole))
    assert found.end_of(request_, 0, len(whole)) == expected


def test_what_is_over_was_asked_for_by_a_user_in_front_of_it():
    talk = [(REQUESTS[0], "assistant"), (REQUESTS[0], "user"), ("item7x is finished.", "user")]
    found = messages_of(talk)
    assert found.is_asked_for(talk[2][0], 0, 2)
    assert not found.is_asked_for(talk[2][0], 0, 1)
    found.truncate(1)
    assert not found.is_asked_for(talk[2][0], 0, 3)


def test_messages_that_share_few_words_or_end_nothing_are_held_against_no_request(monkeypatch):
    held, asked = [], []
    says, ends = end_messages.says_end, end_messages.ends_something
    monkeypatch.setattr(
        end_messages, "says_end", lambda _, text, role: held.append(text) or says(_, text, role)
    )
    monkeypatch.setattr(
        end_messages, "ends_something", lambda text, role: asked.append(text) or ends(text, role)
    )
    open_, over = "The login page was mentioned, and the office.", "The login page is refactored."
    other = "The office plants are watered."
    found = messages_of([*[(open_, "assistant"), (other, "user")] * 150, (over, "assistant")])
    for start in range(50):
        assert found.end_of("Refactor the login page.", start, 301) == 300
    assert held == [over] * 50
    assert asked == [open_] * 150 + [over]


def test_messages_of_users_that_share_one_word_are_held_against_no_rule(monkeypatch):
    held = []
    is_news = end_messages.is_news_of
    monkeypatch.setattr(
        end_messages, "is_news_of", lambda _, text: held.append(text) or is_news(_, text)
    )
    lifted = "The login page needs no captcha any more."
    talk = [("Put it on the start page.", "user"), ("Show the loginbox there.", "user")] * 50
    found = messages_of([*talk, (lifted, "user"), ("The login page has a captcha.", "assistant")])
    assert found.news_of("The login page must have a captcha.", 0, 102) == 100
    assert held == [lifted]


def test_a_word_that_hardly_any_message_has_names_one_thing():
    ends = EndMessages()
    ends.add(0, "the tree placement of bullfinch looks off", "user")
    ends.add(1, "Is bullfinch done?", "user")
    ends.add(4, "I seeded it anew, the trees of bullfinch are spread evenly.", "assistant")
    ends.add(5, "the trees are fine", "user")
    assert ends.last_by_rare_word("the tree placement of bullfinch looks off", 1, 9) == 4
    assert ends.last_by_rare_word("bullfinch stays", 1, 9, by_users=True) is None
    for at in range(6, 9):
        ends.add(at, f"bullfinch again, part {at}", "assistant")
    assert ends.last_by_rare_word("the tree placement of bullfinch looks off", 1, 9) is None
