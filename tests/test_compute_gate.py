"""Which threads compute beside an event loop, and when they make room."""

import threading

from contextwright.compute_gate import GONE_AHEAD, Gate, give_way, holding, waiting

PATIENCE_S = 60


def begun(work, *arguments):
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    return thread


def computing(gate, most, long=False):
    """How many of 6 threads compute at once at the most."""
    lock, now, seen = threading.Lock(), [0], []

    def work():
        with gate.place(long=long):
            with lock:
                now[0] += 1
                seen.append(now[0])
            for _ in range(1000):
                pass
            with lock:
                now[0] -= 1

    for thread in [begun(work) for _ in range(6)]:
        thread.join()
    return max(seen) <= most


def test_so_many_compute_at_a_time():
    assert computing(Gate(1), 1)
    assert computing(Gate(2), 2)
    assert computing(Gate(1), 1, long=True)


def test_who_waits_makes_room():
    gate, inside = Gate(1), threading.Barrier(5)

    def work():
        with gate.place(long=False), waiting():
            inside.wait(PATIENCE_S)

    for thread in [begun(work) for _ in range(5)]:
        thread.join()
    assert not inside.broken


def test_who_waits_for_a_lock_makes_room():
    """The thread that has the place waits for a lock whose holder waits for the place."""
    gate, lock, held, waits = Gate(1), threading.RLock(), threading.Event(), threading.Event()
    order = []

    def first():
        with lock:
            held.set()
            assert waits.wait(PATIENCE_S)
            with gate.place(long=False):
                order.append("first")

    def second():
        assert held.wait(PATIENCE_S)
        with gate.place(long=False):
            waits.set()
            with holding(lock):
                order.append("second")

    for thread in [begun(first), begun(second)]:
        thread.join()
    assert order == ["first", "second"]


def test_what_takes_long_gives_way_to_turns():
    gate, begins, order = Gate(1), threading.Event(), []

    def long():
        with gate.place(long=True):
            begins.set()
            while not gate.turns_waiting:
                pass
            give_way()
            order.append("long")

    def turn():
        assert begins.wait(PATIENCE_S)
        with gate.place(long=False):
            order.append("turn")

    for thread in [begun(long), begun(turn)]:
        thread.join()
    assert order == ["turn", "long"]


def test_it_goes_on_where_turns_never_end():
    gate, begins, done = Gate(1), threading.Event(), threading.Event()

    def turn():
        begins.wait(PATIENCE_S)
        with gate.place(long=False):
            assert done.wait(PATIENCE_S)  # for what the long one does

    def long():
        with gate.place(long=True):
            begins.set()
            while not gate.turns_waiting:
                pass
            for _ in range(GONE_AHEAD):
                give_way()
            done.set()

    for thread in [begun(turn), begun(long)]:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def test_no_other_thread_gives_way_or_makes_room():
    give_way()
    with waiting():
        pass
