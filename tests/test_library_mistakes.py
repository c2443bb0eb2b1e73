"""What people write wrong in Python: each error says what, where, and what to write instead."""

import inspect

import pytest

import contextwright
from contextwright import (
    C,
    Engine,
    Event,
    FileArtifacts,
    PackBuilder,
    Refs,
    S,
    Session,
    SQLiteSessions,
    compile,
    parse,
    read_session,
    register_model,
    replay,
    session_from,
    target,
    write_session,
)
from contextwright.check import check
from contextwright.errors import ContextwrightError, SpecError
from contextwright.models import Models
from contextwright.recipes.injectors import InjectionOrchestrator, Injector
from contextwright.recipes.profiles import BudgetAwareCompiler, PragmaticCompiler, Recipe
from contextwright.testing import session_of
from contextwright.words import words

MESSAGES = [{"role": "user", "content": "hi"}]
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
RESULT = [{"role": "tool", "tool_call_id": "c1", "content": "found"}]
SESSION = session_of("s: x | u: hi | c: look(a) | r: found | a: hello | u: more")


def made(**options):
    return compile(MESSAGES, model="gpt-5", **options)


WORKS = {
    # what people try first, and what may simply work
    "tools as OpenAI has them": lambda: made(tools=[TOOL]),
    "tools as Anthropic has them": lambda: compile(
        MESSAGES, model="claude-opus-4-5", tools=[{"name": "look", "input_schema": {}}]
    ),
    "tools of an engine": lambda: Engine(C.window(), "gpt-5", tools=[TOOL]).compile(MESSAGES),
    "tools of a call": lambda: Engine("C.window()", "gpt-5").compile(MESSAGES, tools=[TOOL]),
    "a spec as text": lambda: compile(MESSAGES, "C.window(n=3)", model="gpt-5"),
    "messages": lambda: made(),
    "a body": lambda: compile({"model": "gpt-5", "messages": MESSAGES}),
    "pairs": lambda: compile([("user", "hi")], model="gpt-5"),
    "blocks to a session": lambda: Session().user([{"type": "text", "text": "hi"}]),
    "a message to a session": lambda: Session().assistant({"role": "assistant", "content": "hi"}),
    "arguments as an object": lambda: Session().call("look", {"q": 1}, id="c"),
    "has it a text?": lambda: not hasattr(made(), "text"),
    "a small window": lambda: register_model("tiny-of-ours", window=1000),
    "is it a word?": lambda: not hasattr(C, "windows"),
    "a number as agent's window": lambda: C.from_agents_windowed(researcher=1, critic=None),
    "a list of keys": lambda: C.from_state("a", "b"),
    "one name for a list": lambda: C.redact("email"),
}


@pytest.mark.parametrize("name", WORKS)
def test_what_people_try_first_works(name):
    assert WORKS[name]()


class Unfinished(Recipe):
    """A recipe whose author forgot the spec."""


