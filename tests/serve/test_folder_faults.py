"""A folder of a proxy's data that is locked, broken or full: calls go on, and the proxy says so."""

import sqlite3
import time
import urllib.error
import urllib.request
from contextlib import closing

import pytest
from tests.serve.raw_upstream import post, proxied, tool_loop, wait_for

from contextwright import C
from contextwright.errors import CorruptData, ProxyError, StoreBusy, StoreError
from contextwright.serve import proxy_stores
from contextwright.serve.settings import ProxySettings

SPEC = C.compaction(4000)
KEY = {"authorization": "Bearer k"}
FILES = ("ledger.sqlite", "sessions.sqlite")


@pytest.fixture
def impatient(monkeypatch):
    """A proxy that waits for nobody, and tries again at once."""
    monkeypatch.setattr(proxy_stores, "_WAIT_S", 0.01)
    monkeypatch.setattr(proxy_stores, "_REST_S", 0.2)


def locked(path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return closing(connection)


def called(proxy, count):
    """The action of a call, once it was counted, or could not be."""
    status, headers, _ = post(proxy.url, tool_loop(count), KEY)
    wait_for(lambda: not proxy.app.proxy.open_calls and not proxy.app.proxy._counts)
    assert status == 200
    return headers["x-contextwright-action"]


def is_ready(proxy):
    try:
        with urllib.request.urlopen(f"{proxy.url}/readyz") as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_files_that_another_process_holds_end_no_call(tmp_path, impatient):
    with proxied(spec=SPEC, data=tmp_path) as (_, proxy):
        assert called(proxy, 20) == "rewritten"
        with locked(tmp_path / FILES[0]), locked(tmp_path / FILES[1]):
            assert [called(proxy, count) for count in (21, 22)] == ["rewritten"] * 2
            assert proxy.app.proxy.uncounted_calls == 2
            assert is_ready(proxy) == 503
        time.sleep(0.25)  # its rest
        assert called(proxy, 23) == "rewritten" and is_ready(proxy) == 200
        assert proxy.app.ledger.sums().calls == 2
    with proxied(spec=SPEC, data=tmp_path) as (_, proxy):  # all turns were saved with the last
        assert called(proxy, 24) == "rewritten"
        assert len(proxy.app.proxy.compiler.context("openai-chat").session.log) == 2 * 24 + 1


def test_what_is_waited_for_in_vain_is_left_alone_for_a_while(tmp_path, impatient, monkeypatch):
    """However many calls there are, they do not wait one behind the other."""
    ledger, sessions = proxy_stores.proxy_stores(tmp_path)
    ledger.salt()
    with locked(tmp_path / FILES[0]):
        with pytest.raises(StoreBusy, match="locked"):
            ledger.salt()
        with pytest.raises(StoreBusy, match="a moment ago"):
            ledger.salt()
    ledger.close(), sessions.close()


def broken(path):
    path.write_bytes(b"no database " * 1000)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("prepare", "error"),
    [(broken, CorruptData), (lambda path: path.mkdir(), StoreError)],
)
def test_a_folder_that_can_not_be_opened_is_named_at_the_start(tmp_path, name, prepare, error):
    prepare(tmp_path / name)
    with pytest.raises(error, match=name):
        proxy_stores.proxy_stores(tmp_path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "data").write_text("")
    settings = ProxySettings(upstream="http://127.0.0.1:9", data=tmp_path / "data")
    with pytest.raises(ProxyError, match="can not be made"):
        proxy_stores.proxy_stores(settings.data)


def test_what_has_ended_leaves_nothing_beside_its_files(tmp_path):
    """Whoever copies them has all of it."""
    with proxied(spec=SPEC, data=tmp_path) as (_, proxy):
        assert called(proxy, 20) == "rewritten"
    assert sorted(path.name for path in tmp_path.iterdir()) == list(FILES)


def test_files_that_can_grow_no_more_end_no_call(tmp_path):
    """As on a disk that is full."""
    with proxied(spec=SPEC, data=tmp_path) as (_, proxy):
        assert called(proxy, 20) == "rewritten"
        compiler = proxy.app.proxy.compiler
        for store in (compiler._store, proxy.app.ledger):
            [(pages,)] = store._database.rows("PRAGMA page_count")
            store._database.rows(f"PRAGMA max_page_count = {pages}")
        assert [called(proxy, count) for count in (40, 60)] == ["rewritten"] * 2
        assert "was not saved" in compiler.context("openai-chat").conversations.degraded
