"""What frameworks and Bedrock dump, of every kind of part that they have, with what nobody knows in it at
every level: fields, parts, messages' and documents' own."""

from itertools import count

from hypothesis import strategies as st
from tests.render.bodies import KEYS, SCHEMA, UNKNOWN, VALUES, arranged, shuffled, turns
from tests.render.bodies import WORDS as PLAIN_WORDS

_number = count()
WORDS = PLAIN_WORDS.map(lambda word: f"{word} said{next(_number)}.")
"""What a model is to see: each text has a mark of its own."""
ARGUMENTS = st.dictionaries(KEYS, VALUES, max_size=2)


def some(one, least=1, most=2):
    return st.lists(one, min_size=least, max_size=most)


def one(message):
    return message.map(lambda made: [made])


@st.composite
def in_document(draw, messages, **fields):
    """The list alone, or in a document with some of these fields and unknown ones."""
    if not fields or draw(st.booleans()):
        return draw(messages)
    optional = draw(st.fixed_dictionaries({}, optional=fields))
    return draw(arranged({"messages": draw(messages), **optional, **draw(UNKNOWN)}))


def _bedrock():
    text = shuffled({"text": WORDS})
    source = shuffled({"bytes": "aGk="}) | shuffled({"s3Location": shuffled({"uri": "s3://b/k"})})
    picture = shuffled({"image": shuffled({"format": "png", "source": source})})
    paper = shuffled({"document": shuffled({"format": "pdf", "name": "d", "source": source})})
    film = shuffled({"video": shuffled({"format": "mp4", "source": source})})
    odd = shuffled({"cachePoint": shuffled({"type": "default"})}) | shuffled(
        {"guardContent": shuffled({"text": shuffled({"text": PLAIN_WORDS})})}
    )
    later = shuffled({"kindOfTomorrow": VALUES})
    thought = shuffled({"reasoningContent": shuffled(
        {"reasoningText": shuffled({"text": PLAIN_WORDS, "signature": "c2ln"})})})  # fmt: skip
    sealed = shuffled({"reasoningContent": {"redactedContent": "c2ln"}})
    user = one(
        shuffled({"role": "user", "content": some(text | picture | paper | film | odd, 1, 3)})
    )
    said = some(text | thought | sealed | later)
    answer = one(shuffled({"role": "assistant", "content": said}))

    @st.composite
    def step(draw, ids):
        calls = [draw(shuffled({"toolUse": shuffled({"toolUseId": id, "name": "f",
            "input": ARGUMENTS})})) for id in ids]  # fmt: skip
        inside = some(text | shuffled({"json": VALUES}) | picture | later, 0)
        results = [draw(shuffled({"toolResult": shuffled({"toolUseId": id, "content": inside,
            **draw(st.sampled_from(({}, {"status": "error"}, {"status": "success"})))})}))
            for id in ids]  # fmt: skip
        behind = draw(some(text | odd, 0))
        asked = draw(shuffled({"role": "assistant", "content": [*draw(said), *calls]}))
        told = [*draw(st.permutations(results)), *behind]
        return [asked, draw(shuffled({"role": "user", "content": told}))]

    spec = shuffled({"name": "f", "inputSchema": shuffled({"json": SCHEMA})})
    point = shuffled({"cachePoint": {"type": "default"}})
    tools = st.tuples(shuffled({"toolSpec": spec}), point).map(list)
    return in_document(
        turns(user, answer, step),
        modelId=st.just("anthropic.claude"),
        system=some(text | odd),
        toolConfig=shuffled(
            {
                "tools": tools,
                "toolChoice": st.sampled_from(
                    ({"auto": {}}, {"any": {}}, {"tool": {"name": "f"}}, {"kindOfTomorrow": {}})
                ),
            }
        ),
        inferenceConfig=shuffled({"maxTokens": 9, "temperature": 0.5, "stopSequences": ["x"]}),
        additionalModelRequestFields=VALUES,
    )


