"""Request bodies of every provider with what nobody knows in them: fields, parts, items, tools,
parameters, keys in any order."""

from hypothesis import strategies as st

KEYS = st.sampled_from(("x_b", "x_a", "x__"))
WORDS = st.sampled_from(("hi", "go on", "größe", "a\nb", "{}", "漢字", "0"))
VALUES = st.sampled_from(
    (
        None,
        True,
        -9,
        1.0,
        0.5,
        "größe",
        "",
        [],
        {},
        [None, ["a\nb"]],
        {"x_b": {"x_a": [0]}, "x_a": 1},
    )
)
UNKNOWN = st.sampled_from(
    ({}, {}, {"x_b": None}, {"x_b": 1, "x_a": [{"x_z": 1.0, "x_c": "漢字"}]}, {"x__": {"x_a": {}}})
)
"""What is in a body and known to nobody; few of them, as a draw costs more than a compile."""
ORDERS = st.integers(0, 23)


def in_order(fields, number):
    """The object with its keys in one of their orders."""
    keys, left = [], list(fields)
    while left:
        number, place = divmod(number, len(left))
        keys.append(left.pop(place))
    return {key: fields[key] for key in keys}


@st.composite
def shuffled(draw, fields):
    """An object of these fields and unknown ones, in any order."""
    made = {key: draw(item) if isinstance(item, st.SearchStrategy) else item
            for key, item in fields.items()}  # fmt: skip
    return in_order({**made, **draw(UNKNOWN)}, draw(ORDERS))


def typed(*kinds):
    """Parts or items of kinds that came after this was written, or that only their maker reads."""
    return st.sampled_from(kinds).flatmap(
        lambda kind: shuffled({"type": kind, "z": 1, "a": VALUES})
    )


def parameters(**known):
    fixed = st.fixed_dictionaries({}, optional=known)
    return st.builds(lambda one, other: {**one, **other}, fixed, UNKNOWN)


@st.composite
def arranged(draw, fields):
    return in_order(fields, draw(ORDERS))


TEXT = shuffled({"type": "text", "text": WORDS})
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}, "b": {}, "a": {}}}


def turns(user, assistant, step):
    """Turns of a user, each with some steps of calls and results, and an answer. Each strategy gives
    a list of messages."""

    @st.composite
    def made(draw):
        messages, count = [], 0
        for _ in range(draw(st.integers(1, 2))):
            messages += draw(user)
            for _ in range(draw(st.integers(0, 2))):
                calls = draw(st.integers(1, 2))
                messages += draw(step([f"call_{count + n}" for n in range(calls)]))
                count += calls
            messages += draw(assistant)
        return [*messages, *draw(user)]

    return made()


@st.composite
def chat_bodies(draw):
    parts = st.lists(TEXT | typed("input_audio", "video"), min_size=1, max_size=3)
    content = WORDS | parts
    user = shuffled({"role": "user", "content": content}).map(lambda m: [m])
    odd = shuffled({"role": "developer", "content": content}).map(lambda m: [m])
    answer = shuffled({"role": "assistant", "content": content, "refusal": None}).map(lambda m: [m])

    @st.composite
    def step(draw, ids):
        calls = [draw(shuffled({"id": id, "type": "function", "function": shuffled(
            {"name": "f", "arguments": st.sampled_from(("{}", '{"b": 1, "a":2}'))})}))
            for id in ids]  # fmt: skip
        silent = shuffled(
            {"role": "assistant", "content": st.none() | content, "tool_calls": calls}
        )
        results = [draw(shuffled({"role": "tool", "tool_call_id": id,
            "content": WORDS | st.lists(TEXT, min_size=1, max_size=2)})) for id in ids]  # fmt: skip
        return [draw(silent), *draw(st.permutations(results))]

    system = draw(st.lists(shuffled({"role": "system", "content": content}), max_size=2))
    messages = [*system, *draw(turns(user | st.tuples(odd, user).map(sum_lists), answer, step))]
    function = shuffled({"type": "function", "function": shuffled(
        {"name": "f", "strict": st.booleans(), "parameters": st.just(SCHEMA)})})  # fmt: skip
    custom = shuffled({"type": "custom", "custom": shuffled({"name": "k", "format": VALUES})})
    tools = draw(st.lists(st.one_of(function, custom), max_size=2, unique_by=lambda t: t["type"]))
    more = draw(parameters(temperature=VALUES, stop=VALUES, tool_choice=VALUES, stream=VALUES,
        response_format=st.just({"type": "json_object"}), seed=VALUES, user=WORDS))  # fmt: skip
    return draw(arranged({"model": "gpt-5", "messages": messages, "tools": tools, **more}))