MISTAKES = {
    # building specs
    "a word that is none": (lambda: C.windw(5), "did you mean window"),
    "an option that is none": (lambda: C.window(k=4), "known: n"),
    "a misspelt option": (lambda: C.budget(max_token=5), "did you mean max_tokens"),
    "a text for a number": (lambda: C.budget("8k"), "max_tokens=8000"),
    "a number with a comma": (lambda: C.budget("8,000"), "max_tokens=8000"),
    "a fraction": (lambda: C.budget(8000.5), "max_tokens=8000"),
    "nothing for a number": (lambda: C.budget(None), "max_tokens=8000"),
    "a misspelt strategy": (lambda: C.compact("stle"), "did you mean stale"),
    "a role that is none": (lambda: C.select(role="bot"), "assistant"),
    "a check that is none": (lambda: C.validate(["complete"]), "did you mean completeness"),
    "a pattern that is none": (lambda: C.redact(["emial"]), "email"),
    "a vault in a spec": (lambda: C.redact("pii", operator="hash", vault=5), "Engine(..., vault"),
    "a negative window": (lambda: C.window(-1), "C.window(n=1)"),
    "a tier that is none": (lambda: C.priority(5), "1"),
    "too many places": (lambda: C.window(5, 6, 7, 8), "name the others"),
    "given twice": (lambda: C.window(5, n=5), "twice"),
    "no key": (lambda: C.from_state(), "C.from_state"),
    "a number as key": (lambda: C.from_state(5), "a text"),
    "a missing option": (lambda: C.extract({"a": "str"}), "key"),
    "a schema that is none": (lambda: C.extract(5, key="k"), "list[str]"),
    "a word without its parentheses": (lambda: C.window | C.compact(), "C.window(...)"),
    "one as a spec": (lambda: made(spec=C.default), "call it: C.default(...)"),
    "two of them": (lambda: C.window | C.compact, "call it: C.window(...)"),
    "a union of two": (lambda: C.notes + C.user_only, "call it: C.notes(...)"),
    "one behind a number": (lambda: 3 | C.window, "call it: C.window(...)"),
    "one that falls back": (lambda: C.window.or_else(C.all()), "call it: C.window(...)"),
    "and one on the right": (lambda: C.window() | C.compact, "C.compact(...)"),
    "a spec or nothing": (lambda: C.window() | None, "leave it out"),
    "a spec and a text": (lambda: C.window() + "C.compact()", "C.window"),
    "sum of specs": (lambda: sum([C.window(), C.notes("a")]), "C.window"),
    "a list of specs": (lambda: C.window() + [C.notes("a")], "C.window"),
    "select after compress": (lambda: C.compact() | C.window(5), "select first"),
    "a step after the limit": (lambda: C.budget(9) | C.compact(), "| C.budget"),
    "a limit in a part": (lambda: (C.window() | C.budget(9)) + C.notes("a"), "| C.budget"),
    "two limits": (lambda: made(spec=C.fit(900) | C.redact("email") | C.budget(9)), "C."),
    "a writer in a pipe": (lambda: C.window() | C.write_notes("a"), "+"),
    "a function as condition": (lambda: C.when(lambda s: True, C.window()), "state key"),
    "a spec too many": (lambda: C.when("a", C.none(), C.none()), "otherwise="),
    "a condition alone": (lambda: C.when("a"), "'spec'"),
    "turns too many": (lambda: C.last(1, 2), "C.last(n=1)"),
    "a user's strategy that is none": (lambda: C.user("newest"), "bookend"),
    "a text for yes or no": (lambda: C.rolling(3, summarize="no"), "summarize=False"),
    "a condition that is none": (lambda: C.when("a =", C.window()), "state key"),
    "a window that is none": (lambda: C.from_agents_windowed(a="all"), "C.all()"),
    "a spec for an agent's window": (lambda: C.from_agents_windowed(a=C.notes("x")), "C.last"),
    "no agents": (lambda: C.from_agents_windowed(), "researcher"),
    "text that is no spec": (lambda: parse("window(5)"), "C.window(5)"),
    "code in a spec": (lambda: parse("__import__('os')"), "C.window"),
    "a loop in a spec": (lambda: parse("[C.window() for x in y]"), "C.window"),
    "a state step in a spec": (lambda: C.window() | S.tag("a"), "C.window"),
    # compiling
    "an option that is none of compile": (lambda: made(windw=5), "did you mean window"),
    "the SDK's option": (lambda: made(temperature=0.2), "create(**pack.request, temperature=...)"),
    "another SDK's option": (lambda: made(max_completion_tokens=5), "create(**pack.request"),
    "an option of the engine": (lambda: Engine(C.none(), "gpt-5", temprature=1), "known"),
    "a limit as an option": (lambda: made(budget=8000), "C.budget(max_tokens=8000)"),
    "an option of both": (lambda: made(max_tokens=8000), "C.budget(...)"),
    "the model first": (lambda: Engine("gpt-5", C.window(3)), "the spec comes first"),
    "a model's name alone": (lambda: contextwright.Context("gpt-5"), 'model="gpt-5"'),
    "a model's name as a spec": (lambda: made(spec="gpt-5-mini"), 'model="gpt-5-mini"'),
    "a misspelt model": (lambda: contextwright.Context(C.none(), modle="gpt-5"),
                         "did you mean model or models"),
    "a model's object": (lambda: contextwright.Context(C.none(), model=SESSION),
                         "a Session is not a model's name"),
    "a context's option": (lambda: Engine(C.none(), "gpt-5", conversations=1), "one of Context"),
    "an engine's option": (lambda: made(memory=1), "it is one of Engine(...)"),
    "compile's option": (lambda: contextwright.Context(C.none(), "gpt-5", steps=True),
                         "it is one of compile(...)"),
    "an option of a context": (lambda: contextwright.Context(C.none(), windw=5),
                               "Context(spec, model, windw=...)"),
    "no spec of a context": (lambda: contextwright.Context(8000), "Context(spec, ...)"),
    "a context for a spec": (lambda: made(spec=contextwright.Context(C.none())), "context.spec"),
    "an engine for a spec": (lambda: contextwright.Context(Engine(C.none(), "gpt-5")),
                             "engine.spec"),
    "a model that is none": (lambda: compile(MESSAGES, model="gtp-5"), "did you mean"),
    "a model of one's own": (lambda: compile(MESSAGES, model="llama-local"), "register_model"),
    "no model": (lambda: compile(MESSAGES), 'model="gpt-5"'),
    "a model beside a target": (
        lambda: compile(MESSAGES, target=target("gpt-5"), window=9), "contextwright.target"),
    "a format that is none": (lambda: made(format="antropic"), "anthropic"),
    "a text for the cache": (lambda: made(cache="no"), "expected a bool as cache"),
    "a text for read-back": (lambda: made(read_back="yes"), "expected a bool as read_back"),
    "a number as reader": (lambda: made(reader=5), "expected a text as reader"),
    "a function as counter": (lambda: made(counter=len), "count(text)"),
    "a counter's name": (lambda: made(counter="o200k_base"), "count(text)"),
    "a window as text": (lambda: made(window="8k"), "whole number"),
    "more reserved than there is": (
        lambda: made(window=100, reserved_output=200), "less than the window"),
    "a budget that is too small": (lambda: made(spec=C.budget(2)), "allow"),
    "tools that are none": (lambda: made(tools=[5]), "function"),
    "a tool without a name": (lambda: made(tools=[{"type": "function"}]), "name"),
    "one tool for a list": (lambda: made(tools=TOOL), "list of tools"),
    "a tool's name": (lambda: made(tools=["look"]), "function"),
    "a function as a tool": (lambda: made(tools=[print]), "function"),
    "two tools of a name": (lambda: made(tools=[TOOL, TOOL]), "name of its own"),
    "tools of a session": (lambda: Session(tools=[TOOL]), "compile(..., tools=[...])"),
    "the spec first": (lambda: compile(C.window(), MESSAGES, model="gpt-5"), "role"),
    "a path": (lambda: compile("session.json", model="gpt-5"), "read_session"),
    "a class for a recipe": (lambda: made(spec=PackBuilder), "PackBuilder(...)"),
    "a recipe without a spec": (lambda: made(spec=Unfinished()), "PragmaticCompiler"),
    "a bare recipe": (
        lambda: Recipe().compile(SESSION.snapshot(), target("gpt-5")), "PragmaticCompiler"),
    "a recipe of no spec": (lambda: made(spec=PragmaticCompiler(view=5)), "C.window"),
    "a limit that is none": (lambda: made(spec=BudgetAwareCompiler(compaction=5)), "C.window"),
    "a model's name as models": (lambda: made(models="openai:gpt-5-mini"), "Models"),
    "the text of messages": (lambda: made().text, 'format="text"'),
    "an empty session": (lambda: compile(Session(), model="gpt-5"), "append"),
    "a result alone": (
        lambda: contextwright.Context(model="gpt-5")(RESULT), "with the calls"),
    "a result alone in a body": (
        lambda: compile({"model": "gpt-5", "messages": RESULT}), "with the calls"),
    "an empty list": (lambda: compile([], model="gpt-5"), "message"),
    # sessions
    "a result without a call": (lambda: Session().result("c9", "x"), "session.call"),
    "a role that is not one": (lambda: Session().add("bot", "hi"), "assistant"),
    "another's message": (lambda: Session().user({"role": "system", "content": "x"}),
                          'session.add("system", ...)'),
    "a field that is none": (lambda: Session().user("hi", timestamp=5), "metadata"),
    "a message of nothing": (lambda: Session().user(None), "Text"),
    "a picture's block": (lambda: Session().user([{"type": "image_url"}]), "session_from"),
    "an id twice": (lambda: [Session().extend([Event(id="a", role="user"),
                                               Event(id="a", role="assistant")])], "id"),
    "state that is no data": (lambda: Session().update({"a": object()}), "strings"),
    "a call by the user": (lambda: Session().user(
        contextwright.session.ToolCall(id="c", name="x")), "assistant"),
    "a file that is none": (lambda: read_session("gone.json"), "path"),
    "text for a file": (lambda: read_session('{"messages": []}'), "path"),
    "a format to read": (lambda: read_session(MESSAGES, format="openai"), "openai-chat"),
    "a format before its session": (lambda: write_session("anthropic", SESSION), "give a Session"),
    "a file's path for a format": (
        lambda: write_session(SESSION, __import__("pathlib").Path("out.json")), "path='out.json'"),
    "a number for a format": (lambda: write_session(SESSION, 5), "openai-chat"),
    "a path for a format": (lambda: write_session(SESSION, "out.json"), "path="),
    "what is no message": (lambda: session_from([{"colour": "red"}]), "message"),
    "two sessions in one": (lambda: read_session(b'{"messages": []}\n{"messages": []}\n'), "one a line"),
    # the rest of the house
    "a ref that is none": (lambda: Refs(SESSION.snapshot()).read("second"), "event://"),
    "a ref to nowhere": (lambda: Refs(SESSION.snapshot()).read("event://zz"), "ctx explain"),
    "a ref before its session": (
        lambda: Engine(C.none(), "gpt-5").expand("event://e2", SESSION), "expand(session, ref)"),
    "a bill as text": (
        lambda: Engine(C.none(), "gpt-5").record(Session(), billed_input="100"), "cached ones"),
    "a session before its pack": (lambda: replay(SESSION, made()), "first: replay(pack"),
    "a pack's path": (lambda: replay("pack.json", SESSION), "manifest_from_json"),
    "a list to a store": (lambda: SQLiteSessions("s.db").save([1]), "session_from"),
    "a text to artifacts": (lambda: FileArtifacts("arts").put("text"), "encode()"),
    "pairs of a file": (lambda: read_session([("user", "hi")]), "session_from"),
    "objects of an SDK": (lambda: read_session([Event(id="a", role="user")]), "session_from"),
    "messages that are a tuple": (lambda: read_session(tuple(MESSAGES)), "session_from"),
    "JSON for a file": (lambda: read_session(' [{"role": "user"}]'), "json.loads"),
    "a long text of JSON": (lambda: read_session('[{"role": "' + "x" * 9000 + '"}]'), "got JSON"),
    "messages that are read once": (lambda: read_session(iter(MESSAGES)), "list(messages)"),
    "a generator to compile": (lambda: compile((m for m in MESSAGES), model="gpt-5"), "list(messages)"),
    "a generator in a loop": (lambda: contextwright.Context(model="gpt-5")(iter(MESSAGES)),
                              "list(messages)"),
    "a generator of messages": (lambda: session_from(iter(MESSAGES)), "list(messages)"),
    "nothing to read": (lambda: read_session([]), "no message"),
    "replay of another": (lambda: replay(made().manifest, SESSION), "session"),
    "an injector's phase": (lambda: Injector("p", C.none(), phase="runtme"), "runtime"),
    "an injector's text": (lambda: Injector("p", "You are"), "C.template"),
    "two injectors": (lambda: InjectionOrchestrator(
        (Injector("p", C.none()), Injector("p", C.none()))).spec, "name"),
    "a pipeline of texts": (lambda: check(["C.window()"]), "AgentStep"),
    "a model registered wrongly": (lambda: register_model("m", window="8k"), "whole number"),
    "a condition that is no Python": (lambda: C.when("a >>= 3", C.compact()), "such as"),
    "a number as language model": (lambda: Models(5), "async complete(prompt)"),
    "no language model": (lambda: Models("nobody:x"), "provider:model"),
    "a folder that can not be": (lambda: FileArtifacts("/proc/none"), "folder"),
    "a store that can not be": (lambda: SQLiteSessions("/proc/none/x.db"), "can be written"),
    "a name of the package": (lambda: contextwright.compiled, None),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_what_to_write_instead(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, says = MISTAKES[name]
    if says is None:
        pytest.raises(AttributeError, call)
        return
    with pytest.raises(ContextwrightError) as caught:
        call()
    error = caught.value
    assert error.what and error.where and error.fix, str(error)
    assert says in str(error)


@pytest.mark.parametrize("name", [n for n, (_, says) in MISTAKES.items() if says])
def test_no_error_speaks_of_pythons_insides(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ContextwrightError) as caught:
        MISTAKES[name][0]()
    text = str(caught.value)
    for inside in (
        "<unknown>",
        "NoneType object",
        "SelectWords",
        "`$.",
        "object has no attribute",
        "__init__",
        "<class ",
    ):
        assert inside not in text


@pytest.mark.parametrize("word", words())
def test_every_word_says_what_it_takes(word):
    takes = inspect.signature(getattr(C, word)).parameters.values()
    wrong = []
    if all(parameter.kind is not parameter.VAR_POSITIONAL for parameter in takes):
        wrong.append(lambda: getattr(C, word)(*range(9)))
    if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in takes):
        wrong.append(lambda: getattr(C, word)(colour="red"))
    for call in wrong:
        with pytest.raises(SpecError) as caught:
            call()
        error = caught.value
        assert f"C.{word}: " in error.what and f"C.{word}(" in (error.where or "")
        assert error.fix and all(parameter.name in str(error) for parameter in takes)


def test_there_are_enough_of_them():
    assert len(MISTAKES) >= 24 + 30


def test_a_model_stands_behind_its_spec_wherever_one_is_wanted():
    spec = C.window(n=5)
    named = compile(MESSAGES, spec, model="gpt-5").body
    assert compile(MESSAGES, spec, "gpt-5").body == named
    context = contextwright.Context(spec, "gpt-5")
    assert context(MESSAGES) == MESSAGES and context.pack.manifest.model == "gpt-5"
