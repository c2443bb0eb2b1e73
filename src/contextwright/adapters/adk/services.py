"""What ADK's services hold, into the state keys that a pack reads: `knowledge`, `evidence`."""

import logging
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.genai import types

from contextwright.blocks.ref import Ref
from contextwright.compiler.plan import walk
from contextwright.engine.hydrate import evidence_entry, put_entries
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.tasks.plan_step import EVIDENCE, KNOWLEDGE
from contextwright.tasks.scores import query_in
from contextwright.text.tool_result import shorten_result
from contextwright.tokens.counter import named_counter
from contextwright.worker_threads import off_loop

LOG = logging.getLogger("contextwright.adk")
MEMORIES, ARTIFACTS = "memory_service", "artifact_service"
"""What marks the entries that were put there; others are the application's and stay."""
SUMMARY = 60
"""Tokens of what is said of an artifact."""
LARGEST = 1_000_000
"""Characters of an artifact that is read for what to say of it."""


class Supply:
    """Asks ADK's services before a request, and keeps what was said of artifacts."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, ...], str] = {}

    async def fill(self, session: Session, spec: Expr, context: CallbackContext) -> None:
        """Bring `knowledge` and `evidence` up to date, if the spec reads them. A service that
        fails leaves them as they are, and the log says so."""
        hydrated = {key for atom in walk(spec) for key in atom.traits.hydrates}
        invocation = context.get_invocation_context()
        for name, service, key, mark, entries in (
            ("memory", invocation.memory_service, KNOWLEDGE, MEMORIES, self._memories),
            ("artifact", invocation.artifact_service, EVIDENCE, ARTIFACTS, self._artifacts),
        ):
            if service is None or key not in hydrated:
                continue
            try:
                put_entries(session, key, await entries(session, context), mark)
            except Exception:
                LOG.warning("the %s service failed: no new %s", name, key, exc_info=True)

    async def _memories(self, session: Session, context: CallbackContext) -> list[dict[str, Any]]:
        query = query_in(session.snapshot())
        if not query:
            return []
        answer = await context.search_memory(query)
        entries: list[dict[str, Any]] = []
        for memory in answer.memories:
            text = " ".join(part.text for part in memory.content.parts or () if part.text)
            if text.strip():
                line = f"{memory.author}: {text}" if memory.author else text
                entry: dict[str, Any] = {"text": line}
                if memory.id:
                    entry["id"] = memory.id
                if memory.timestamp:
                    entry["time"] = memory.timestamp[:10]
                entries.append(entry)
        return entries

    async def _artifacts(self, session: Session, context: CallbackContext) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        for name in await context.list_artifacts():
            version: Any = await context.get_artifact_version(name)
            key = (session.id, name, str(getattr(version, "version", "")))
            if key not in self._said:
                part = await context.load_artifact(name)
                self._said[key] = await off_loop(_said_of, part, name)
            uri = str(Ref("artifact", name))
            entries.append(evidence_entry(uri, self._said[key]))
        return entries


def _said_of(part: types.Part | None, name: str) -> str:
    """An artifact in a line: a text by what it is, anything else by its type and size."""
    if part is None:
        return ""
    data = part.inline_data
    text = part.text
    if text is None and data is not None and data.data is not None:
        kind = data.mime_type or ""
        if not kind.startswith(("text/", "application/json")):
            return f"{kind or 'a file'}, {len(data.data):,} bytes"
        text = data.data[:LARGEST].decode("utf-8", "replace")
    if not text:
        return ""
    count = named_counter("o200k_base").count
    short = shorten_result(
        text[:LARGEST], tool=name, arguments="{}", max_tokens=SUMMARY, count=count
    )
    return " ".join(short.split())
