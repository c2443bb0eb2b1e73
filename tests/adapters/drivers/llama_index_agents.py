"""Agents of LlamaIndex, with OpenAI's and with Anthropic's LLMs."""

import json

from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent
from llama_index.llms.anthropic import Anthropic
from llama_index.llms.openai import OpenAI
from pydantic import BaseModel
from tests.adapters.drivers.sdk_settings import HAS_TEMPERATURE

from contextwright.adapters.llama_index import context_llm, read_back_tools


class Answer(BaseModel):
    answer: str


def openai_llm(setup):
    options = {} if setup.temperature is None else {"temperature": setup.temperature}
    # the framework asks for no bill of a stream by itself
    extra = {"stream_options": {"include_usage": True}}
    return OpenAI(
        setup.model,
        api_base=f"{setup.url}/v1",
        api_key="none",
        max_retries=0,
        additional_kwargs=extra,
        **options,
    )


def anthropic_llm(setup):
    options = {} if setup.temperature is None else {"temperature": setup.temperature}
    return Anthropic(
        setup.model, base_url=setup.url, api_key="none", max_retries=0, max_tokens=1000, **options
    )


def memory_of(messages):
    """A memory that leaves out nothing by itself."""
    return ChatMemoryBuffer.from_defaults(chat_history=messages, token_limit=10**9)


def asking(tool):
    async def asked(ctx: Context, path: str) -> str:
        required = InputRequiredEvent(prefix=f"save {path}?")
        response = await ctx.wait_for_event(HumanResponseEvent, waiter_event=required)
        return tool(path) if response.response == "yes" else "The operator denied this call."

    return FunctionTool.from_defaults(async_fn=asked, name=tool.__name__, description=tool.__doc__)


LLMS = {"openai-chat": openai_llm, "anthropic": anthropic_llm}


def looking(picture):
    def look(path: str) -> list:
        """Look at a picture."""
        return [ImageBlock(image=picture, image_mimetype="image/png")]

    return FunctionTool.from_defaults(look)


class LlamaAgent:
    def __init__(self, setup, llm, stored=None):
        self.setup, self.llm = setup, LLMS.get(setup.api, llm)
        self.memories = dict(stored or {})
        self.agent = self.made(setup)

    def made(self, setup):
        tools = [
            asking(tool) if tool.__name__ == setup.denied else FunctionTool.from_defaults(tool)
            for tool in setup.tools
        ]
        if setup.look:
            tools.append(looking(setup.look))
        if setup.helper:
            helper = self.made(setup.helper)

            async def ask_helper(task: str) -> str:
                """Let the helper do a task."""
                return str(await helper.run(task, max_iterations=200))

            tools.append(FunctionTool.from_defaults(async_fn=ask_helper))
        llm = self.llm(setup)
        if setup.context:
            llm = context_llm(llm, setup.context)
            tools += read_back_tools(llm)
        options = {}
        if setup.structured:
            options["structured_output_fn"] = lambda messages: json.loads(messages[-1].content)
        return FunctionAgent(llm=llm, tools=tools, system_prompt=setup.instructions, **options)

    def memory(self, conversation):
        if conversation not in self.memories:
            self.memories[conversation] = memory_of([])
        return self.memories[conversation]

    def started(self, question, conversation="main", picture=b""):
        blocks = [TextBlock(text=question)]
        if picture:
            blocks.append(ImageBlock(image=picture, image_mimetype="image/png"))
        message = ChatMessage(role="user", blocks=blocks)
        memory = self.memory(conversation)
        return self.agent.run(message, memory=memory, max_iterations=200)

    async def run(self, question, *, conversation="main", picture=b""):
        handler = self.started(question, conversation, picture)
        try:
            async for event in handler.stream_events():
                if isinstance(event, InputRequiredEvent):
                    handler.ctx.send_event(HumanResponseEvent(response="no"))
            output = await handler
        except BaseException:
            await handler.cancel_run()
            raise
        if self.setup.structured:
            return json.dumps(output.structured_response)
        return str(output)

    def trim(self, turns):
        memory = self.memories["main"]
        messages = memory.get_all()
        users = [n for n, each in enumerate(messages) if each.role == "user"]
        memory.set(messages[users[-turns] :])

    async def stream(self, question, most=None):
        handler = self.started(question)
        pieces = []
        async for event in handler.stream_events():
            if isinstance(event, AgentStream) and event.delta:
                pieces.append(event.delta)
                if len(pieces) == most:
                    await handler.cancel_run()
                    return pieces
        await handler
        return pieces

    def history(self, conversation="main"):
        stored = [message.model_dump() for message in self.memories[conversation].get_all()]
        return json.dumps([self.setup.instructions, stored], ensure_ascii=False, default=str)

    def restarted(self, setup):
        stored = {
            name: memory_of([ChatMessage.model_validate_json(m.model_dump_json()) for m in all])
            for name, memory in self.memories.items()
            if (all := memory.get_all())
        }
        return LlamaAgent(setup, self.llm, stored)


class LlamaDriver:
    moves_to = ("anthropic", "openai-chat") if HAS_TEMPERATURE else ()

    def __init__(self, name, api, llm, cannot=None):
        self.name, self.api, self.llm = name, api, llm
        self.cannot = {**COMMON, **(cannot or {})}

    def agent(self, setup):
        return LlamaAgent(setup, self.llm)


COMMON = {
    "synchronous": "agents of the framework are asynchronous only",
}
NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
DRIVERS = [
    LlamaDriver(
        "llama-index, openai",
        "openai-chat",
        openai_llm,
        {
            "thinking": NO_THINKING,
            "pictures-in-results": "the framework sends no picture of a result to this interface",
            "thinking-bound-to-its-prefix": NO_THINKING,
        },
    ),
]
if HAS_TEMPERATURE:  # the framework always sends one
    DRIVERS.append(LlamaDriver("llama-index, anthropic", "anthropic", anthropic_llm))
