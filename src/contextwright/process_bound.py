"""What has locks, memory or connections of its process: a copy of it would not be true."""

from operator import attrgetter
from typing import ClassVar, NoReturn, SupportsIndex

from contextwright.errors import CopyError, SpecError


class ProcessBound:
    """It is neither copied nor pickled, and says what is made in another process instead of it."""

    in_a_worker: ClassVar[str] = (
        "pickle what is data (messages, a Session, a spec, a Target) and make the other one where "
        "it is used, once in each worker"
    )
    """What to do where a copy of it was wanted."""

    shown: ClassVar[tuple[str, ...]] = ()
    """Attributes that say which one it is, in a REPL or a traceback: nothing of what was said."""

    fixed: ClassVar[tuple[str, ...]] = ()
    """Attributes that hold for its life: what was made of them would not follow another value."""

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute.

        Raises:
            SpecError: it is one that holds for its life.
        """
        if name in self.fixed and name in vars(self):
            kind = type(self).__name__
            raise SpecError(
                f"what was made of {name} holds for the life of this {kind}",
                where=f"{kind}.{name} = ...",
                fix=f"make another {kind}(..., {name}=...): a session goes on in it",
            )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        if not self.shown:
            return super().__repr__()
        values = ", ".join(repr(attrgetter(name)(self)) for name in self.shown)
        return f"<{type(self).__name__} {values}>"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """For `copy` and `pickle`.

        Raises:
            CopyError: at any time.
        """
        name = type(self).__name__
        raise CopyError(
            f"no {name} can be copied or pickled: it has locks and memory of its process",
            where=name,
            fix=self.in_a_worker,
        )
