"""A PostgreSQL server and a Redis server, and a schema and keys of them that are a test's own."""

import os
from uuid import uuid4

import pytest

POSTGRES = "docker run -d -p 5432:5432 -e POSTGRES_HOST_AUTH_METHOD=trust postgres:16"
REDIS = "docker run -d -p 6379:6379 valkey/valkey:8"
_DEFAULTS = (
    "postgresql://127.0.0.1:5432/test?connect_timeout=2",
    "postgresql://postgres@127.0.0.1:5432/postgres?connect_timeout=2",
)


@pytest.fixture(scope="session")
def postgres_url():
    """Of a server that answers; without one, the test is skipped."""
    psycopg = pytest.importorskip("psycopg")
    pytest.importorskip("psycopg_pool")
    given = os.environ.get("CONTEXTWRIGHT_POSTGRES_URL")
    for url in [given] if given else _DEFAULTS:
        try:
            psycopg.connect(url).close()
            return url
        except psycopg.OperationalError:
            pass
    pytest.skip(f"no PostgreSQL server: set CONTEXTWRIGHT_POSTGRES_URL, or run: {POSTGRES}")


@pytest.fixture
def schema(postgres_url):
    """The name of a schema of this test's own."""
    name = f"ctx_{uuid4().hex[:12]}"
    yield name
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")


@pytest.fixture
def open_database(postgres_url, schema):
    """Open the database of this test, as another process would."""
    from contextwright.stores.postgres import PostgresDatabase

    opened = []

    def open_one(url=postgres_url, **options):
        one = PostgresDatabase(url, schema=schema, **options)
        opened.append(one)
        return one

    yield open_one
    for one in opened:
        one.close()


@pytest.fixture
def database(open_database):
    return open_database()


@pytest.fixture(scope="session")
def redis_url():
    """Of a server that answers; without one, the test is skipped."""
    redis = pytest.importorskip("redis")
    url = os.environ.get("CONTEXTWRIGHT_REDIS_URL", "redis://127.0.0.1:6379/9")
    try:
        redis.Redis.from_url(url, socket_connect_timeout=1).ping()
    except redis.RedisError:
        pytest.skip(f"no Redis server: set CONTEXTWRIGHT_REDIS_URL, or run: {REDIS}")
    return url


@pytest.fixture
def prefix():
    return f"ctx-{uuid4().hex[:12]}"


@pytest.fixture
def empty(redis_url, prefix):
    """Empty the server of this test's keys."""
    import redis

    client = redis.Redis.from_url(redis_url)

    def run():
        for key in client.scan_iter(f"{prefix}:*"):
            client.delete(key)

    yield run
    run()
    client.close()


@pytest.fixture
def cache(redis_url, prefix, empty):
    from contextwright.stores.redis import RedisCache

    opened = RedisCache(redis_url, prefix=prefix, timeout_s=5)
    yield opened
    opened.close()