def _vercel():
    text = shuffled({"type": "text", "text": WORDS, "state": "done"})
    file = shuffled({"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aGk="})
    link = shuffled({"type": "file", "mediaType": "application/pdf", "filename": "d.pdf",
                     "url": "https://x.org/d.pdf"})  # fmt: skip
    odd = shuffled({"type": "data-weather", "data": VALUES}) | shuffled(
        {"type": "source-url", "sourceId": "s", "url": "https://x.org"}
    )
    later = shuffled({"type": "kind-of-tomorrow", "z": VALUES})
    thought = shuffled({"type": "reasoning", "text": PLAIN_WORDS, "state": "done"})

    def message(role, parts):
        named = st.builds(lambda: f"m{next(_number)}")
        return shuffled({"id": named, "role": role, "metadata": VALUES, "parts": parts})

    def call(id):
        state = st.sampled_from((
            {"state": "output-available", "output": {"rows": [1.0]}},
            {"state": "output-available", "output": "seen"},
            {"state": "output-error", "errorText": "no"},
            {"state": "input-available"},
            {"state": "output-denied", "approval": {"id": "a", "approved": False}},
        ))  # fmt: skip
        kind = st.sampled_from(({"type": "tool-look"}, {"type": "dynamic-tool", "toolName": "ask"}))
        made = st.builds(
            lambda a, b, c: {**a, "toolCallId": id, "input": b, **c}, kind, ARGUMENTS, state
        )
        return made.flatmap(shuffled)

    @st.composite
    def answer(draw):
        parts = []
        for _ in range(draw(st.integers(1, 3))):
            parts += [draw(shuffled({"type": "step-start"}))]
            parts += draw(some(text | thought | odd | later, 0))
            parts += [draw(call(f"call_{next(_number)}")) for _ in range(draw(st.integers(0, 2)))]
        return [draw(message("assistant", [*parts, draw(text)]))]

    user = one(message("user", some(text | file | link | odd)))
    system = one(message("system", some(text, 1, 1)))
    listed = st.tuples(st.just([]) | system, turns(user, answer(), lambda ids: answer())).map(
        lambda pair: [*pair[0], *pair[1]]
    )
    return in_document(listed, id=st.just("chat"), trigger=st.just("submit-message"))


def _vercel_model():
    options = st.fixed_dictionaries({}, optional={"providerOptions": st.just({"p": {"x": 1}})})

    def part(fields):
        return st.builds(lambda a, b: {**a, **b}, shuffled(fields), options)

    text = part({"type": "text", "text": WORDS})
    picture = part({"type": "image", "image": "aGk=", "mediaType": "image/png"})
    file = part({"type": "file", "data": "https://x.org/d.pdf", "mediaType": "application/pdf"})
    thought = part({"type": "reasoning", "text": PLAIN_WORDS})
    later = part({"type": "custom", "kind": "p.k", "z": VALUES})
    hosted = part({"type": "tool-call", "toolCallId": "h", "toolName": "web", "input": {},
                   "providerExecuted": True})  # fmt: skip
    user = one(part({"role": "user", "content": some(text | picture | file | later, 1, 3)}))
    said = some(text | thought | later | hosted)
    answer = one(part({"role": "assistant", "content": said | WORDS}))

    @st.composite
    def step(draw, ids):
        calls = [draw(part({"type": "tool-call", "toolCallId": id, "toolName": "look",
            "input": ARGUMENTS})) for id in ids]  # fmt: skip
        output = st.sampled_from((
            {"type": "text", "value": "seen"},
            {"type": "json", "value": {"rows": [1.0]}},
            {"type": "error-text", "value": "no"},
            {"type": "error-json", "value": [1.0]},
            {"type": "execution-denied", "reason": "no"},
            {"type": "content", "value": [{"type": "text", "text": "a"},
                {"type": "image-data", "data": "aGk=", "mediaType": "image/png"},
                {"type": "kind-of-tomorrow", "z": 1.0}]},
        )).flatmap(shuffled)  # fmt: skip
        results = [draw(part({"type": "tool-result", "toolCallId": id, "toolName": "look",
            "output": output})) for id in ids]  # fmt: skip
        return [draw(part({"role": "assistant", "content": [*draw(said), *calls]})),
                draw(part({"role": "tool", "content": draw(st.permutations(results))}))]  # fmt: skip

    return in_document(
        turns(user, answer, step),
        model=VALUES,
        system=WORDS,
        temperature=st.just(0.5),
        maxOutputTokens=st.just(9),
        toolChoice=st.sampled_from(("auto", "required", {"x": 1})),
    )


def _agent_framework():
    own = st.fixed_dictionaries({}, optional={"additional_properties": st.just({"k": [1.0]})})

    def content(fields):
        return st.builds(lambda a, b: {**a, **b}, shuffled(fields), own)

    text = content({"type": "text", "text": WORDS})
    link = content({"type": "uri", "uri": "https://x.org/a.png", "media_type": "image/png"})
    data = content({"type": "data", "uri": "data:application/pdf;base64,aGk=",
                    "media_type": "application/pdf"})  # fmt: skip
    odd = content({"type": "usage", "usage_details": VALUES}) | content(
        {"type": "hosted_file", "file_id": "f"}
    )
    later = content({"type": "kind_of_tomorrow", "z": VALUES})
    thought = content({"type": "text_reasoning", "text": PLAIN_WORDS, "protected_data": "enc"})

    def message(role, contents):
        more = st.fixed_dictionaries({}, optional={"author_name": st.just("bob")})
        return st.builds(lambda a, b: {**a, **b}, content(
            {"type": "message", "role": role, "contents": contents}), more)  # fmt: skip

    user = one(message("user", some(text | link | data | odd)))
    said = some(text | thought | odd | later)
    answer = one(message("assistant", said))

    @st.composite
    def step(draw, ids):
        arguments = ARGUMENTS | st.sampled_from(("{}", '{"b": 1, "a":2}'))
        calls = [draw(content({"type": "function_call", "call_id": id, "name": "look",
            "arguments": arguments})) for id in ids]  # fmt: skip
        ends = st.sampled_from(({}, {"exception": "E"}, {"items": [{"type": "text", "text": "t"}]}))
        results = [draw(content({"type": "function_result", "call_id": id,
            "result": WORDS | VALUES, **draw(ends)})) for id in ids]  # fmt: skip
        return [draw(message("assistant", [*draw(said), *calls])),
                draw(message("tool", draw(st.permutations(results))))]  # fmt: skip

    listed = turns(user, answer, step)
    held = shuffled({"in_memory": shuffled({"messages": listed})})
    session = shuffled({"type": "session", "session_id": "s", "state": held})
    return in_document(listed, session_id=st.just("s"), more=UNKNOWN) | session


