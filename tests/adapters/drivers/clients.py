"""The providers' own clients, each in a loop of our own."""

import base64
import json

import anthropic
import openai
from google import genai
from tests.adapters.drivers.own_loop import ANSWER, OwnLoop, heard

from contextwright import wrap

NO_BOUND = "no model of this interface that binds is in the table of models"
ONE = "a client speaks to one provider"
NO_THINKING = "the interface gives no signed reasoning"


def data_url(picture):
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def wrapped(client, setup):
    return client if setup.context is None else wrap(client, setup.context)


def openai_clients(setup):
    options = {"base_url": f"{setup.url}/v1", "api_key": "none", "max_retries": 1}
    return (
        wrapped(openai.OpenAI(**options), setup),
        wrapped(openai.AsyncOpenAI(**options), setup),
    )


class ClientDriver:
    """One provider's client."""

    moves_to = ()

    def __init__(self, loop, name, cannot=None):
        self.loop, self.api, self.name = loop, loop.api, name
        self.cannot = {"another-provider-goes-on": ONE, **(cannot or {})}

    def agent(self, setup):
        return self.loop(setup)


class ChatLoop(OwnLoop):
    api = "openai-chat"

    def __init__(self, setup, histories=None):
        super().__init__(setup, histories)
        self.client, self.aclient = openai_clients(setup)

    def beginning(self):
        return [{"role": "system", "content": self.setup.instructions}]

    def restarted(self, setup):
        again = super().restarted(setup)
        for history in again.histories.values():
            history[0] = again.beginning()[0]
        return again

    def is_users(self, message):
        return message["role"] == "user"

    def user(self, question, picture):
        content = question
        if picture:
            image = {"type": "image_url", "image_url": {"url": data_url(picture)}}
            content = [{"type": "text", "text": question}, image]
        return [{"role": "user", "content": content}]

    def options(self, history):
        tools = [
            {"type": "function", "function": {"name": n, "description": d, "parameters": s}}
            for n, d, s in self.functions()
        ]
        options = {"model": self.setup.model, "messages": list(history), "tools": tools}
        if self.setup.temperature is not None:
            options["temperature"] = self.setup.temperature
        if self.setup.structured:
            schema = {"name": "answer", "schema": ANSWER, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        return options

    def ask(self, history):
        return self.client.chat.completions.create(**self.options(history)).choices[0].message

    async def aask(self, history):
        # as another user of the client would: the raw response
        raw = await self.aclient.chat.completions.with_raw_response.create(**self.options(history))
        return raw.parse().choices[0].message

    def streamed(self, history, pieces, most):
        usage = {"stream_options": {"include_usage": True}}
        with self.client.chat.completions.stream(**self.options(history), **usage) as stream:
            for event in stream:
                if event.type == "content.delta":
                    heard(pieces, event.delta, most)
            return stream.get_final_completion().choices[0].message

    def recorded(self, message):
        kept = {"role": "assistant", "content": message.content or None}
        if message.tool_calls:
            kept["tool_calls"] = [
                {
                    "id": c.id,
                    "type": "function",
                    "function": {"name": c.function.name, "arguments": c.function.arguments},
                }
                for c in message.tool_calls
            ]
        return [kept]

    def calls(self, message):
        return [
            (c.id, c.function.name, json.loads(c.function.arguments))
            for c in message.tool_calls or ()
        ]

    def results(self, outputs):
        return [
            {"role": "tool", "tool_call_id": id, "content": output} for id, _, output in outputs
        ]

    def text(self, message):
        return message.content


class ResponsesLoop(OwnLoop):
    api = "openai-responses"

    def __init__(self, setup, histories=None):
        super().__init__(setup, histories)
        self.client, self.aclient = openai_clients(setup)

    def user(self, question, picture):
        content = [{"type": "input_text", "text": question}]
        if picture:
            content.append(
                {"type": "input_image", "detail": "auto", "image_url": data_url(picture)}
            )
        return [{"type": "message", "role": "user", "content": content}]

    def is_users(self, item):
        return item.get("role") == "user"

    def picture(self, data):
        return [{"type": "input_image", "detail": "auto", "image_url": data_url(data)}]

    def options(self, history):
        tools = [
            {"type": "function", "name": n, "description": d, "parameters": s, "strict": False}
            for n, d, s in self.functions()
        ]
        options = {
            "model": self.setup.model,
            "instructions": self.setup.instructions,
            "input": list(history),
            "tools": tools,
            "store": False,
        }
        if self.setup.temperature is not None:
            options["temperature"] = self.setup.temperature
        if self.setup.structured:
            form = {"type": "json_schema", "name": "answer", "schema": ANSWER, "strict": True}
            options["text"] = {"format": form}
        return options

    def ask(self, history):
        return self.client.responses.create(**self.options(history))

    async def aask(self, history):
        return await self.aclient.responses.create(**self.options(history))

    def streamed(self, history, pieces, most):
        with self.client.responses.stream(**self.options(history)) as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    heard(pieces, event.delta, most)
            return stream.get_final_response()

    def recorded(self, response):
        left_out = {"parsed", "parsed_arguments"}
        return [
            {key: value for key, value in item.to_dict().items() if key not in left_out}
            if item.type != "message"
            else {"type": "message", "role": "assistant", "id": item.id, "status": "completed",
                  "content": [{"type": "output_text", "text": part.text, "annotations": []}
                              for part in item.content]}
            for item in response.output
        ]  # fmt: skip

    def calls(self, response):
        return [
            (item.call_id, item.name, json.loads(item.arguments))
            for item in response.output
            if item.type == "function_call"
        ]

    def results(self, outputs):
        return [
            {"type": "function_call_output", "call_id": id, "output": output}
            for id, _, output in outputs
        ]

    def text(self, response):
        return response.output_text


class MessagesLoop(OwnLoop):
    api = "anthropic"

    def __init__(self, setup, histories=None):
        super().__init__(setup, histories)
        options = {"base_url": setup.url, "api_key": "none", "max_retries": 1}
        self.client = wrapped(anthropic.Anthropic(**options), setup)
        self.aclient = wrapped(anthropic.AsyncAnthropic(**options), setup)

    def user(self, question, picture):
        content = [{"type": "text", "text": question}]
        if picture:
            data = base64.b64encode(picture).decode()
            source = {"type": "base64", "media_type": "image/png", "data": data}
            content.insert(0, {"type": "image", "source": source})
        return [{"role": "user", "content": content}]

    def is_users(self, message):
        kinds = {block["type"] for block in message["content"]}
        return message["role"] == "user" and "tool_result" not in kinds

    def picture(self, data):
        source = {"type": "base64", "media_type": "image/png"}
        data = base64.b64encode(data).decode()
        return [{"type": "image", "source": {**source, "data": data}}]

    def options(self, history):
        tools = [{"name": n, "description": d, "input_schema": s} for n, d, s in self.functions()]
        options = {
            "model": self.setup.model,
            "max_tokens": 1000,
            "system": self.setup.instructions,
            "messages": list(history),
            "tools": tools,
        }
        if self.setup.temperature is not None:
            options["extra_body"] = {"temperature": self.setup.temperature}
        if self.setup.structured:
            form = {"type": "json_schema", "schema": ANSWER}
            options["output_config"] = {"format": form}
        return options

    def ask(self, history):
        return self.client.messages.create(**self.options(history))

    async def aask(self, history):
        return await self.aclient.messages.create(**self.options(history))

    def streamed(self, history, pieces, most):
        with self.client.messages.stream(**self.options(history)) as stream:
            for piece in stream.text_stream:
                heard(pieces, piece, most)
            return stream.get_final_message()

    def recorded(self, message):
        blocks = [block.to_dict() for block in message.content]
        keys = {"type", "text", "id", "name", "input", "thinking", "signature"}
        content = [{k: v for k, v in block.items() if k in keys} for block in blocks]
        return [{"role": "assistant", "content": content}]

    def calls(self, message):
        return [(b.id, b.name, b.input) for b in message.content if b.type == "tool_use"]

    def results(self, outputs):
        content = [
            {"type": "tool_result", "tool_use_id": id, "content": output}
            for id, _, output in outputs
        ]
        return [{"role": "user", "content": content}]

    def text(self, message):
        return "".join(block.text for block in message.content if block.type == "text")


class GeminiLoop(OwnLoop):
    api = "gemini"

    def __init__(self, setup, histories=None):
        super().__init__(setup, histories)
        options = {"api_key": "none", "http_options": {"base_url": setup.url}}
        self.client = wrapped(genai.Client(**options), setup)

    def user(self, question, picture):
        parts = [{"text": question}]
        if picture:
            data = base64.b64encode(picture).decode()
            parts.append({"inline_data": {"mime_type": "image/png", "data": data}})
        return [{"role": "user", "parts": parts}]

    def is_users(self, content):
        return any("text" in part for part in content["parts"]) and content["role"] == "user"

    def picture(self, data):
        return {"picture": base64.b64encode(data).decode()}

    def options(self, history):
        functions = [
            {"name": n, "description": d, "parameters_json_schema": s}
            for n, d, s in self.functions()
        ]
        config = {
            "system_instruction": self.setup.instructions,
            "tools": [{"function_declarations": functions}],
        }
        if self.setup.temperature is not None:
            config["temperature"] = self.setup.temperature
        if self.setup.structured:
            config["response_mime_type"] = "application/json"
            config["response_json_schema"] = ANSWER
        return {"model": self.setup.model, "contents": list(history), "config": config}

    def ask(self, history):
        return self.client.models.generate_content(**self.options(history)).candidates[0].content

    async def aask(self, history):
        answer = await self.client.aio.models.generate_content(**self.options(history))
        return answer.candidates[0].content

    def streamed(self, history, pieces, most):
        parts = []
        for chunk in self.client.models.generate_content_stream(**self.options(history)):
            content = chunk.candidates[0].content
            parts += content.parts
            for part in content.parts:
                if part.text:
                    heard(pieces, part.text, most)
        return genai.types.Content(role="model", parts=parts)

    def recorded(self, content):
        return [content.model_dump(mode="json", exclude_none=True)]

    def calls(self, content):
        found = [part.function_call for part in content.parts if part.function_call]
        return [(call.id, call.name, call.args) for call in found]

    def results(self, outputs):
        parts = []
        for id, name, output in outputs:
            response = {"id": id, "name": name, "response": {"output": output}}
            if isinstance(output, dict):
                blob = {"mime_type": "image/png", "data": output["picture"]}
                response |= {"response": {}, "parts": [{"inline_data": blob}]}
            parts.append({"function_response": response})
        return [{"role": "user", "parts": parts}]

    def text(self, content):
        return "".join(part.text for part in content.parts if part.text and not part.thought)


THINKING = {"thinking": NO_THINKING, "thinking-bound-to-its-prefix": NO_THINKING}
CHAT = {**THINKING, "pictures-in-results": "a result of the interface is a text"}
DRIVERS = [
    ClientDriver(ChatLoop, "openai, chat", CHAT),
    ClientDriver(ResponsesLoop, "openai, responses", {"thinking-bound-to-its-prefix": NO_BOUND}),
    ClientDriver(MessagesLoop, "anthropic"),
    ClientDriver(GeminiLoop, "google-genai", {"thinking-bound-to-its-prefix": NO_BOUND}),
]
