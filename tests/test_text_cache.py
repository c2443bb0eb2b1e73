"""What was erased does not live on in a cache of this process."""

import gc

from contextwright import C, compile
from contextwright.testing import session_of
from contextwright.text_cache import cached_text, forget_remembered
from contextwright.tokens.counter import named_counter


def test_a_remembered_function_is_called_once_until_all_is_forgotten():
    asked = []

    @cached_text(10)
    def double(text):
        asked.append(text)
        return text * 2

    assert double("a") == double("a") == "aa"
    assert asked == ["a"]
    forget_remembered()
    assert double("a") == "aa" and asked == ["a", "a"]


def test_no_text_of_a_session_is_remembered_after_forgetting():
    secret = "Wilhelmina-4711"
    session = session_of(f"u: hello {secret} | c: look({secret}) | r: {secret} found | u: and now?")
    spec = C.relevant(secret, top_k=1) | C.compaction(200)
    before = compile(session, spec, model="gpt-5").body
    del session
    forget_remembered()
    gc.collect()
    counter = named_counter("o200k_base")
    assert not any(secret in text for text in counter._memo)
    assert counter.count("hello") == 1
    again = session_of(f"u: hello {secret} | c: look({secret}) | r: {secret} found | u: and now?")
    assert compile(again, spec, model="gpt-5").body == before
