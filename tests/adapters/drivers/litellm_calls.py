"""LiteLLM's SDK in a loop of our own: the callback, and its own methods."""

import litellm
from tests.adapters.drivers.clients import CHAT, ChatLoop, ClientDriver
from tests.adapters.drivers.own_loop import heard

from contextwright.adapters.litellm import ContextCallback

litellm.suppress_debug_info = True


class LiteLLMLoop(ChatLoop):
    def __init__(self, setup, histories=None):
        super().__init__(setup, histories)
        self.callback = ContextCallback(setup.context) if setup.context else None

    def options(self, history):
        options = super().options(history)
        if "temperature" in options:  # LiteLLM knows better than gpt-5 does
            options["extra_body"] = {"temperature": options.pop("temperature")}
        return {**options, "model": f"openai/{options['model']}", "api_base": f"{self.setup.url}/v1",
                "api_key": "none", "max_retries": 0}  # fmt: skip

    def ask(self, history, **more):
        send = self.callback.completion if self.callback else litellm.completion
        return send(**self.options(history), **more)

    async def aask(self, history):
        send = self.callback.acompletion if self.callback else litellm.acompletion
        return (await send(**self.options(history))).choices[0].message

    def streamed(self, history, pieces, most):
        usage = {"stream": True, "stream_options": {"include_usage": True}}
        chunks = []
        for chunk in self.ask(history, **usage):
            chunks.append(chunk)
            if chunk.choices[0].delta.content:
                heard(pieces, chunk.choices[0].delta.content, most)
        return litellm.stream_chunk_builder(chunks).choices[0].message

    def _run_sync(self, question, ask):
        def message(history):
            answer = ask(history)
            return answer.choices[0].message if hasattr(answer, "choices") else answer

        return super()._run_sync(question, message)


class HookedLoop(LiteLLMLoop):
    """The callback where a user registers it, under the SDK's own function."""

    async def aask(self, history):
        litellm.callbacks = [self.callback] if self.callback else []
        try:
            return (await litellm.acompletion(**self.options(history))).choices[0].message
        finally:
            litellm.callbacks = []


HOOK = {
    **CHAT,
    "an-overflow-is-mended-once": "the hook hears of a refusal, and LiteLLM's own retry sends it "
    "again; `callback.acompletion` does both",
    "two-conversations-at-once": "the test's callbacks are one list of the process",
}
DRIVERS = [
    ClientDriver(LiteLLMLoop, "litellm", CHAT),
    ClientDriver(HookedLoop, "litellm, callback", HOOK),
]
