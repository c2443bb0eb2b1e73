"""A cooled part of a LangChain chain that is one still: it streams, binds and retries as before."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.runnables import Runnable

from contextwright.adapters.wrap.cooled import Cooled
from contextwright.adapters.wrap.wrapped_calls import cooled_call


class CooledRunnable(Cooled, Runnable[Any, Any]):
    """`Cooled` for what has LangChain's methods; those that it inherits end in these."""

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        """Ask, the input cooled."""
        return cooled_call(self.inner.invoke, self._intake)(input, config, **kwargs)

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        """`invoke`, letting the event loop run."""
        return await cooled_call(self.inner.ainvoke, self._intake)(input, config, **kwargs)

    def stream(self, input: Any, config: Any = None, **kwargs: Any) -> Iterator[Any]:
        """The answer in pieces, the input cooled."""
        yield from cooled_call(self.inner.stream, self._intake)(input, config, **kwargs)

    async def astream(self, input: Any, config: Any = None, **kwargs: Any) -> AsyncIterator[Any]:
        """`stream`, letting the event loop run."""
        call = cooled_call(self.inner.astream, self._intake)
        async for piece in call(input, config, **kwargs):
            yield piece
