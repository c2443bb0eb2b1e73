"""The vocabularies: as the models' own tokenizers count, whichever library counts here."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import unicodedata
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import splintr
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tests.tokens.corpus import DIGESTS, SPECIAL, TEXTS

from contextwright.errors import MissingExtra, ModelError
from contextwright.tokens import vocabulary
from contextwright.tokens.counter import counter_for, named_counter
from contextwright.tokens.vocabulary import VOCABULARIES, _loaded, encoding, load_beside

OPENAI = {"o200k_base": 199_998, "cl100k_base": 100_256}
URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPLITS = {"llama3": (SPLIT, 128_000), "qwen3": (SPLIT.replace("{1,3}", ""), 151_643)}
FILES = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "llama3": "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
    "qwen3": "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
}
"""SHA-256 of the files that OpenAI, Meta and Alibaba gave out, as they gave them out."""
SIZES = OPENAI | {name: size for name, (_, size) in SPLITS.items()}
ANY_TEXT = st.text(st.characters(categories=None), max_size=200) | st.text(
    st.sampled_from("aeé 'sS\n\r\t0129.,_-=<|>{}\"你の🙂\u0301\u200d\u00a0"), max_size=200
)


def tokens_of(name: str) -> list[bytes]:
    known = splintr.Tokenizer.from_pretrained(name)
    return [known.decode_token_bytes(number) for number in range(SIZES[name])]


def as_file(name: str) -> bytes:
    return b"".join(b"%b %d\n" % (b64encode(t), n) for n, t in enumerate(tokens_of(name)))


@pytest.fixture(scope="module")
def oracles(tmp_path_factory):
    """tiktoken with OpenAI's own files, checked by itself; and with Meta's and Alibaba's."""
    folder = tmp_path_factory.mktemp("vocabularies")
    for name in OPENAI:
        path = folder / hashlib.sha1(URL.format(name).encode()).hexdigest()
        path.write_bytes(as_file(name))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        patch.setattr(socket, "socket", None)
        made = {name: tiktoken.get_encoding(name) for name in OPENAI}
    for name, (split, _) in SPLITS.items():
        ranks = {token: number for number, token in enumerate(tokens_of(name))}
        made[name] = tiktoken.Encoding(
            name, pat_str=split, mergeable_ranks=ranks, special_tokens={}
        )
    made["folder"] = folder
    return made


@pytest.mark.parametrize("name", FILES)
def test_the_vocabulary_is_the_file_that_its_maker_gave_out(name):
    assert hashlib.sha256(as_file(name)).hexdigest() == FILES[name]


@pytest.mark.parametrize("name", DIGESTS)
def test_tokens_are_those_of_the_models_own_tokenizer(name):
    numbers = [encoding(name).encode_ordinary(text) for text in TEXTS]
    whole = json.dumps(numbers, separators=(",", ":")).encode()
    assert (hashlib.sha256(whole).hexdigest()[:16], sum(map(len, numbers))) == DIGESTS[name]
    assert named_counter(name).exact


@pytest.mark.parametrize("name", SIZES)
def test_specials_and_halves_of_pairs_are_text_as_tiktoken_has_them(name, oracles):
    for text in (*SPECIAL, "a \ud83d b", "\udc00"):
        assert encoding(name).encode_ordinary(text) == oracles[name].encode_ordinary(text)


@pytest.mark.parametrize("name", DIGESTS)
def test_a_text_counts_the_tokens_that_it_has(name):
    own = encoding(name)
    for text in (*TEXTS, *SPECIAL, "a \ud83d b", "\udc00", "", "<|", "<| endoftext|>"):
        assert own.count(text) == len(own.encode_ordinary(text))


@pytest.mark.parametrize("name", OPENAI)
def test_every_special_token_has_the_mark_without_which_a_text_is_counted_in_one_piece(name):
    splintr = pytest.importorskip("splintr")
    own = splintr.Tokenizer.from_pretrained(name)
    agent = getattr(splintr, f"{name.split('_')[0].upper()}_AGENT_TOKENS")
    numbers = {value for value in vars(agent).values() if isinstance(value, int)}
    specials = [own.decode([number]) for number in sorted(numbers) if number >= own.vocab_size - 60]
    assert len(numbers) > 20 and all("<|" in one for one in specials if one)


@pytest.mark.parametrize("name", SIZES)
@given(text=ANY_TEXT)
def test_any_text_has_the_tokens_that_tiktoken_gives_it(name, oracles, text):
    composed = unicodedata.normalize("NFC", text) if name == "qwen3" else text
    assert encoding(name).encode_ordinary(text) == oracles[name].encode_ordinary(composed)