def sum_lists(lists):
    return [item for items in lists for item in items]


@st.composite
def claude_bodies(draw):
    mark = st.fixed_dictionaries(
        {}, optional={"cache_control": st.just({"type": "ephemeral", "ttl": "1h"})}
    )
    own = typed("document", "search_result", "container_upload", "image")
    block = st.builds(lambda b, m: {**b, **m}, TEXT, mark) | own
    content = WORDS | st.lists(block, min_size=1, max_size=3)
    user = shuffled({"role": "user", "content": content}).map(lambda m: [m])
    server = typed("server_tool_use", "web_search_tool_result", "compaction", "mcp_tool_use")
    thought = shuffled({"type": "thinking", "thinking": WORDS | st.just(""), "signature": "c2ln"})
    said = st.lists(TEXT | server | thought, min_size=1, max_size=3)
    answer = shuffled({"role": "assistant", "content": WORDS | said}).map(lambda m: [m])

    @st.composite
    def step(draw, ids):
        calls = [draw(shuffled({"type": "tool_use", "id": id, "name": "f",
            "input": st.dictionaries(KEYS, VALUES, max_size=2)})) for id in ids]  # fmt: skip
        inside = WORDS | st.lists(TEXT | typed("image", "tool_reference"), max_size=2)
        results = [draw(shuffled({"type": "tool_result", "tool_use_id": id, "content": inside}))
                   for id in ids]  # fmt: skip
        behind = draw(st.lists(block, max_size=2))
        asked = draw(shuffled({"role": "assistant", "content": [*draw(said), *calls]}))
        told = draw(
            shuffled({"role": "user", "content": [*draw(st.permutations(results)), *behind]})
        )
        return [asked, told]

    messages = draw(turns(user, answer, step))
    function = shuffled({"name": "f", "input_schema": st.just(SCHEMA)})
    hosted = typed("web_search_20250305", "memory_20250818", "mcp_toolset")
    tools = draw(st.lists(function | hosted, max_size=2, unique_by=lambda t: t.get("type")))
    more = draw(parameters(thinking=st.just({"type": "adaptive"}), tool_choice=VALUES,
        metadata=VALUES, context_management=VALUES, system=WORDS | st.lists(
            st.builds(lambda b, m: {**b, **m}, TEXT, mark), min_size=1, max_size=2)))  # fmt: skip
    fixed = {"model": "claude-sonnet-4-5", "max_tokens": 99, "messages": messages, "tools": tools}
    return draw(arranged({**fixed, **more}))


