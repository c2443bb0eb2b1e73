"""What holds from where it was said on is told from what is only said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text import directives as module
from contextwright.text.directives import MAX_DIRECTIVES, directives, obliges_to_do
from contextwright.text.wordings import Wordings

PIECES = ("we", "have to ", "you can\u2019t", "No ", "Max: ", "Leave it alone", "I ", "rejected",
          "we use x, not y", "only", "it is", "then", "ask me first", "don\u2019t",
          "We'll ", "we will", " use", " keep", "decided", "AGREED", "Let's", "let\u2019s",
          "wir", " nehmen ", "D\u00e9cid\u00e9", "ne touche pas", "muss", "vamos con", "\u5fc5\u987b", "go with", "settled on", "chosen", "Chosen", " ", ". ", "\n", "\u017f", "x", "never")  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Never touch the file app.cfg.",
        "Stay out of old/parser.py though, Ola rewrites it.",
        "Format what fails, but don't let it near third_party/ - we compare that.",
        "Memory budget: half a gigabyte.",
        "The proxy may only speak TLS.",
        "Changing the numbers is not an option.",
        "Backups run at noon, at no other time.",
        "The account of Oda is under legal hold.",
        "Before any release of the site, get a word from Ines.",
        "And each change that users see gets a row in NEWS.",
        "It has to fit the old screen or nobody can, or it is useless.",
        "So leave the Czech texts to Jana.",
        "For anything above ten euros ask Ruth first.",
        "You can reach me after six.",
        "Just address me as Dr. Ito.",
        "And no `goto` in there please, not even once.",
        "We write `Invoice`, not `Bill`.",
        "Let's do one branch, no release branch any more.",
        "`put` is public, so that one keeps its name.",
        "Final call: hosting in Oslo.",
        "We've moved off make.",
        "The team selected the small one.",
        "The code name is now Heron.",
        "The answer must not be longer than 80 words.",
        "From now on answer in English.",
        "Do not deploy on Fridays.",
        "Please don\u2019t use tabs.",
        "We decided to use PostgreSQL for the queue.",
        "Let's use the second plan.",
        "Keep it under 5 euros, whatever happens.",
        "Make sure that every test runs offline.",
        "I prefer window seats.",
        "It must be under 200 words.",
        "Uploads are never retried.",
        "1: Never push to main.",
        "Always make sure to look at the open file.",
        "When I ask about dates, always use the ISO format.",
        "We never deploy on Fridays.",
        "The report must have three sections.",
        "It is never allowed to skip a test.",
        "I never want to see a raw stack trace.",
        "You should only answer in English.",
        "Stay below 400 tokens a call.",
        "My budget is 4,000 euros.",
        "The deadline is Friday.",
        "I am allergic to nuts.",
        "Use at most 3 requests a minute.",
        "Please write to Ann in future.",
        "Rule 3: all dates in ISO 8601.",
        "Max budget: $450.",
        "Amounts have to be in euros.",
        "It has to be valid YAML.",
        "Every function needs a docstring.",
        "You can't use the production database.",
        "You are not to merge it yourself.",
        "Nobody else may merge.",
        "Using eval is not permitted.",
        "The invoice stays as it is.",
        "No flights before 8am.",
        "No emojis, please.",
        "Leave the old module untouched.",
        "As always, don't touch billing.py.",
        "Ask me before you run migrations.",
        "Do nothing without my approval.",
        "Going forward, name branches after tickets.",
        "For the rest of this session answer briefly.",
        "The maximum spend is 500 dollars.",
        "I can only spend up to 300 dollars.",
        "I'm lactose intolerant.",
        "I\u2019d rather not fly at night.",
        "We only support PostgreSQL.",
        "We use tabs, not spaces.",
        "Answer in German.",
        "Economy class only, please.",
        "Let's stick with the second plan.",
        "We chose PostgreSQL over MySQL.",
        "Decision: PostgreSQL.",
        "PostgreSQL it is.",
        "I'll take the 9:40 flight.",
        "We won't use MySQL.",
        "Nothing may be written to the vault.",
        "Before dropping a table, take a snapshot.",
        "Refunds above 250 dollars need a manager's sign-off.",
        "The invoices are not to be edited.",
        "Mondays are out, I have training.",
        "Leave the copyright headers intact.",
        "Two reviewers per change.",
        "Our style guide forbids passive voice.",
        "Without a receipt we can't refund.",
        "My mother uses a wheelchair.",
        "Let's settle on the blue one.",
        "Instead of Stripe we'll integrate Adyen.",
        "The verdict is to retire the endpoint.",
        "We ended up choosing Vienna.",
        "Okay then, the early ferry it is.",
        "We're moving to Temporal.",
        "I don't want to see card numbers in the logs.",
        "Please make it a habit to count the rows twice.",
        "Please you not write the address of Bea in letters.",
        "That shelf is full, from now we sell the other soap.",
        "The nurses know it, so that's the plan.",
        "Tell Berta before you move it.",
        "Lets keep the fee between us.",
        "Notify Berta before you move it.",
    ],
)
def test_rules_and_decisions_of_a_user_hold(text):
    assert directives(f"Thanks for that. {text} What is next?") == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "I have no need to look at it any more.",
        "There is no problem any more.",
        "Call me a dreamer.",
        "The other option is to wait.",
        "What must I do?",
        "I don't know.",
        "The file is used twice.",
        "Read app.cfg.",
        "Fine!",
        "",
        "I must have left it somewhere else.",
        "It must be fun!",
        "I\u2019ve never used it before.",
        "They always remind me of home.",
        "As always, thanks.",
        "Never mind.",
        "Don't worry.",
        "Keep it up, you are great!",
        "Version control is a must.",
        "At least I have tried.",
        "Perhaps in the future.",
        "Requirement already satisfied: six in /usr/lib",
        "```python\n# never do this by hand\nx = 1\n```",
        "1463:    msg = 'The precision must be {}'",
        "1440:   precision: how far. Must be 'days' or 'seconds'.",
        '"error": "a key is required to read it"',
        "No problems so far.",
        "You know, I have to be at work.",
        "I chose to stay.",
        "Go ahead with the change.",
        "Yes it is!",
        "If you have time, don't hesitate.",
        "Max is a good dog.",
        "I can't wait.",
        "Here it is.",
        "Indeed, it is.",
        "You got it.",
        "The idea is to have some fun.",
        "It is lactose-free!",
        "I was in the final, and I won!",
        "Fine, go ahead then.",
        "I don't want to see it.",
        "Two weeks from now we meet again.",
        "You not sure about it either.",
        "A plan is a plan.",
        "Let's keep going.",
        "Let's keep each other motivated.",
    ],
)
def test_what_is_only_said_does_not(text):
    assert directives(text) == ()


WORDINGS = (
    "must", "mustn't", "never", "always", "from now on", "in the future", "in future",
    "at all costs", "whatever happens", "no matter what", "under no circumstances", "not allowed",
    "forbidden", "prohibited", "required to", "no more than", "no less than", "no fewer than",
    "at most two", "at least an", "make sure", "be sure", "keep in mind", "i prefer", "we insist",
    "i only want", "hard limit", "constraint", "requirement", "do not", "don't", "only", "avoid",
    "remember", "stick to", "use", "keep", "so please use",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Die Datei app.cfg darf nicht angefasst werden.",
        "Bitte keine E-Mails verschicken.",
        "Nooit op vrijdag uitrollen.",
        "Ne touche pas au fichier app.cfg.",
        "Le rapport doit avoir trois parties.",
        "Nunca borres app.cfg.",
        "A partir de ahora responde en inglés.",
        "Responda sempre em inglês.",
        "Non toccare mai app.cfg.",
        "Никогда не трогай app.cfg.",
        "不要修改 app.cfg。",
        "app.cfgは絶対に変更しないでください。",
        "app.cfg는 절대 수정하지 마세요.",
        "Wir haben uns für PostgreSQL entschieden.",
        "Nous avons décidé d'utiliser PostgreSQL.",
        "Vamos con el plan B.",
        "我们决定用 PostgreSQL。",
        "PostgreSQLにしましょう。",
    ],
)
def test_rules_and_decisions_in_other_languages_hold(text):
    assert directives(text) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "Was steht in app.cfg?",
        "Merci beaucoup.",
        "文件里有什么？",
        "Il fichier est long.",
        "Danke!",
    ],
)
def test_what_is_only_said_in_other_languages_does_not(text):
    assert directives(text) == ()


def test_of_an_assistant_only_decisions_are_told():
    assert directives("You must always back up. We agreed on Tuesday.", "assistant") == (
        "We agreed on Tuesday.",
    )


def test_what_somebody_pasted_is_no_list_of_rules():
    pasted = "Never do this. " * 100
    assert sum(map(len, directives(pasted))) <= MAX_DIRECTIVES
    assert directives("never " * 200) == ()


def test_each_line_of_a_list_may_be_a_rule():
    rules = ("- Use tabs.", "* No emojis!", "2) Do not push.", "3) Max cost: $4")
    assert directives("\n".join(("Please do this.", *rules, "- Open app.py."))) == rules


def every_pattern(wordings, small):
    return tuple(("", number) for number in range(len(wordings._patterns)))


@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join), st.booleans())
def test_a_text_is_looked_at_wherever_it_may_hold(text, user):
    role = "user" if user else "assistant"
    found = directives(text, role)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "may_correct", lambda text, small=None: True)
        patch.setattr(module, "_may_be_foreign", lambda small: True)
        patch.setattr(Wordings, "near", every_pattern)
        assert directives(text, role) == found


def test_sentences_without_the_words_are_held_against_no_pattern(monkeypatch):
    held, holds = list[str](), module._holds
    monkeypatch.setattr(module, "_holds", lambda one, *more: held.append(one) or holds(one, *more))
    rule = "You must use tabs."
    text = f"Here is my file. I wrote it at home. {rule} It draws trains; their wheels are red."
    assert directives(text) == (rule,) == tuple(held)
    assert directives("", "assistant") == ()


@pytest.mark.parametrize("words", [w for w in WORDINGS if w.isascii()])
def test_every_wording_of_a_rule_is_looked_at(words):
    assert directives(f"Well then. {words.capitalize()} it is.")


@pytest.mark.parametrize(
    "text",
    [
        "Could you make sure that messages to the Mendes family are always in Portuguese?",
        "can you please never page Otto on weekends?",
        "I need you to treat the donor list as a secret.",
        "Please try and keep Ida and Tom apart.",
        "Could you make it a habit to count the rows before and after?",
        "What I don't want is another surprise with the ledger: show it to me, then post.",
    ],
)
def test_what_is_asked_for_politely_holds_where_it_is_for_good(text):
    assert directives(text) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "Could you keep me posted?",
        "Can you make sure that the build passes?",
        "Could we possibly get at least a 10% refund?",
        "I need you to send the report.",
    ],
)
def test_what_is_asked_for_once_does_not(text):
    assert not directives(text)


@pytest.mark.parametrize("text", ["draft the mail. {}", "is it far? draft the mail! {}"])
def test_of_a_user_who_writes_no_capitals_a_sentence_holds_by_itself(text):
    assert directives(text.format("pls keep ida off the list")) == ("pls keep ida off the list",)
    assert directives(text.format("pls send ida the list, e.g. keep it here")) == ()


@pytest.mark.parametrize(
    ("text", "is_task"),
    [
        ("You must change the price of the soap to 9.", True),
        ("You have to send the parcel to Bea.", True),
        ("You must never be late.", False),
        ("The price must be below 9.", False),
        ("Change the price of the soap.", False),
    ],
)
def test_a_task_may_have_the_words_of_a_rule(text, is_task):
    assert obliges_to_do(text) is is_task


def test_what_takes_something_back_is_told_with_the_name_behind_it():
    text = "Scratch that, somebody uses it already. Bittern."
    assert directives(text) == (text,)
