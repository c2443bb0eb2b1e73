"""Events that ADK tells a model in another way, or in another place, than they stand in."""

from google.adk.events import Event

from contextwright.adapters.adk.visible_events import call_ids, parts_of


class Rearrangement:
    """Whether a session has such events: words that were spoken, code that ran for the model, a
    node's own input, and results that came after something else was said, which ADK puts behind
    their calls.
    """

    def __init__(self) -> None:
        self.is_due = False
        self._waiting: set[str] = set()  # calls without a result
        self._overtaken: set[str] = set()  # those behind which something else was said
        self._answered: set[str] = set()

    def add(self, event: Event) -> None:
        """Take a further event that the agents see."""
        self.is_due = self.is_due or _is_spoken(event) or _has_code(event) or _is_input(event)
        calls = call_ids(event)
        results = {one.id for one in event.get_function_responses() if one.id}
        if results & (self._overtaken | self._answered):
            self.is_due = True
        if not calls and not results and parts_of(event):
            self._overtaken |= self._waiting
            self._waiting.clear()
        self._waiting = (self._waiting | calls) - results
        self._answered |= results


def _is_spoken(event: Event) -> bool:
    spoken = event.input_transcription or event.output_transcription
    return not event.content and spoken is not None and bool(spoken.text)


def _has_code(event: Event) -> bool:
    return any(part.executable_code or part.code_execution_result for part in parts_of(event))


def _is_input(event: Event) -> bool:
    """Whether it is what a node of a graph was given, which other nodes are not told."""
    return event.author == "user" and bool(event.node_info.path)
