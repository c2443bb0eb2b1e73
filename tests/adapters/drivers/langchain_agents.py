"""Agents of LangChain and deepagents, with OpenAI's and with Anthropic's models."""

import json

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, messages_from_dict, messages_to_dict
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel
from tests.adapters.drivers.clients import data_url

from contextwright.adapters.langchain import ContextMiddleware


class Answer(BaseModel):
    answer: str


def openai_model(setup):
    options = {} if setup.temperature is None else {"temperature": setup.temperature}
    return ChatOpenAI(
        model=setup.model, base_url=f"{setup.url}/v1", api_key="none", use_responses_api=False,
        stream_usage=True, max_retries=1, **options,
    )  # fmt: skip


def anthropic_model(setup):
    options = {} if setup.temperature is None else {"temperature": setup.temperature}
    return ChatAnthropic(
        model_name=setup.model, base_url=setup.url, api_key="none", max_tokens=1000, max_retries=1,
        **options,
    )  # fmt: skip


MODELS_OF = {"openai-chat": openai_model, "anthropic": anthropic_model}


def looking(picture):
    @tool
    def look(path: str) -> list[dict]:
        """Look at a picture."""
        return [{"type": "image_url", "image_url": {"url": data_url(picture)}}]

    return look


class LangChainAgent:
    def __init__(self, setup, model, stored=None):
        self.setup, self.model = setup, MODELS_OF.get(setup.api, model)
        self.stored = dict(stored or {})
        tools = list(setup.tools)
        if setup.look:
            tools.append(looking(setup.look))
        if setup.helper:
            helper = LangChainAgent(setup.helper, model)

            @tool
            async def ask_helper(task: str) -> str:
                """Let the helper do a task."""
                return await helper.run(task)

            tools.append(ask_helper)
        middleware = [ContextMiddleware(setup.context)] if setup.context else []
        if setup.denied:
            middleware.insert(0, HumanInTheLoopMiddleware({setup.denied: True}))
        self.agent = self.made(
            model=self.model(setup),
            tools=tools,
            system_prompt=setup.instructions,
            middleware=middleware,
            response_format=Answer if setup.structured else None,
            checkpointer=InMemorySaver() if setup.denied else None,
        )

    made = staticmethod(create_agent)

    def state(self, question, conversation="main", picture=b""):
        content = question
        if picture:
            image = {"type": "image_url", "image_url": {"url": data_url(picture)}}
            content = [{"type": "text", "text": question}, image]
        return {"messages": [*self.stored.get(conversation, []), HumanMessage(content=content)]}

    async def run(self, question, *, conversation="main", picture=b""):
        state = self.state(question, conversation, picture)
        config = {"recursion_limit": 500, "configurable": {"thread_id": conversation}}
        result = await self.agent.ainvoke(state, config)
        while result.get("__interrupt__"):
            reject = Command(resume={"decisions": [{"type": "reject", "message": "denied"}]})
            result = await self.agent.ainvoke(reject, config)
        self.stored[conversation] = result["messages"]
        if self.setup.structured:
            return result["structured_response"].model_dump_json()
        return result["messages"][-1].text

    def run_sync(self, question):
        result = self.agent.invoke(self.state(question), {"recursion_limit": 500})
        self.stored["main"] = result["messages"]
        return result["messages"][-1].text

    def trim(self, turns):
        messages = self.stored["main"]
        users = [n for n, each in enumerate(messages) if each.type == "human"]
        self.stored["main"] = messages[users[-turns] :]

    async def stream(self, question, most=None):
        pieces, messages = [], []
        async for mode, chunk in self.agent.astream(
            self.state(question), {"recursion_limit": 500}, stream_mode=["messages", "values"]
        ):
            if mode == "values":
                messages = chunk["messages"]
            elif chunk[0].type == "AIMessageChunk" and chunk[0].text:
                pieces.append(chunk[0].text)
                if len(pieces) == most:
                    break
        self.stored["main"] = messages
        return pieces

    def history(self, conversation="main"):
        known = messages_to_dict(self.stored[conversation])
        return json.dumps([self.setup.instructions, known], ensure_ascii=False, default=str)

    def restarted(self, setup):
        stored = {
            name: messages_from_dict(json.loads(json.dumps(messages_to_dict(all))))
            for name, all in self.stored.items()
        }
        return type(self)(setup, self.model, stored)


class LangChainDriver:
    moves_to = ("anthropic", "openai-chat")

    def __init__(self, name, api, model, cannot=None):
        self.name, self.api, self.model = name, api, model
        self.cannot = cannot or {}

    def agent(self, setup):
        return LangChainAgent(setup, self.model)


NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
DRIVERS = [
    LangChainDriver(
        "langchain, openai",
        "openai-chat",
        openai_model,
        {
            "thinking": NO_THINKING,
            "pictures-in-results": "the framework sends pictures in a result, which the interface does not take",
            "thinking-bound-to-its-prefix": NO_THINKING,
        },
    ),
    LangChainDriver("langchain, anthropic", "anthropic", anthropic_model),
]
