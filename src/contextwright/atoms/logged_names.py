"""Which names the exchanges of a log have, kept with its session: how salient one of them is can be
told without a look at the others."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain

from contextwright.atoms.followed_log import FollowedLog
from contextwright.atoms.logged_texts import logged_texts
from contextwright.atoms.scored_blocks import names_of, text_of_messages
from contextwright.retrieval.features import Features, names_in
from contextwright.retrieval.salience_table import NAME
from contextwright.spec.inputs import Inputs


class LoggedNames(FollowedLog):
    """The names that settled exchanges of a log have, those that one of them has beside those that
    recur. They grow at their end; a result that comes late begins them anew."""

    def _begin(self) -> None:
        super()._begin()
        self._once: set[str] = set()
        self._again: set[str] = set()
        self._since: set[str] = set()

    @property
    def held_bytes(self) -> int:
        """About what they take."""
        return NAME * (len(self._once) + len(self._again))

    def follow(self, inputs: Inputs) -> None:
        """Take in the exchanges that have settled, and, until the next time, those since."""
        start, stop = self.range_since(inputs)
        texts = logged_texts(start, stop, lambda event, text: text, text_of_messages, inputs)
        for names in map(names_in, texts):
            self._again |= names & self._once
            self._once |= names
        newer = inputs.readable(inputs.snapshot.exchanges(self._stop))
        self._since = self._recurring_since(map(names_of, newer))

    def _recurring_since(self, newer: Iterable[frozenset[str]]) -> set[str]:
        """Names that recur because newer exchanges have them."""
        times = Counter(chain.from_iterable(newer))
        return {
            name
            for name, count in times.items()
            if name not in self._again and (count > 1 or name in self._once)
        }

    def recurring(self, has: Features) -> int:
        """How many names of an exchange recur."""
        return len(has.entities & self._again) + len(has.entities & self._since)
