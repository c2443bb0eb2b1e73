"""The engines of a context: what one tenant's bills and refusals teach shifts no other's limits."""

import copy

from contextwright import C, Context, Engine
from contextwright.engine.context_engines import ContextEngines
from contextwright.tokens.usage import Usage

SPEC = C.compaction(3000)
REFUSED = (
    "This model's maximum context length is 5000 tokens. "
    "However, your messages resulted in 9000 tokens."
)


def loop(count, words=60):
    """A body of OpenAI Chat with so many files that were read."""
    messages = [{"role": "user", "content": "read all files"}]
    for n in range(count):
        function = {"name": "read", "arguments": f'{{"path": "f{n}"}}'}
        call = {"id": f"c{n}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": f"{n} valve " * words})
    return {"model": "gpt-5", "messages": messages}


def billed(context, tenant, percent, calls=25, **fields):
    """A tenant's calls, each billed so many percent of what was counted."""
    for n in range(1, calls + 1):
        body = {**loop(n, words=5), **fields}
        made = context.call(body, tenant=tenant)
        tokens = made.pack.tokens * percent // 100
        made.engine.bill(made.session, Usage(input=tokens, context=tokens))


def test_bills_of_one_tenant_shift_no_limit_of_another():
    context, untaught = Context(SPEC), Context(SPEC)
    billed(context, "loud", 180)
    body = loop(12)
    theirs = context.call(copy.deepcopy(body), tenant="quiet")
    assert theirs.messages == untaught.call(copy.deepcopy(body), tenant="quiet").messages
    assert theirs.engine.target.counter.id == "o200k_base"
    loud = context.call(copy.deepcopy(body), tenant="loud")
    assert loud.engine.target.counter.id == "o200k_base*180"
    assert len(loud.pack.body) < len(theirs.pack.body)


def test_a_window_that_a_provider_named_to_one_tenant_is_that_tenants():
    context = Context()
    refusal = {"status_code": 400, "body": REFUSED}
    body = loop(40)
    small = context.call(copy.deepcopy(body), tenant="small")
    context.recovered(copy.deepcopy(body), refusal, tenant="small")
    assert small.engine.target.window == 5000
    large = context.call(copy.deepcopy(body), tenant="large")
    assert large.engine.target.window == 400_000 and large.messages == body


def test_a_models_bills_teach_all_engines_of_a_tenant():
    """A call that asks for another room for its answer is counted by the same provider."""
    context = Context(SPEC)
    billed(context, "one", 150, max_completion_tokens=500)
    other = context.call({**loop(3), "max_completion_tokens": 900}, tenant="one")
    assert other.engine.target.counter.id == "o200k_base*150"
    small = context.call({**loop(3), "model": "gpt-4.1"}, tenant="one")
    assert small.engine.target.counter.id == "o200k_base"


def test_the_engine_used_longest_ago_goes_first():
    made, engines = [], ContextEngines(most=2)

    def make():
        made.append(Engine(SPEC, "gpt-5"))
        return made[-1]

    first = engines.engine("a", 1, make)
    engines.engine("b", 1, make)
    assert engines.engine("a", 1, make) is first
    engines.engine("c", 1, make)
    assert engines.engine("a", 1, make) is first and len(engines) == 2
    assert engines.engine("b", 1, make) is made[3] and len(made) == 4