@pytest.mark.slow
@pytest.mark.parametrize("name", OPENAI)
def test_recorded_texts_have_the_tokens_that_tiktoken_gives_them(name, oracles, read_rows):
    for file in ("tau_bench_airline", "swe_agent", "locomo"):
        for row in read_rows(file, limit=20):
            text = json.dumps(row, ensure_ascii=False)
            assert encoding(name).encode_ordinary(text) == oracles[name].encode_ordinary(text)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_any_vocabulary_forgets(name):
    """As an erasure asks of all that this process remembers; some remember nothing, and refuse."""
    encoding(name).count("some words")
    encoding(name).forget()
    assert encoding(name).count("some words") > 0


def test_a_composed_letter_costs_qwen_what_a_letter_and_its_accent_cost():
    assert named_counter("qwen3").count("a\u0308") == named_counter("qwen3").count("ä")


@pytest.mark.parametrize(
    ("model", "id"),
    [("llama-3.3-70b-instruct", "llama3"), ("meta-llama/Llama-3.1-8B-Instruct", "llama3"),
     ("us.meta.llama3-3-70b-instruct-v1:0", "llama3"), ("ollama/llama3.2:3b", "llama3"),
     ("qwen2.5-72b-instruct", "qwen3"), ("qwen3-coder-plus", "qwen3"), ("qwen.qwen3-32b-v1:0", "qwen3"),
     ("deepseek-chat", "deepseek_v3"), ("deepseek/deepseek-r1:free", "deepseek_v3"),
     ("deepseek-v3.2", "deepseek_v3"), ("deepseek-v4-pro", "deepseek_v3"),
     ("open-mistral-nemo", "mistral_v3"), ("ministral-8b-2410", "mistral_v3"),
     ("mistral-large-2411", "mistral_v2"), ("open-mixtral-8x22b", "mistral_v2"),
     ("mistralai/Mistral-7B-Instruct-v0.3", "mistral_v2")],
)  # fmt: skip
def test_models_named_by_their_generation_are_counted_exactly(model, id):
    assert counter_for(model).id == id and counter_for(model).exact


@pytest.mark.parametrize(
    ("model", "id"),
    [("glm-4.6", "glm4*102"), ("kimi-k2.6", "kimi_k2*102"), ("kimi-k3", "kimi_k2*102"),
     ("phi-4-reasoning", "phi4*102")],
)  # fmt: skip
def test_what_was_not_compared_with_its_own_file_is_no_exact_count(model, id):
    counter = counter_for(model)
    assert counter.id == id and not counter.exact
    exact = len(encoding(counter.base).encode_ordinary(" ".join(TEXTS)))
    assert exact <= counter.count(" ".join(TEXTS)) <= exact * 1.03


def test_a_vocabulary_with_the_ranks_of_another_is_loaded_as_it():
    # splintr before 0.19 has no name for it
    own = splintr.Tokenizer.from_pretrained("cl100k_base")
    for text in TEXTS:
        assert encoding("phi4").encode_ordinary(text) == own.encode_ordinary(text)


@pytest.mark.parametrize(
    "model",
    ["llama-4-scout-17b-16e-instruct-fp8", "llama-2-7b", "qwen3.5-plus", "qwen-plus", "qwen3.7-max",
     "deepseek-coder", "deepseek-r1-distill-llama-70b", "mistral-large-latest", "mistral-large-2512",
     "ministral-8b-2512", "codestral-latest", "phi-4-mini-instruct", "glm-5.1", "gemma-3-27b-it"],
)  # fmt: skip
def test_names_that_tell_no_known_vocabulary_are_estimated(model):
    assert counter_for(model).id == "o200k_base*109"


def test_nothing_is_fetched(monkeypatch):
    monkeypatch.setattr(socket, "socket", None)
    _loaded.cache_clear()
    for name in VOCABULARIES:
        assert encoding(name).encode_ordinary("offline")


def test_tiktoken_counts_the_same_where_splintr_is_missing(monkeypatch, oracles):
    monkeypatch.setitem(sys.modules, "splintr", None)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(oracles["folder"]))
    _loaded.cache_clear()
    try:
        for name in OPENAI:
            numbers = [encoding(name).encode_ordinary(text) for text in TEXTS]
            whole = json.dumps(numbers, separators=(",", ":")).encode()
            assert hashlib.sha256(whole).hexdigest()[:16] == DIGESTS[name][0]
        with pytest.raises(ModelError, match="llama3"):
            encoding("llama3")
        monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
        _loaded.cache_clear()
        with pytest.raises(ModelError, match="not on this machine"):
            encoding("o200k_base")
        monkeypatch.setitem(sys.modules, "tiktoken", None)
        with pytest.raises(MissingExtra, match="splintr-rs"):
            encoding("o200k_base")
    finally:
        _loaded.cache_clear()


