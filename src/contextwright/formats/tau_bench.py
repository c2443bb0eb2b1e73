"""Results of tau-bench: `{task_id, trial, reward, info, traj}`, one or a list of them.

`traj` holds OpenAI Chat messages; what was measured becomes the session's metadata.
"""

from collections.abc import Iterator

from contextwright.errors import SessionError
from contextwright.formats.document import Document, Record
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import Json, a_list, an_object, list_if, object_if
from contextwright.formats.openai_chat import read_chat, write_chat
from contextwright.session.session import Session

NAME = "tau-bench"
LINES = False


def sniff(document: Document) -> bool:
    """Whether these are results of tau-bench."""
    first = next(_results(document), None)
    return first is not None and {"traj", "task_id"} <= object_if(first.value).keys()


def _results(document: Document) -> Iterator[Record]:
    for record in document.records:
        if isinstance(record.value, list):
            for number, value in enumerate(list_if(record.value)):
                yield Record(value, f"{record.where}, result {number}")
        else:
            yield record


def read(document: Document) -> Session:
    """The session of the one result.

    Raises:
        SessionError: there is not exactly one.
        MalformedRecord: it is no object, or its messages break the format.
    """
    sessions = read_all(document)
    if len(sessions) != 1:
        raise SessionError(
            f"{len(sessions)} results, and one session was asked for",
            where=document.name,
            fix="take them all: contextwright.formats.tau_bench.read_all(document)",
        )
    return sessions[0]


def read_all(document: Document) -> list[Session]:
    """A session for each result; raises as `read` does."""
    return [_session(record) for record in _results(document)]


def _session(record: Record) -> Session:
    result = an_object(record.value, record.where)
    messages = a_list(result.get("traj"), f"{record.where}, field traj")
    fields = {key: value for key, value in result.items() if key != "traj"}
    return Session(
        f"task-{result.get('task_id')}-trial-{result.get('trial', 0)}",
        read_chat(NAME, messages, f"{record.where}, field traj"),
        metadata={NAME: fields},
    )


@exporter(NAME)
def write(session: Session) -> list[Json]:
    """The result that it was read from, in a list as tau-bench writes them.

    Raises:
        SessionError: it is no result of tau-bench: there is no task and no reward to write.
    """
    if NAME not in session.metadata:
        raise SessionError(
            "tau-bench is read-only for sessions that were not read from it: a result needs a "
            "task and a reward",
            where=f"session {session.id!r}",
            fix="write openai-chat",
        )
    return [{**session.metadata[NAME], "traj": write_chat(NAME, session.log)}]
