"""What is lost of sessions in PostgreSQL when everything goes wrong: counted, not hoped.

    python -m benchmarks.store_faults [APPENDS] [--page]       writes docs/reference/store-faults.md

Starts two servers of its own, the second a synchronous standby of the first. Sixteen writers append to
four sessions; meanwhile writers are killed, the server is restarted in the middle, and in the end it is
stopped for good and its standby promoted; the tables are migrated between. A reader reads on all the
time: what it sees of a session has every writer's events without a gap, and never less than before.
Then every acknowledged event is looked for: it must be there once, in its writer's order, and sessions
must load whole.
"""

import logging
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from tempfile import mkdtemp

PAGE = Path(__file__).parents[1] / "docs/reference/store-faults.md"
WRITERS, SESSIONS, KILLS, RESTARTS = 16, 4, 200, 20
WRITER = """
import sys
from contextwright.errors import WriteConflict
from contextwright.session import Event, Text
from contextwright.stores.postgres import PostgresDatabase, PostgresSessions

url, session, name, first, last = sys.argv[1:]
store = PostgresSessions(PostgresDatabase(url, connections=1, wait_s=60))
expected = store.length(session)
for n in range(int(first), int(last)):
    event = Event(id=f"{name}-{n}", role="user", parts=(Text(text=f"{name} {n}"),))
    while True:
        try:
            expected = store.append(session, [event], expected=expected)
            break
        except WriteConflict:
            expected = store.length(session)
    print(n, flush=True)
"""


def binaries():
    """The folder of PostgreSQL's programs."""
    for folder in sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True):
        if (Path(folder) / "initdb").exists():
            return folder
    found = shutil.which("initdb")
    if not found:
        sys.exit("no initdb here: apt-get install -y postgresql")
    return str(Path(found).parent)


def run(*command):
    """Run a program of PostgreSQL's, which refuses to be run by root."""
    as_owner = ("runuser", "-u", "postgres", "--") if os.getuid() == 0 else ()
    return subprocess.run([*as_owner, *command], check=True, capture_output=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return bound.getsockname()[1]


class Server:
    """A PostgreSQL server of this program's own."""

    def __init__(self, root, name, programs):
        self.data, self.programs, self.port = f"{root}/{name}", programs, free_port()
        self.options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={root}"
        )

    def initialize(self):
        run(f"{self.programs}/initdb", "-D", self.data, "-A", "trust", "-U", "postgres")

    def copy(self, of):
        run(
            f"{self.programs}/pg_basebackup", "-D", self.data, "-R", "-X", "stream",
            "-d", f"host=127.0.0.1 port={of.port} user=postgres application_name=standby",
        )  # fmt: skip

    def control(self, *command):
        log = ("-l", f"{self.data}/log.txt") if command[0] in ("start", "restart") else ()
        options = ("-o", self.options) if log else ()
        run(f"{self.programs}/pg_ctl", "-D", self.data, "-w", "-t", "60", *options, *log, *command)

    def psql(self, statement):
        run(f"{self.programs}/psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres",
            "-c", statement)  # fmt: skip


@contextmanager
def servers():
    """A server and its synchronous standby."""
    root = mkdtemp(prefix="ctx-faults-")
    if os.getuid() == 0:
        shutil.chown(root, "postgres")
    programs = binaries()
    first, second = Server(root, "first", programs), Server(root, "second", programs)
    try:
        first.initialize()
        first.control("start")
        second.copy(first)
        second.control("start")
        first.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        first.psql("SELECT pg_reload_conf()")
        yield first, second
    finally:
        for one in (first, second):
            subprocess.run([*(("runuser", "-u", "postgres", "--") if os.getuid() == 0 else ()),
                            f"{programs}/pg_ctl", "-D", one.data, "-m", "immediate", "stop"],
                           capture_output=True)  # fmt: skip
        shutil.rmtree(root, ignore_errors=True)