def _pydantic_ai():
    link = shuffled({"kind": "image-url", "url": "https://x.org/a.png"})
    data = shuffled({"kind": "binary", "data": "aGk=", "media_type": "application/pdf"})
    later = shuffled({"kind": "kind-of-tomorrow", "z": VALUES})
    inside = some(
        WORDS | link | data | later | shuffled({"kind": "text-content", "content": WORDS})
    )
    prompt = shuffled({"part_kind": "user-prompt", "content": WORDS | inside,
                       "timestamp": "2026-01-01T00:00:00Z"})  # fmt: skip
    system = shuffled({"part_kind": "system-prompt", "content": WORDS, "dynamic_ref": None})
    retry = shuffled({"part_kind": "retry-prompt", "content": WORDS | st.just(
        [{"type": "missing", "loc": ["a"], "msg": "m", "input": {}}]), "tool_name": None})  # fmt: skip

    def request(parts):
        told = st.fixed_dictionaries({}, optional={"instructions": WORDS, "run_id": PLAIN_WORDS})
        return st.builds(
            lambda a, b: {**a, **b}, shuffled({"kind": "request", "parts": parts}), told
        )

    def response(parts):
        return shuffled({"kind": "response", "parts": parts, "model_name": "m", "usage": VALUES})

    text = shuffled({"part_kind": "text", "content": WORDS})
    thought = shuffled({"part_kind": "thinking", "content": PLAIN_WORDS, "signature": "s",
                        "provider_name": st.sampled_from(("anthropic", "openai", None))})  # fmt: skip
    hosted = shuffled({"part_kind": "builtin-tool-call", "tool_name": "web", "args": VALUES,
                       "tool_call_id": "h"})  # fmt: skip
    strange = shuffled({"part_kind": "kind-of-tomorrow", "z": VALUES})
    said = some(text | thought | hosted | strange)

    @st.composite
    def step(draw, ids):
        arguments = ARGUMENTS | st.sampled_from(("{}", '{"b": 1, "a":2}')) | st.none()
        calls = [draw(shuffled({"part_kind": "tool-call", "tool_name": "look", "args": arguments,
            "tool_call_id": id})) for id in ids]  # fmt: skip
        outcome = st.fixed_dictionaries(
            {}, optional={"outcome": st.sampled_from(("success", "failed"))}
        )
        results = [{**draw(shuffled({"part_kind": "tool-return", "tool_name": "look",
            "tool_call_id": id, "content": WORDS | VALUES | inside})), **draw(outcome)}
            for id in ids]  # fmt: skip
        failed = shuffled({"part_kind": "retry-prompt", "tool_name": "look", "tool_call_id": ids[0],
                           "content": WORDS})  # fmt: skip
        if draw(st.booleans()):
            results[0] = draw(failed)
        return [draw(response([*draw(said), *calls])),
                draw(request([*draw(st.permutations(results)), *draw(some(prompt, 0, 1))]))]  # fmt: skip

    user = one(request(some(prompt | system | retry | prompt)))
    return in_document(
        turns(user, one(response(said)), step), new_message_index=VALUES, usage=VALUES
    )


