"""The best within a budget: never over it, in reading order, neighbours where there is talk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.retrieval.context_rerank import rerank
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Hit, Item
from contextwright.retrieval.token_budget import excerpt, within
from contextwright.tokens.counter import named_counter

COUNT = named_counter("o200k_base").count


def count(text):
    return len(text.split())


def index_of(items):
    index = Index()
    index.add(items)
    return index


def talk(*lines, thread="t", start=0):
    return [
        Item(f"{thread}{n}", f"{who}: {text}", "turn", who, thread)
        for n, (who, text) in enumerate(lines, start)
    ]


BIRDS = talk(
    ("Ann", "The weather was dull all week and nothing happened."),
    ("Ben", "Where did you see the heron?"),
    ("Ann", "Down by the old mill, early."),
    ("Ben", "Nice."),
    ("Ann", "I had soup for lunch."),
    ("Ben", "Tomato, as always?"),
    ("Ann", "Of course."),
    ("Ben", "My train leaves at nine."),
)


def test_an_answer_comes_with_its_question():
    found = within(index_of(BIRDS), "Where was the heron seen?", 14, count)
    assert [item.id for item in found] == ["t1", "t2"]


def test_passages_have_no_neighbours():
    passages = [Item(f"p{n}", item.text.partition(": ")[2]) for n, item in enumerate(BIRDS)]
    found = within(index_of(passages), "Where was the heron seen?", 100, count)
    assert [item.id for item in found] == ["p1"]


def test_what_stands_alone_is_sent_best_first():
    texts = {
        "a": "tea and more and more of it",
        "b": "green tea",
        "c": "green tea from a tea garden",
    }
    index = index_of([Item(id, text) for id, text in texts.items()])
    found = [item.id for item in within(index, "green tea garden", 100, count)]
    assert found[0] == "c"
    assert set(found) == set(texts)


def test_in_a_chat_the_users_words_come_before_the_assistants():
    chat = [
        Item("0", "My budget for the trip is 900 euros.", "turn", "user"),
        Item("1", "A budget for the trip of 900 euros it is.", "turn", "assistant"),
    ]
    scores = {"0": 500_000, "1": 500_000}
    mine, yours = rerank(chat, scores, "what is my budget")
    assert mine > 1.5 * yours
    mine, yours = rerank(chat, scores, "what did you say about the budget?")
    assert mine < 1.5 * yours


def test_a_message_is_worth_part_of_its_answer_beside_its_own_words():
    chat = [
        Item(str(n), "A plan for the trip.", "turn", role)
        for n, role in enumerate(("user", "assistant", "user", "assistant"))
    ]
    answered, _, bare, _ = rerank(chat, {"0": 500_000, "1": 500_000, "2": 500_000}, "plan")
    assert 1 < answered / bare < 1.3


def ranks_of(query, *messages):
    items = [
        Item(str(place), text, "turn", role, "t") for place, (role, text) in enumerate(messages)
    ]
    index = index_of(items)
    worths = rerank(items, index.scores(query), query)
    return sorted(range(len(items)), key=lambda place: -worths[place])


@pytest.mark.parametrize(
    "wish",
    [
        "Always name the file.",
        "Thanks! Never use tabs.",
        "ok.\n  please always add types",
        "From now on no jokes",
    ],
)
def test_what_a_user_wants_of_every_answer_is_worth_something_whatever_is_asked(wish):
    small = ("user", "We ate soup in a big old house."[: len(wish)])
    order = ranks_of("the red deck of cards", ("user", "A deck of cards."), small, ("user", wish))
    assert order == [0, 2, 1]
    said = ("assistant", wish)
    assert ranks_of("the red deck of cards", ("user", "A deck of cards."), small, said)[1] == 1


def test_who_asks_how_many_asks_about_the_users_own_words():
    messages = (("assistant", "You solved problems. " * 3), ("user", "I solved problems. " * 3))
    assert ranks_of("How many problems have I solved?", *messages) == [1, 0]
    assert ranks_of("How long have I solved problems?", *messages) == [1, 0]


@pytest.mark.parametrize(
    ("query", "speakers"),
    [
        ("What pottery did Ben make?", {"Ben"}),
        ("What pottery did ann's friends make?", {"Ann"}),
        ("What pottery did Ann and Ben make?", set()),
        ("What pottery did they make?", set()),
    ],
)
@pytest.mark.parametrize("thread", ["t", ""])
def test_what_is_asked_of_a_speaker_is_in_their_own_lines(query, speakers, thread):
    lines = talk(*[(who, "I made pottery.") for who in ("Ann", "Ben") * 2], thread=thread)
    scores = {line.id: 1_000_000 for line in lines}
    before, after = rerank(lines, scores, "pottery"), rerank(lines, scores, query)
    changes = [new / old for new, old in zip(after, before, strict=True)]
    raised = {
        line.role
        for line, change in zip(lines, changes, strict=True)
        if change > 1.01 * min(changes)
    }
    assert raised == speakers


def test_the_more_take_part_the_more_others_say_of_what_one_is_asked_about():
    def share(*speakers):
        lines = [Item(who, "Pottery.", "turn", who, "t") for who in speakers]
        worths = rerank(lines, {line.id: 1_000_000 for line in lines}, "Ann and pottery")
        return worths[2] / worths[1]

    two = share("Ben", "Ann", "Ben")
    assert two < share("Ben", "Ann", "Cid", "Dan", "Eve") < 1


def test_the_part_one_takes_in_a_chat_is_no_name():
    lines = [Item(who, "The login of a user.", "turn", who, "t") for who in ("Ann", "user", "Ann ")]
    scores = {line.id: 1_000_000 for line in lines}
    assert rerank(lines, scores, "the user's login") == rerank(lines, scores, "the login")


DAYS = ("[1 May 2024] ", "", "", "", "[2 May 2024] ", "", "", "")


def gains(query, roles, days):
    """What dates change of what lines are worth, the least of it being 1."""
    scores = {str(n): 1_000_000 for n in range(len(days))}

    def worths(texts):
        lines = [Item(str(n), t, "turn", roles[n % 2], "t") for n, t in enumerate(texts)]
        return rerank(lines, scores, query)

    bare = worths(["x" * 20] * len(days))
    dated = worths([day + "x" * (20 - len(day)) for day in days])
    changes = [new / old for new, old in zip(dated, bare, strict=True)]
    return [round(change / min(changes), 3) for change in changes]


@pytest.mark.parametrize("said_once", [True, False])
def test_a_session_opens_with_what_is_new(said_once):
    days = DAYS if said_once else [DAYS[0]] * 4 + [DAYS[4]] * 4
    found = gains("pottery", ("Ann", "Ben"), days)
    assert found[:4] == found[4:] == sorted(found[:4], reverse=True)
    assert found[0] > 1.05


@pytest.mark.parametrize(
    ("query", "counts"),
    [
        ("Summarize what we said", True),
        ("Can you give me an overview of it?", True),
        ("the order in which I brought it up", True),
        ("List what I brought up, in order", True),
        ("Is my order in order to be sent?", False),
        ("What is my budget?", False),
    ],
)
def test_in_a_chat_a_sessions_opening_counts_for_a_summary_or_an_order(query, counts):
    found = gains(query, ("user", "assistant"), DAYS)
    assert found[:4] == found[4:]
    assert found == [1] * 8 if not counts else found[0] > 1.5


def test_without_dates_no_session_is_told():
    assert gains("Summarize it", ("user", "assistant"), [""] * 8) == [1] * 8


def test_a_summary_is_of_what_both_said():
    one, other = rerank(
        [Item(str(n), "A plan.", "turn", role) for n, role in enumerate(("assistant", "user"))],
        {"0": 1_000_000, "1": 1_000_000},
        "Summarize the plan",
    )
    assert one > other


def test_a_message_too_long_is_sent_in_its_best_sentences():
    filler = " ".join(f"Sentence {n} is about nothing much at all." for n in range(60))
    text = f"{filler} The heron nests by the old mill in spring. {filler}"
    found = within(index_of([Item("1", text)]), "Where does the heron nest?", 60, COUNT)
    assert "heron nests by the old mill" in found[0].text
    assert COUNT(found[0].text) <= 60
    assert found[0].id == "1"


def test_no_match_sends_nothing():
    assert within(index_of(BIRDS), "xylophone", 100, count) == []
    assert within(Index(), "heron", 100, count) == []
    assert within(index_of(BIRDS), "heron", 0, count) == []


def test_earlier_questions_help():
    passages = [Item("a", "Rivers of France."), Item("b", "Mountains of Norway and their rivers.")]
    index = index_of([*passages, *(Item(f"x{n}", f"Rivers of land {n}.") for n in range(20))])
    found = within(index, "And its rivers?", 7, count, earlier=["Tell me about Norway"])
    assert found[0].id == "b"


class Foreign:
    """A search engine that can only be asked."""

    degraded = ""

    def __init__(self, items):
        self._items = items

    def add(self, items): ...

    def remove(self, ids): ...

    def search(self, query, k=10, *, kinds=()):
        words = set(query.lower().split())
        hits = [
            Hit(item, 1_000_000 * len(words & set(item.text.lower().split())) // len(words))
            for item in self._items
        ]
        return sorted((h for h in hits if h.score), key=lambda h: (-h.score, h.item.id))[:k]


def test_any_retriever_will_do():
    found = within(Foreign(BIRDS), "the heron", 100, count, earlier=["soup"])
    assert "t1" in [item.id for item in found]
    assert found == sorted(found, key=lambda item: item.id)


words = st.lists(
    st.sampled_from(
        ["order", "refund", "tea.", "puppy", "late", "green", "user!", "name", "shelter", "main"]
    ),
    min_size=1,
    max_size=40,
).map(" ".join)
kinds = st.sampled_from(
    [("turn", "user", ""), ("turn", "assistant", ""), ("turn", "Ann", "t"), ("passage", "", "")]
)
collections = st.lists(st.tuples(kinds, words), max_size=12).map(
    lambda rows: [
        Item(str(n), text, kind, role, thread)
        for n, ((kind, role, thread), text) in enumerate(rows)
    ]
)


@given(collections, words, st.integers(0, 120))
def test_never_over_the_budget_and_threads_in_order(items, query, room):
    found = within(index_of(items), query, room, COUNT)
    assert sum(COUNT(item.text) for item in found) <= room
    ids = [item.id for item in found]
    assert len(ids) == len(set(ids))
    said = [int(item.id) for item in found if item.kind == "turn"]
    assert said == sorted(said)
    texts = {item.id: item.text for item in items}
    shortened = [item for item in found if item.text != texts[item.id]]
    assert len(shortened) <= 1


@given(collections, words, st.integers(0, 120), st.randoms())
def test_the_order_of_passages_does_not_show(items, query, room, dice):
    passages = [Item(item.id, item.text) for item in items]
    shuffled = passages[:]
    dice.shuffle(shuffled)
    one, other = (
        within(index_of(passages), query, room, COUNT),
        within(index_of(shuffled), query, room, COUNT),
    )
    assert one == other


@given(collections, collections, words, st.integers(0, 120))
def test_the_order_of_threads_does_not_decide_what_is_sent(ones, others, query, room):
    one = [Item(f"a{i.id}", i.text, "turn", "Ann", "a") for i in ones]
    other = [Item(f"b{i.id}", i.text, "turn", "Ben", "b") for i in others]
    found = [within(index_of(items), query, room, COUNT) for items in (one + other, other + one)]
    assert sorted(found[0], key=lambda i: i.id) == sorted(found[1], key=lambda i: i.id)


@given(words, words, st.integers(0, 60))
def test_an_excerpt_fits_and_is_of_the_text(text, query, room):
    found = excerpt(text, query, room, COUNT)
    assert COUNT(found) <= room
    assert set(found.split()) <= set(text.split())


def recall(read_rows, name, room, limit):
    total = asked = 0
    for row in read_rows(name, limit):
        if name == "locomo":
            items = [
                Item(
                    t["id"], f"{t['speaker']}: {t['text']}", "turn", t["speaker"], str(s["session"])
                )
                for s in row["sessions"]
                for t in s["turns"]
            ]
            asks = [(q["question"], q["evidence"]) for q in row["qa"] if q["category"] != 5]
        else:
            items = [Item(str(m["id"]), m["content"], "turn", m["role"]) for m in row["messages"]]
            asks = [(q["question"], [str(e) for e in q["evidence"]]) for q in row["qa"]]
        index = index_of(items)
        for query, gold in asks[::5]:
            if gold:
                sent = {item.id for item in within(index, query, room, COUNT)}
                total += len(sent & set(gold)) / len(gold)
                asked += 1
    return total / asked


@pytest.mark.parametrize(
    ("name", "room", "least"), [("locomo", 1_000, 0.75), ("beam_100k", 8_000, 0.8)]
)
def test_the_evidence_of_real_conversations_is_found(read_rows, name, room, least):
    """A fifth of the questions of two conversations; plain BM25 reaches .63 and .55."""
    assert recall(read_rows, name, room, 2) > least
