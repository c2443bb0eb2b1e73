"""Agents of Microsoft Agent Framework, with OpenAI's and with Anthropic's clients."""

import json

from agent_framework import Agent, AgentSession, Content, FunctionTool, Message
from agent_framework_anthropic import AnthropicClient
from agent_framework_openai import OpenAIChatClient, OpenAIChatCompletionClient
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic import BaseModel

from contextwright.adapters.agent_framework import ContextChatMiddleware


class Answer(BaseModel):
    answer: str


LOOP = {"max_iterations": 200}


def completion_client(setup, kind=OpenAIChatCompletionClient):
    client = AsyncOpenAI(base_url=f"{setup.url}/v1", api_key="none", max_retries=1)
    return kind(setup.model, async_client=client, function_invocation_configuration=LOOP)


def responses_client(setup):
    return completion_client(setup, OpenAIChatClient)


def anthropic_client(setup):
    client = AsyncAnthropic(base_url=setup.url, api_key="none", max_retries=1)
    return AnthropicClient(
        model=setup.model, anthropic_client=client, function_invocation_configuration=LOOP
    )


CLIENTS = {
    "openai-chat": completion_client,
    "openai-responses": responses_client,
    "anthropic": anthropic_client,
}


def looking(picture):
    def look(path: str) -> Content:
        """Look at a picture."""
        return Content.from_data(picture, "image/png")

    return look


class FrameworkAgent:
    def __init__(self, setup, client, stored=None):
        self.setup, self.client = setup, CLIENTS.get(setup.api, client)
        self.sessions = dict(stored or {})
        tools = [
            FunctionTool(
                name=tool.__name__,
                description=tool.__doc__,
                func=tool,
                approval_mode="always_require"
                if tool.__name__ == setup.denied
                else "never_require",
            )
            for tool in setup.tools
        ]
        if setup.look:
            tools.append(FunctionTool(name="look", description="Look.", func=looking(setup.look)))
        if setup.helper:
            helper = FrameworkAgent(setup.helper, self.client).agent
            tools.append(helper.as_tool(name="ask_helper", arg_name="task"))
        middleware = [ContextChatMiddleware(setup.context)] if setup.context else []
        tools += [tool for each in middleware for tool in each.tools]
        options = {}
        if setup.temperature is not None:
            options["temperature"] = setup.temperature
        if self.client is responses_client:
            options |= {"store": False, "include": ["reasoning.encrypted_content"]}
        self.options = {"response_format": Answer} if setup.structured else {}
        self.agent = Agent(
            self.client(setup),
            setup.instructions,
            name="helper" if "helper" in setup.instructions else "reader",
            tools=tools,
            default_options=options,
            middleware=middleware,
        )

    def session(self, conversation="main"):
        if conversation not in self.sessions:
            self.sessions[conversation] = self.agent.create_session()
        return self.sessions[conversation]

    async def run(self, question, *, conversation="main", picture=b""):
        contents = [question, Content.from_data(picture, "image/png")] if picture else [question]
        options = {"session": self.session(conversation), "options": self.options}
        response = await self.agent.run(Message("user", contents), **options)
        while response.user_input_requests:
            denied = [
                each.to_function_approval_response(False) for each in response.user_input_requests
            ]
            response = await self.agent.run(Message("user", denied), **options)
        return response.text

    def trim(self, turns):
        state = self.session().state
        stored = next(each for each in state.values() if "messages" in each)
        messages = stored["messages"]
        users = [n for n, each in enumerate(messages) if each.role == "user" and each.text]
        stored["messages"] = messages[users[-turns] :]

    async def stream(self, question, most=None):
        pieces = []
        async for update in self.agent.run(question, session=self.session(), stream=True):
            # what replaces the pieces before it is no piece
            pieces += [
                each.text
                for each in update.contents
                if each.type == "text" and each.text and each.merge_mode != "replace"
            ]
            if len(pieces) == most:
                break
        return pieces

    def history(self, conversation="main"):
        stored = self.sessions[conversation].to_dict()
        return json.dumps([self.setup.instructions, stored], ensure_ascii=False, default=str)

    def restarted(self, setup):
        stored = {
            name: AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
            for name, session in self.sessions.items()
        }
        return FrameworkAgent(setup, self.client, stored)


class FrameworkDriver:
    def __init__(self, name, api, client, cannot=None):
        self.name, self.api, self.client = name, api, client
        self.cannot = {**COMMON, **(cannot or {})}
        # Anthropic's arguments are an object, which its client of Responses sends as they are
        other = "openai-chat" if api == "openai-responses" else "anthropic"
        self.moves_to = ("openai-chat",) if api == "anthropic" else (other,)

    def agent(self, setup):
        return FrameworkAgent(setup, self.client)


COMMON = {
    "synchronous": "the framework has no synchronous interface",
}
NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
NO_BOUND = "no model of this interface that binds is in the table of models"
DRIVERS = [
    FrameworkDriver(
        "agent-framework, chat",
        "openai-chat",
        completion_client,
        {
            "thinking": NO_THINKING,
            "thinking-bound-to-its-prefix": NO_THINKING,
            "pictures-in-results": "the framework sends no picture of a result to this interface",
        },
    ),
    FrameworkDriver(
        "agent-framework, responses",
        "openai-responses",
        responses_client,
        {"thinking-bound-to-its-prefix": NO_BOUND},
    ),
    FrameworkDriver("agent-framework, anthropic", "anthropic", anthropic_client),
]
