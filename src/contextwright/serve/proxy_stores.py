"""Where a proxy keeps its ledger and its conversations: in memory, in a folder, or in a PostgreSQL
database, over which any number of proxies serve any conversation."""

from pathlib import Path

from contextwright.errors import ProxyError
from contextwright.serve.call_ledger import CallLedger, file_ledger
from contextwright.serve.settings import is_database
from contextwright.stores.folder import folder_at
from contextwright.stores.local_path import local_path
from contextwright.stores.session_bodies import ValueCache
from contextwright.stores.sqlite import SQLiteSessions
from contextwright.stores.store import SessionStore

_WAIT_S, _REST_S = 2.0, 10.0
"""Seconds that a call waits for the database, and for which one that did not answer is left alone:
conversations go on in memory meanwhile, and are saved with their next turn behind it."""


def proxy_stores(
    data: Path | str | None, cache: str = ""
) -> tuple[CallLedger, SessionStore | None]:
    """The ledger and the store of a proxy.

    Args:
        data, cache: as `ProxySettings` has them.

    Raises:
        ProxyError: the folder can not be made. StoreError: what is there can not be opened.
        MissingExtra: psycopg or redis is not installed.
    """
    if data is None:
        return file_ledger(), None
    if is_database(data):
        from contextwright.stores.postgres import PostgresDatabase, PostgresSessions

        database = PostgresDatabase(str(data), wait_s=_WAIT_S, rest_s=_REST_S)
        return CallLedger(database), PostgresSessions(database, cache=_cache(cache))
    local_path(data, error=ProxyError, fix="give a folder, or postgresql://...")
    folder = folder_at(Path(data), mode=0o700, error=ProxyError)
    ledger = file_ledger(folder / "ledger.sqlite", busy=_WAIT_S, rest_s=_REST_S)
    return ledger, SQLiteSessions(folder / "sessions.sqlite", busy_s=_WAIT_S, rest_s=_REST_S)


def _cache(url: str) -> ValueCache | None:
    if not url:
        return None
    from contextwright.stores.redis import RedisCache

    return RedisCache(url)