def _langchain():
    text = shuffled({"type": "text", "text": WORDS})
    link = shuffled({"type": "image_url", "image_url": shuffled({"url": "https://x.org/a.png"})})
    data = shuffled({"type": "file", "mime_type": "application/pdf", "base64": "aGk="})
    later = shuffled({"type": "kind_of_tomorrow", "z": VALUES})
    thought = shuffled({"type": "thinking", "thinking": PLAIN_WORDS, "signature": "s"}) | shuffled(
        {"type": "reasoning", "reasoning": PLAIN_WORDS}
    )

    @st.composite
    def of_form(draw):
        form = draw(st.sampled_from(("flat", "data", "lc")))
        classes = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage",
                   "system": "SystemMessage"}  # fmt: skip

        def message(kind, **fields):
            said = shuffled({"type": kind, "id": f"m{next(_number)}", "additional_kwargs": UNKNOWN,
                             "response_metadata": UNKNOWN, **fields})  # fmt: skip
            if form == "flat":
                return said
            if form == "data":
                return shuffled({"type": kind, "data": said})
            path = ["langchain", "schema", "messages", classes[kind]]
            return shuffled({"lc": 1, "type": "constructor", "id": path, "kwargs": said})

        content = WORDS | some(text | link | data | later | WORDS)
        said = WORDS | st.just("") | some(text | thought | later | WORDS)

        @st.composite
        def step(draw, ids):
            calls = [draw(shuffled({"name": "look", "args": ARGUMENTS, "id": id, "type": "tool_call"}))
                     for id in ids]  # fmt: skip
            bad = draw(st.booleans())
            listed = {"tool_calls": calls, "invalid_tool_calls": []}
            if bad:
                wrong = draw(shuffled({"name": "look", "args": '{"a', "id": "bad" + ids[0],
                                       "type": "invalid_tool_call", "error": None}))  # fmt: skip
                listed["invalid_tool_calls"] = [wrong]
            asked = draw(message("ai", content=said, usage_metadata=VALUES, **listed))
            status = st.sampled_from(("success", "error"))
            told = [draw(message("tool", content=content, tool_call_id=id, status=status,
                                 artifact=VALUES)) for id in ids]  # fmt: skip
            return [asked, *told]

        user = st.deferred(lambda: one(message("human", content=content)))
        answer = st.deferred(lambda: one(message("ai", content=said, tool_calls=[])))
        system = draw(some(message("system", content=content), 0, 1))
        return [*system, *draw(turns(user, answer, step))]

    state = in_document(of_form(), remaining_steps=VALUES, files=UNKNOWN)
    held = shuffled({"messages": of_form(), "files": UNKNOWN})
    return state | shuffled({"values": held, "next": [], "config": VALUES})


def _llama_index():
    text = shuffled({"block_type": "text", "text": WORDS})
    picture = shuffled({"block_type": "image", "image": "aGk=", "url": None,
                        "image_mimetype": "image/png", "detail": None})  # fmt: skip
    paper = shuffled({"block_type": "document", "data": None, "url": "https://x.org/d.pdf",
                      "title": "d.pdf", "document_mimetype": "application/pdf"})  # fmt: skip
    odd = shuffled({"block_type": "cache", "cache_control": {"type": "ephemeral"}})
    later = shuffled({"block_type": "kind_of_tomorrow", "z": VALUES})
    thought = shuffled({"block_type": "thinking", "content": PLAIN_WORDS, "num_tokens": None,
                        "additional_information": shuffled({"signature": "s"})})  # fmt: skip

    def message(role, blocks, kwargs=UNKNOWN):
        return shuffled({"role": role, "additional_kwargs": kwargs, "blocks": blocks})

    user = one(message("user", some(text | picture | paper | odd)))
    said = some(text | thought | later)
    answer = one(message("assistant", said))

    @st.composite
    def step(draw, ids):
        told = [draw(message("tool", some(text | picture, 0), shuffled(
            {"tool_call_id": id, **draw(st.sampled_from(({}, {"name": "look"}, {"is_error": True})))})))
            for id in ids]  # fmt: skip
        if draw(st.booleans()):
            values = ARGUMENTS | st.just('{"b": 1, "a":2}')
            calls = [draw(shuffled({"block_type": "tool_call", "tool_call_id": id,
                "tool_name": "look", "tool_kwargs": values})) for id in ids]  # fmt: skip
            return [draw(message("assistant", [*draw(said), *calls])), *told]
        calls = [draw(shuffled({"id": id, "type": "function", "function": shuffled(
            {"name": "look", "arguments": "{}"})})) for id in ids]  # fmt: skip
        kwargs = shuffled({"tool_calls": calls})
        return [draw(message("assistant", draw(some(text, 0)), kwargs)), *told]

    system = one(message("system", some(text)))
    listed = st.tuples(st.just([]) | system, turns(user, answer, step)).map(
        lambda pair: [*pair[0], *pair[1]]
    )
    whole = in_document(listed, token_limit=st.just(9), chat_store_key=PLAIN_WORDS)
    return whole | shuffled({"store": listed.map(lambda made: {"k": made}), "class_name": "S"})


DUMPS = {
    "bedrock": _bedrock(),
    "vercel-ai": _vercel(),
    "vercel-ai-model": _vercel_model(),
    "agent-framework": _agent_framework(),
    "pydantic-ai": _pydantic_ai(),
    "langchain": _langchain(),
    "llama-index": _llama_index(),
}
