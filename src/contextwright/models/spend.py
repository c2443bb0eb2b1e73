"""Limits on what models may cost, a turn and a session: reserved before a question is asked."""

import threading
from collections.abc import Callable, Sequence

import msgspec

from contextwright.models.llm import LLM, Completion, ModelFault, NotAsked, Prompt
from contextwright.tokens.models import known_model
from contextwright.worker_threads import answering_off_loop

MAX_OWNERS = 10_000
"""Turns and sessions whose spending is remembered."""
MAX_USAGE = 10_000_000
"""Tokens of one answer that a bill is believed: no model reads or writes as many."""
BILLED = frozenset({"timeout", "refused", "malformed", "cut_off"})
"""Faults behind which a provider has read the question, and bills it."""


class SpendLimit(msgspec.Struct, frozen=True):
    """How much may be spent; None where nothing limits it.

    Args:
        tokens: input and output together.
        microdollars: by the model's prices; a model without known prices is limited by its
            tokens only.
    """

    tokens: int | None = None
    microdollars: int | None = None

    @property
    def is_set(self) -> bool:
        """Whether it limits anything."""
        return self.tokens is not None or self.microdollars is not None


class Spent(msgspec.Struct):
    """Tokens and micro-dollars of one turn or session, open reservations included."""

    tokens: int = 0
    microdollars: int = 0


class Allowance(msgspec.Struct, frozen=True):
    """Whose spending something is.

    Args:
        name: the turn's or the session's.
        unit: `turn` or `session`, for messages.
    """

    name: str
    limit: SpendLimit
    unit: str


class Spending:
    """Counts what is spent and reserved for each turn and each session."""

    def __init__(self) -> None:
        # a question that nobody awaits any more is settled wherever it is collected: in here too
        self._lock = threading.RLock()
        self._spent: dict[str, Spent] = {}

    def of(self, name: str) -> Spent:
        """What was spent or is reserved for a turn or a session."""
        return self._spent.get(name, Spent())

    def reserve(self, most: Completion, allowances: Sequence[Allowance]) -> None:
        """Set aside what a question may take, for all or for none of the allowances.

        Args:
            most: an answer as large as it may be.

        Raises:
            NotAsked: it might pass a limit.
        """
        tokens, cost = _size(most)
        with self._lock:
            for each in allowances:
                spent, limit = self.of(each.name), each.limit
                if limit.tokens is not None and spent.tokens + tokens > limit.tokens:
                    raise NotAsked(
                        f"spend limit of {limit.tokens} tokens a {each.unit}: {spent.tokens} "
                        f"spent or reserved, this question may take {tokens}"
                    )
                if limit.microdollars is not None and spent.microdollars + cost > (
                    limit.microdollars
                ):
                    raise NotAsked(
                        f"spend limit of ${limit.microdollars / 1e6:g} a {each.unit}: "
                        f"${spent.microdollars / 1e6:g} spent or reserved, this question may "
                        f"take ${cost / 1e6:g}"
                    )
            self._add(allowances, tokens, cost)

    def settle(
        self, reserved: Completion, paid: Completion, allowances: Sequence[Allowance]
    ) -> None:
        """What was reserved gives way to what was paid."""
        (before, cost_before), (tokens, cost) = _size(reserved), _size(paid)
        with self._lock:
            self._add(allowances, tokens - before, cost - cost_before)

    def _add(self, allowances: Sequence[Allowance], tokens: int, cost: int) -> None:
        for each in allowances:
            spent = self._spent.setdefault(each.name, Spent())
            spent.tokens = max(0, spent.tokens + tokens)
            spent.microdollars = max(0, spent.microdollars + cost)
        while len(self._spent) > MAX_OWNERS:
            del self._spent[next(iter(self._spent))]


class MeteredLLM:
    """A language model that is asked only what may still be paid, every try of it.

    Args:
        allowances: whose spending it is.
        count: tokens of a text, for what a bill does not tell, or tells wrongly.
    """

    def __init__(
        self,
        llm: LLM,
        spending: Spending,
        allowances: Sequence[Allowance],
        count: Callable[[str], int],
    ) -> None:
        self._llm, self._spending, self._allowances = llm, spending, allowances
        self._count = count
        self._is_limited = any(each.limit.is_set for each in allowances)

    @property
    def id(self) -> str:
        """The model's own."""
        return self._llm.id

    async def complete(self, prompt: Prompt) -> Completion:
        """Ask, with what it may take reserved.

        Raises:
            NotAsked: it might pass a limit.
            ModelFault: the model's own.
        """
        nothing = Completion(text="", model=prompt.model or self.id)
        read = await answering_off_loop(self._read, prompt) if self._is_limited else nothing
        most = msgspec.structs.replace(read, output_tokens=prompt.max_tokens)
        reserved = most if self._is_limited else nothing
        self._spending.reserve(reserved, self._allowances)
        # who is cancelled in the middle is billed for what was read
        paid = read
        try:
            completion = await self._llm.complete(prompt)
            if _says_usage(completion):
                paid = completion  # at once: who is cancelled from here on paid for all of it
            else:
                paid = await answering_off_loop(self._counted, prompt, completion)
            return completion
        except Exception as error:
            billed = isinstance(error, ModelFault) and error.fault in BILLED
            paid = read if billed else nothing
            raise
        finally:
            self._spending.settle(reserved, paid, self._allowances)

    def _read(self, prompt: Prompt) -> Completion:
        tokens = sum(map(self._count, (prompt.system, prompt.text, prompt.schema)))
        return Completion(text="", model=prompt.model or self.id, input_tokens=tokens)

    def _counted(self, prompt: Prompt, completion: Completion) -> Completion:
        """A bill that is missing or can not be true, by what we count ourselves."""
        text: object = completion.text
        own = self._read(prompt).input_tokens, self._count(text) if isinstance(text, str) else 0
        return msgspec.structs.replace(completion, input_tokens=own[0], output_tokens=own[1])


def _says_usage(completion: Completion) -> bool:
    usage = completion.input_tokens, completion.output_tokens
    return all(map(is_usage, usage)) and any(usage)


def is_usage(tokens: object) -> bool:
    """Whether a number of tokens can be one: a server may report anything."""
    return type(tokens) is int and 0 <= tokens <= MAX_USAGE


def price(completion: Completion) -> int:
    """Micro-dollars of an answer; 0 where the model's prices are not known."""
    info = known_model(completion.model)
    if info is None:
        return 0
    paid = completion.input_tokens * info.input_price + completion.output_tokens * info.output_price
    return -(-paid // 1_000_000)


def _size(completion: Completion) -> tuple[int, int]:
    return completion.input_tokens + completion.output_tokens, price(completion)
