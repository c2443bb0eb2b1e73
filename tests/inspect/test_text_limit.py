"""Of a large session a page keeps the newest calls whole, and names what it does not hold."""

import pytest
from tests.inspect.builders import data_of, requests_in, support_session, text_in

from contextwright.inspect.text_limit import digest_of, limited

DATA = data_of(support_session())


def is_whole(texts, entry):
    return isinstance(entry, str) or (isinstance(entry, list) and is_whole(texts, texts[entry[0]]))


@pytest.mark.parametrize("most", [0, 1, 500, 2_000, 5_000, 20_000])
def test_what_stays_fits_and_what_does_not_is_named_by_its_digest(most):
    data = limited(DATA, most)
    texts, held, left = data["texts"], 0, 0
    for at, entry in enumerate(texts):
        if isinstance(entry, dict):
            whole = text_in(DATA, at)
            assert entry == {"left": len(whole), "sha256": digest_of(whole)}
            left += 1
            continue
        assert is_whole(texts, entry)
        own = entry if isinstance(entry, str) else "".join(x for x in entry if isinstance(x, str))
        held += len(own.encode())
    assert held == data["left"]["held"] <= most
    assert left == data["left"]["texts"] > 0


@pytest.mark.parametrize("most", [500, 2_000, 5_000, 20_000])
def test_the_newest_calls_are_whole_and_the_one_before_them_is_not(most):
    data = limited(DATA, most)
    calls, missing = len(DATA["calls"]["position"]), [-1]
    for series in data["series"]:
        for at, items in enumerate(requests_in(series)):
            texts = {n for i in items if i >= 0 for n in data["parts"][i][3:5] if n >= 0}
            if any(not is_whole(data["texts"], data["texts"][n]) for n in texts):
                missing.append(at)
    assert max(missing) == calls - 1 - data["left"]["whole"]


def test_more_text_is_kept_with_more_room_and_all_of_it_where_it_fits():
    kept = [limited(DATA, most)["left"]["held"] for most in (500, 5_000, 20_000)]
    assert kept == sorted(kept)
    assert limited(DATA) is DATA and "left" not in DATA


def test_a_text_is_known_by_its_digest_whatever_it_is_made_of():
    assert digest_of("") != digest_of(" ") and len(digest_of("\ud800 half")) == 16
