"""A file that several processes and threads open."""

import threading

from contextwright.errors import StoreError
from contextwright.stores.database import Database


def test_many_open_a_new_file_at_once(tmp_path):
    """SQLite does not wait where two make a file's log at the same moment."""
    for number in range(20):
        path, errors, start = tmp_path / f"{number}.db", [], threading.Barrier(8)

        def opened(path=path, errors=errors, start=start):
            start.wait()
            try:
                Database(path, "CREATE TABLE IF NOT EXISTS t (a)", fix="").close()
            except StoreError as error:
                errors.append(error)

        threads = [threading.Thread(target=opened) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