def test_threads_that_count_at_once_load_a_vocabulary_once(monkeypatch):
    loads, begin = [], threading.Barrier(4)

    def from_pretrained(name):
        loads.append(name)
        time.sleep(0.05)
        return SimpleNamespace(encode_ordinary=str.split, encode_batch=list)

    stub = SimpleNamespace(Tokenizer=SimpleNamespace(from_pretrained=from_pretrained))
    monkeypatch.setitem(sys.modules, "splintr", stub)
    _loaded.cache_clear()

    def load(_):
        begin.wait(60)
        return encoding("o200k_base")

    try:
        with ThreadPoolExecutor(4) as pool:
            assert len(set(pool.map(load, range(4)))) == 1
        assert loads == ["o200k_base"]
    finally:
        _loaded.cache_clear()


@pytest.fixture
def own_threads(monkeypatch):
    """The threads that begin to load, and nothing that was loaded before."""
    started = []

    class Noted(threading.Thread):
        def start(self):
            started.append(self)
            super().start()

    monkeypatch.setattr(vocabulary.threading, "Thread", Noted)
    _loaded.cache_clear()
    yield started
    _loaded.cache_clear()


def test_a_vocabulary_that_another_thread_loads_is_waited_for_and_not_loaded_again(own_threads):
    load_beside("o200k_base")
    first = encoding("o200k_base")
    own_threads[0].join(60)
    assert first is encoding("o200k_base") and _loaded.cache_info().misses == 1


def test_who_counts_first_has_the_error_of_a_vocabulary_that_is_missing(monkeypatch, own_threads):
    monkeypatch.setitem(sys.modules, "splintr", None)
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    load_beside("o200k_base")
    own_threads[0].join(60)
    with pytest.raises(MissingExtra, match="splintr-rs"):
        encoding("o200k_base")


def test_a_system_without_threads_loads_a_vocabulary_when_it_counts(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(vocabulary.threading.Thread, "start", refuse)
    load_beside("o200k_base")
    assert encoding("o200k_base").count("offline")


def test_other_threads_run_while_the_list_of_all_merges_is_made():
    """Its first word keeps all threads waiting by every other call of splintr (0.18 to 0.22)."""
    script = (
        "import threading, time, splintr\n"
        "own = splintr.Tokenizer.from_pretrained('o200k_base')\n"
        "thread = threading.Thread(target=own.encode_batch, args=(['xqzt'],))\n"
        "turns = 0\n"
        "thread.start()\n"
        "while thread.is_alive():\n"
        "    turns += 1\n"
        "print(turns, threading.active_count())"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert int(found.stdout.split()[0]) > 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_process_forked_after_another_loaded_one_loads_the_next():
    """A pool of threads that splintr kept would be gone there."""
    script = (
        "import os, signal\n"
        "from contextwright.tokens.vocabulary import encoding\n"
        "encoding('o200k_base').count('offline')\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    signal.alarm(30)\n"
        "    encoding('cl100k_base').count('xqzt'); os._exit(0)\n"
        "print(os.waitpid(child, 0)[1])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_process_forked_while_a_thread_loads_a_vocabulary_counts():
    script = (
        "import os, signal, threading, time\n"
        "from contextwright.tokens import vocabulary\n"
        "holds = threading.Event()\n"
        "def load():\n"
        "    with vocabulary._LOADING:\n"
        "        holds.set(); time.sleep(.2)\n"
        "threading.Thread(target=load).start(); holds.wait()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    signal.alarm(30)\n"
        "    vocabulary.encoding('o200k_base'); os._exit(0)\n"
        "print(os.waitpid(child, 0)[1])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n"


def test_a_vocabulary_is_loaded_when_something_is_counted_and_only_that_one():
    script = (
        "import sys; from contextwright.tokens import counter, vocabulary as v; "
        "c = counter.counter_for('gpt-5'); counter.scaled(c, 110); "
        "print('splintr' in sys.modules, v._loaded.cache_info().currsize); c.count('x'); "
        "print('tiktoken' in sys.modules, v._loaded.cache_info().currsize)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert found.stdout.split() == ["False", "0", "False", "1"]