@st.composite
def responses_bodies(draw):
    parts = st.lists(
        shuffled({"type": "input_text", "text": WORDS}) | typed("input_video", "input_file"),
        min_size=1, max_size=2,
    )  # fmt: skip
    user = shuffled({"role": "user", "content": WORDS | parts}).map(lambda m: [m])
    said = st.lists(shuffled({"type": "output_text", "text": WORDS, "annotations": VALUES})
                    | typed("refusal"), min_size=1, max_size=2)  # fmt: skip
    hosted = typed("web_search_call", "mcp_call", "local_shell_call", "compaction",
                   "item_reference", "shell_call_output")  # fmt: skip
    thought = shuffled({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E"})
    answer = st.lists(
        hosted | thought | shuffled({"type": "message", "role": "assistant", "content": said}),
        min_size=1, max_size=3,
    )  # fmt: skip

    @st.composite
    def step(draw, ids):
        calls = [draw(shuffled({"type": "function_call", "call_id": id, "name": "f",
            "arguments": st.sampled_from(("{}", '{"b": 1, "a":2}'))})) for id in ids]  # fmt: skip
        inside = WORDS | parts
        results = [draw(shuffled({"type": "function_call_output", "call_id": id,
            "output": inside})) for id in ids]  # fmt: skip
        before = draw(st.lists(thought, max_size=1))
        return [*before, *calls, *draw(st.permutations(results))]

    items = draw(turns(user, answer, step))
    function = shuffled({"type": "function", "name": "f", "parameters": st.just(SCHEMA)})
    kinds = typed("web_search", "computer", "apply_patch")
    tools = draw(st.lists(function | kinds, max_size=2, unique_by=lambda t: t["type"]))
    more = draw(parameters(instructions=WORDS, reasoning=VALUES, text=st.just({"verbosity": "low"}),
        previous_response_id=WORDS, include=VALUES, store=VALUES))  # fmt: skip
    return draw(arranged({"model": "gpt-5", "input": draw(st.just(items) | WORDS), "tools": tools,
                          **more}))  # fmt: skip


@st.composite
def gemini_bodies(draw):
    signed = st.fixed_dictionaries({}, optional={"thoughtSignature": st.just("c2ln")})
    text = st.builds(lambda p, s: {**p, **s}, shuffled({"text": WORDS}), signed)
    blob = shuffled({"inlineData": shuffled({"data": "aGk=", "mime_type": "image/png"})})
    odd = shuffled({"executableCode": shuffled({"code": WORDS})})
    user = shuffled({"role": "user", "parts": st.lists(text | blob, min_size=1, max_size=2)})
    answer = shuffled({"role": "model", "parts": st.lists(text | odd, min_size=1, max_size=2)})

    @st.composite
    def step(draw, ids):
        name = st.sampled_from(("functionCall", "function_call"))
        calls = [{draw(name): draw(shuffled({"id": id, "name": "f",
            "args": st.dictionaries(KEYS, VALUES, max_size=2)})), **draw(signed)}
            for id in ids]  # fmt: skip
        results = [draw(shuffled({"functionResponse": shuffled({"id": id, "name": "f",
            "response": st.dictionaries(KEYS, VALUES, max_size=2)})})) for id in ids]  # fmt: skip
        return [draw(shuffled({"role": "model", "parts": [*draw(st.lists(text, max_size=1)), *calls]})),
                draw(shuffled({"role": "user", "parts": results}))]  # fmt: skip

    contents = draw(turns(user.map(lambda m: [m]), answer.map(lambda m: [m]), step))
    system = WORDS | shuffled(
        {"parts": st.lists(shuffled({"text": WORDS}), min_size=1, max_size=2)}
    )
    declared = shuffled({"functionDeclarations": st.just([{"name": "f", "parameters": SCHEMA}])})
    tools = [*draw(st.lists(declared, max_size=1)), draw(shuffled({"googleSearch": VALUES}))]
    if draw(st.booleans()):
        config = draw(parameters(temperature=VALUES, system_instruction=system,
                                 tools=st.just(tools)))  # fmt: skip
        whole = {"model": "gemini-2.5-pro", "contents": contents, "config": config}
    else:
        more = draw(parameters(systemInstruction=system, generationConfig=UNKNOWN,
                               tools=st.just(tools), toolConfig=VALUES))  # fmt: skip
        whole = {"contents": contents, **more}
    return draw(arranged(whole))


BODIES = {
    "openai-chat": chat_bodies(),
    "openai-responses": responses_bodies(),
    "anthropic": claude_bodies(),
    "gemini": gemini_bodies(),
}
