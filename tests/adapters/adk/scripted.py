"""A model for ADK that says what it is told to say."""

from google.adk.models import BaseLlm, LlmResponse
from google.genai import types

from contextwright.tokens.calibrate import Calibrator


class Script(BaseLlm):
    """Replies from a list of texts and calls, the last one again and again; keeps the requests
    that it was sent, and the tools that each offered."""

    model: str = "gemini-2.5-flash"
    replies: list = []
    sent: list = []
    offered: list = []

    async def generate_content_async(self, llm_request, stream=False):
        # a tool may hold what can not be copied
        contents = [content.model_copy(deep=True) for content in llm_request.contents]
        config = llm_request.config.model_copy()
        self.sent.append(llm_request.model_copy(update={"contents": contents, "config": config}))
        self.offered.append(dict(llm_request.tools_dict))
        reply = self.replies[min(len(self.sent), len(self.replies)) - 1]
        part = (
            types.Part(text=reply)
            if isinstance(reply, str)
            else types.Part(
                function_call=types.FunctionCall(
                    name=reply[0],
                    args=reply[1],
                    id=reply[2] if len(reply) > 2 else f"call{len(self.sent)}",
                )
            )
        )
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=400)
        yield LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)


def script(*replies):
    return Script(replies=list(replies), sent=[], offered=[])


def said(text):
    return types.Content(role="user", parts=[types.Part(text=text)])


def estimates(monkeypatch):
    """What each bill is compared with from now on, as it comes."""
    seen = []
    observe = Calibrator.observe

    def watch(self, format, model, billed, estimated):
        seen.append(estimated)
        return observe(self, format, model, billed, estimated)

    monkeypatch.setattr(Calibrator, "observe", watch)
    return seen
