"""Work of several threads that begins at the same moment."""

import sys
import threading


def at_once(work, arguments):
    """The results of all, begun together; the interpreter switches as often as it can."""
    begin, results, errors = threading.Barrier(len(arguments)), [None] * len(arguments), []

    def run(place, argument):
        try:
            begin.wait(60)
            results[place] = work(argument)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [
            threading.Thread(target=run, args=(place, argument))
            for place, argument in enumerate(arguments)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert errors == []
    return results