class Writers:
    """The writers, each started again behind what it acknowledged when it is killed."""

    def __init__(self, url, appends):
        self.url, self.appends = url, appends
        self.acknowledged = {f"w{n}": [] for n in range(WRITERS)}
        self.running, self.kills, self.failures = {}, 0, []
        self._threads = [
            threading.Thread(target=self._write, args=(name,)) for name in self.acknowledged
        ]

    def start(self):
        for thread in self._threads:
            thread.start()

    def are_working(self):
        return any(thread.is_alive() for thread in self._threads)

    def _write(self, name):
        done = self.acknowledged[name]
        session = f"s{int(name[1:]) % SESSIONS}"
        while len(done) < self.appends:
            process = subprocess.Popen(
                [sys.executable, "-c", WRITER, self.url, session, name, str(len(done)), str(self.appends)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            self.running[name] = process
            for line in process.stdout:
                done.append(int(line))
            said = process.stderr.read()  # the pool says there how often it tried: some lines
            if process.wait() not in (0, -signal.SIGKILL):
                self.failures.append(f"{name}: {said[-2000:]}")
                return

    def kill_one(self, dice):
        name, process = dice.choice(list(self.running.items()))
        if process.poll() is None and len(self.acknowledged[name]) < self.appends:
            process.send_signal(signal.SIGKILL)
            self.kills += 1


class Reader:
    """Reads the sessions again and again while they are written, what is new and at times whole."""

    WHOLE = 200
    """Reads of what is new between two of everything."""

    def __init__(self, url):
        self.reads, self.whole, self.failures = 0, 0, []
        self.has_failed_over, self.backward = threading.Event(), 0
        self._url, self._ended = url, threading.Event()
        self._thread = threading.Thread(target=self._read)

    def start(self):
        self._thread.start()

    def stop(self):
        self._ended.set()
        self._thread.join()

    def _read(self):
        from contextwright.stores.postgres import PostgresDatabase, PostgresSessions

        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
        database = PostgresDatabase(self._url, wait_s=60)
        try:
            self._read_on(PostgresSessions(database), database)
        except Exception as error:  # noqa: BLE001 -- told at the end, by the main thread
            self.failures.append(f"{type(error).__name__}: {error}")
        database.close()

    def _read_on(self, store, database):
        from contextwright.errors import WriteConflict

        known = {}
        while not self._ended.wait(0.05):
            for id in store.ids():
                before = known.get(id)
                if before is None or self.reads % self.WHOLE == 0:
                    session, seen, numbers = store.load(id), 0, {}
                    fewer = before is not None and len(session) < len(before[0])
                    if fewer and not self.has_failed_over.is_set():
                        raise AssertionError(
                            f"{id} had {len(before[0])} events, now {len(session)}"
                        )
                    self.whole += 1
                else:
                    session, seen, numbers = before
                    try:
                        database.retried(lambda: store.load_new(session))  # noqa: B023
                    except WriteConflict:
                        # a commit whose writer was killed while the standby had not confirmed it:
                        # shown by the first server, and with it gone. Nobody was told it is kept
                        if not self.has_failed_over.is_set():
                            raise
                        self.backward += 1
                        del known[id]
                        continue
                for event in session.log[seen:]:
                    name, _, n = event.id.partition("-")
                    if int(n) != numbers.get(name, 0):
                        raise AssertionError(f"{id}: {event.id} behind {numbers.get(name, 0)}")
                    numbers[name] = int(n) + 1
                known[id] = session, len(session), numbers
                self.reads += 1


def migrate(url):
    """Change a table under load, as a newer version would: the processes of this one go on."""
    from contextwright.stores.postgres import PostgresDatabase, migrations

    view = """CREATE OR REPLACE VIEW events AS SELECT session, seq, body, hash, tenant, note
        FROM events_rows WHERE tenant = current_setting('contextwright.tenant') WITH CHECK OPTION"""
    known = migrations.MIGRATIONS
    migrations.MIGRATIONS = (*known, ("ALTER TABLE events_rows ADD COLUMN note text", view))
    PostgresDatabase(url, wait_s=60).close()
    migrations.MIGRATIONS = known


def main():
    numbers = [int(each) for each in sys.argv[1:] if each.isdigit()]
    appends = numbers[0] if numbers else 500
    dice = random.Random(7)
    begun = time.monotonic()
    with servers() as (first, second):
        url = f"postgresql://postgres@127.0.0.1:{first.port},127.0.0.1:{second.port}/postgres"
        url += "?target_session_attrs=read-write&connect_timeout=2"
        writers = Writers(url, appends)
        writers.start()
        reader, migrated = Reader(url), False
        reader.start()
        restarts, total = 0, appends * WRITERS
        while writers.are_working():
            share = sum(map(len, writers.acknowledged.values())) / total
            if writers.kills < KILLS * min(1, share * 1.25) or writers.kills < KILLS * 0.05:
                writers.kill_one(dice)
            if restarts < RESTARTS and share * 1.3 > restarts / RESTARTS:
                first.control("restart", "-m", dice.choice(["fast", "immediate"]))
                restarts += 1
            if share > 0.5 and not migrated:
                migrate(url)
                migrated = True
            if share > 0.85 and restarts == RESTARTS:
                reader.has_failed_over.set()
                first.control("stop", "-m", "immediate")
                second.control("promote")
                second.psql("ALTER SYSTEM SET synchronous_standby_names = ''")
                second.psql("SELECT pg_reload_conf()")
                restarts += 1
            time.sleep(0.05)
        reader.stop()
        assert migrated and not reader.failures, reader.failures
        line = (
            f"{found(url, writers, appends)} by {WRITERS} writers; {writers.kills} kills, {restarts - 1} restarts, 1 failover, "
            f"1 migration; {reader.reads:,} reads without a gap, {reader.whole} of them of everything"
        )
        if reader.backward:
            line += (
                f"; {reader.backward} sessions were read anew behind the failover, for a commit of a killed "
                "writer that nobody was told of had gone with the first server"
            )
        print(f"{line}. {time.monotonic() - begun:.0f} s")
        if "--page" in sys.argv:
            text = PAGE.read_text(encoding="utf-8")
            head, rest = text.split("<!-- faults -->\n")
            end = "<!-- /faults -->"
            PAGE.write_text(
                f"{head}<!-- faults -->\n**{line}.**\n{end}{rest.split(end)[1]}", encoding="utf-8"
            )


def found(url, writers, appends):
    """What of the acknowledged events is there."""
    from contextwright.stores.postgres import PostgresDatabase, PostgresSessions

    store = PostgresSessions(PostgresDatabase(url))
    ids = [event.id for id in store.ids() for event in store.load(id).log]
    counts = Counter(ids)
    acknowledged = [f"{name}-{n}" for name, done in writers.acknowledged.items() for n in done]
    lost = [id for id in acknowledged if id not in counts]
    twice = [id for id, times in counts.items() if times > 1]
    order = {
        name: [int(id.partition("-")[2]) for id in ids if id.startswith(f"{name}-")]
        for name in writers.acknowledged
    }
    mixed = [name for name, numbers in order.items() if numbers != list(range(appends))]
    assert not writers.failures, "\n".join(writers.failures)
    assert not (lost or twice or mixed), (lost, twice, {name: order[name] for name in mixed})
    return f"{len(acknowledged):,} events acknowledged, {len(lost)} lost, {len(twice)} twice,"


if __name__ == "__main__":
    main()
