"""What a search finds, and how two scorings are one."""

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.errors import MissingExtra, ModelError
from contextwright.retrieval.fuse import fused
from contextwright.retrieval.lexical import scores
from contextwright.text import sentences as sentence_ends
from contextwright.text.search_terms import content_words, stem, words
from contextwright.text.sentences import sentences


def best(query, *texts):
    found = scores(query, texts)
    return found.index(max(found)) if any(found) else None


def test_the_text_that_shares_the_rarest_words_is_best():
    texts = [f"nothing about it, number {n}" for n in range(50)] + [
        "the refund of order A17",
        "an order of tea",
    ]
    found = scores("refund for order A17", texts)
    assert found[50] == 1_000_000
    assert 0 < found[51] < found[50]
    assert found[:50] == [0] * 50


@pytest.mark.parametrize(
    ("query", "texts", "place"),
    [
        ("refunds", ["we refund you", "we thank you"], 0),
        ("user name", ["getUserName()", "setOrderId()"], 0),
        ("src/main.py", ["see tests/x.py", "see src/main.py"], 1),
        ("東京の天気", ["大阪の食べ物", "東京の天気は晴れ"], 1),
        ("ÉCOLE", ["une école", "une maison"], 0),
        ("billing charge", ["likes tea", "was charged twice", "lives in Lyon"], 1),
        ('" OR 1 NEAR( * -', ["nothing", "x NEAR y"], 1),
        ("", ["a"], None),
        ("zebra", ["a", "b"], None),
    ],
)
def test_what_is_found(query, texts, place):
    assert best(query, *texts) == place


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=12))
def test_any_text_is_searched_and_the_same_every_time(query, texts):
    found = scores(query, texts)
    assert found == scores(query, texts)
    assert len(found) == len(texts)
    assert all(0 <= score <= 1_000_000 for score in found)


def test_words_are_folded_and_split():
    assert words("HTTPServer v2, get_user-name") == ["http", "server", "v2", "get", "user", "name"]
    assert words("日本語 test") == ["日本", "本語", "test"]
    assert content_words("the refund of the order") == ["refund", "order"]
    assert content_words("to be or not") == ["to", "be", "or", "not"]
    assert stem("orders") == stem("order")
    assert stem("address") == "address"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Ann paid e.g. 49.50 euros. Fine.", ["Dr. Ann paid e.g. 49.50 euros.", "Fine."]),
        ("- first\n- second\n1. third", ["- first", "- second", "1. third"]),
        ("Look:\n```py\na. B\nC. d\n```\nDone.", ["Look:", "```py\na. B\nC. d\n```", "Done."]),
        ("これは一つ。これは二つ。", ["これは一つ。", "これは二つ。"]),
        ("I said no. We left. See no. 5.", ["I said no.", "We left.", "See no. 5."]),
        ('He said "yes." She left.', ['He said "yes."', "She left."]),
        ("", []),
    ],
)
def test_sentences_end_where_readers_end_them(text, wanted):
    assert sentences(text) == wanted


@given(st.text(max_size=300))
def test_no_letter_is_lost_between_sentences(text):
    kept = "".join("".join(sentences(text)).split())
    dropped = [c for c in "".join(text.split()) if c not in kept and c not in "\"')]"]
    assert dropped == []


ENDS = re.compile(
    r"(?:(?<=[.!?])|(?<=[.!?][\"')\]]))(\s+)(?=[\"'(\[]?[A-Z0-9\u00c0-\u024f])"
    r"|(?<=[\u3002\uff01\uff1f])|\n\s*\n|\n"
)
"""Where a sentence may end, tried at every letter."""
SIGNS = st.sampled_from((*"Ab5.!?)' \t\n\u3002\uff01\u0085", "\n\n", ". ", '." ', "e.g. ", "no. "))


@given(st.lists(SIGNS, max_size=14).map("".join))
def test_ends_are_found_from_blank_to_blank_as_at_every_letter(text):
    found = sentences(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence_ends, "_END", ENDS)
        patch.setattr(sentence_ends, "_END_WIDE", ENDS)
        assert sentences(text) == found


def test_scorings_are_fused_by_their_stretched_values():
    assert fused([0, 5, 10], [10, 5, 0]) == [600_000, 500_000, 400_000]
    assert fused([0, 0], [1, 3]) == [0, 1_000_000]
    assert fused([3, 3], [2, 2]) == [1_000_000, 1_000_000]  # found, and none better than another
    assert fused([0, 0], [0, 0]) == [0, 0]
    assert fused([], []) == []


@pytest.fixture
def folder(tmp_path):
    numpy = pytest.importorskip("numpy")
    tokenizers = pytest.importorskip("tokenizers")
    save_file = pytest.importorskip("safetensors.numpy").save_file
    vocabulary = {"[UNK]": 0, "cat": 1, "kitten": 2, "car": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    matrix = numpy.array([[0, 0], [1, 0], [0.9, 0.1], [0, 1]], dtype="float32")
    save_file({"embeddings": matrix}, str(tmp_path / "model.safetensors"))
    return tmp_path


def test_a_static_embedder_reads_a_local_folder(folder):
    from contextwright.blocks.block import Block
    from contextwright.models import Models
    from contextwright.retrieval.static_embedder import StaticEmbedder
    from contextwright.spec.task import Task

    embedder = StaticEmbedder(folder)
    cat, kitten, car, nothing = asyncio.run(embedder.embed(["cat", "kitten", "car car", ""]))
    assert cat == [1.0, 0.0]
    assert car == [0.0, 1.0]
    assert abs(sum(x * x for x in kitten) - 1) < 1e-6
    assert nothing == [0.0, 0.0]
    blocks = tuple(Block(id=text, source="t", text=text) for text in ("car", "kitten"))
    task = Task(kind="relevance", query="cat", scorer="embedding", blocks=blocks, source="x")
    (answer,) = Models(embedder=embedder).answer_now([task])
    assert answer.value[0] == 0
    assert answer.value[1] > 990_000
    assert answer.model.startswith("static:")


def test_a_folder_without_a_model_is_named(tmp_path):
    from contextwright.retrieval.static_embedder import StaticEmbedder

    with pytest.raises(ModelError) as caught:
        StaticEmbedder(tmp_path)
    assert str(tmp_path) in caught.value.where
    (tmp_path / "tokenizer.json").write_text(json.dumps({}))
    with pytest.raises((ModelError, MissingExtra)):
        StaticEmbedder(tmp_path)
