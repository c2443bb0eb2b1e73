"""The blocks of the page on shared stores are run."""

import re
from pathlib import Path

from contextwright.stores import postgres, redis

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "share-stores.md"
BLOCKS = dict(re.findall(r"```python (\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL))


def test_the_blocks_run(monkeypatch, open_database, cache):
    monkeypatch.setattr(
        postgres, "PostgresDatabase", lambda url, **options: open_database(**options)
    )
    names = {"embedder": None}
    monkeypatch.setattr(redis, "RedisCache", lambda url, **options: cache)
    for name in ("postgres", "records", "search", "cache", "forgetting"):
        exec(BLOCKS[name], names)
    assert names["lethe"].cycles() == []


def test_the_block_on_security_runs(monkeypatch, database):
    calls = []
    monkeypatch.setattr(postgres, "enable_row_security", lambda *a, **k: calls.append((a, k)))
    names = {
        "owner": database,
        "url_of_agents": "",
        "PostgresDatabase": lambda url, **options: calls.append(options),
    }
    exec(BLOCKS["security"], names)
    assert calls == [((database,), {"role": "agents"}), {"tenant": "acme", "row_security": True}]
