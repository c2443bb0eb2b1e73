"""What identifies in a text, found by one expression that passes over words of small letters."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from contextwright import Session
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.steps.exchange_features import identifiers
from contextwright.compiler.steps.word_weights import IN_WORDS, OF_RECORD, weighed
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering

SIGNS = st.sampled_from("abcEFG019_./@#- ,:\u00e9\u00c9\n")


@given(st.text(SIGNS, max_size=60))
def test_identifiers_are_words_with_a_mark_inside_or_in_capitals(text):
    number = r"(?<![\w.,/@#-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])"
    words = re.findall(rf"{number}|[\w./@#-]{{3,}}", text)
    stripped = (word.strip(".-/") for word in words)
    expected = dict.fromkeys(
        word for word in stripped if word.isupper() or re.search(r"[\d_/.A-Z-]", word[1:])
    )
    assert identifiers(text) == tuple(expected)


def test_a_number_with_its_thousands_apart_is_one():
    text = "Italy added 3,062 MWh, 5,604.5 in all, at 1,234,567 EUR; 10,20,300 are three"
    assert identifiers(text) == ("3,062", "MWh", "5,604.5", "1,234,567", "EUR", "300")


def test_what_is_escaped_in_json_is_read():
    text = json.dumps({"body": "Dear Priya,\nThis is P-12.\tIt is \u017barnowiec-7"})
    assert identifiers(text) == ("P-12", "\u017barnowiec-7")
    assert identifiers(json.dumps({"dir": "C:\\temp\\new_1"})) == ("new_1",)


def test_heads_of_tables_levels_of_logs_and_amounts_name_nothing():
    session = Session()
    session.call("list_pods", {}, id="a")
    session.result("a", "NAME      READY   STATUS    AGE\nmail-7f9   1/1     Running   22h\n")
    session.call("read_log", {}, id="b")
    session.result("b", "10:16 ERROR mail-7f9 lost seg_14\n10:17 INFO AGE of JFK is 300ms\n")
    words = [dict(weighed(block_of(one))) for one in session.snapshot().exchanges()]
    assert words[0].keys() == {"mail-7f9", "1/1", "22h"}
    assert words[0]["1/1"] == words[0]["22h"] == OF_RECORD
    assert words[1].keys() >= {"mail-7f9", "seg_14", "AGE", "JFK"}
    assert words[1].keys().isdisjoint({"ERROR", "INFO"})


def test_a_message_weighs_the_same_whoever_said_it_before():
    session = Session()
    for _ in range(2):
        session.user("".join(["Is BW-17 still there? ", *["I need it. "] * 30]))  # its own object
        session.assistant("Yes.")
    first, _, again, _ = map(block_of, session.snapshot().exchanges())
    with remembering(Tables()):
        assert weighed(first) == weighed(again) == (("BW-17", IN_WORDS),)
