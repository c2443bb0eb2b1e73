"""How an exchange is told once it is old: in its place with shorter results, or in a note."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.minified_results import minified
from contextwright.blocks.todo_states import todo_updates
from contextwright.compiler.other_agents import is_of_another
from contextwright.compiler.steps.exchange_features import (
    NEW,
    OLD,
    Called,
    calls_of,
    ran_of,
    says_nothing,
    words_of,
)
from contextwright.compiler.steps.newer_calls import settings_of
from contextwright.compiler.steps.note_pages import id_in_parts
from contextwright.memo.owned_tables import Table
from contextwright.session.event import ToolCall
from contextwright.spec.inputs import Inputs
from contextwright.text.choices import question_gist, reported_gist
from contextwright.text.conditions import said_conditions, told_conditions
from contextwright.text.content_router import shorten
from contextwright.text.cut import beginning
from contextwright.text.directives import directives
from contextwright.text.foreign_statements import lasting_words
from contextwright.text.json_rows import json_rows, leaves, loaded, minimal, values_only
from contextwright.text.one_voice import in_one_voice
from contextwright.text.page_snapshot import is_handle
from contextwright.text.pasted_text import own_words
from contextwright.text.ref_notes import full_output_note
from contextwright.text.remarks import remarks_beside
from contextwright.text.source_outline import definitions
from contextwright.text.speakers import UNNAMED, assistant_with_name
from contextwright.text.todo_lists import TodoList, TodoUpdate
from contextwright.text.tool_result import shorten_result

SMALL = 60
"""Tokens up to which a result is told as it is where its exchange is told."""
SHORT, SHORTENED = 150, 112
"""Tokens up to which a text stands whole in a note, and those that a longer one keeps. Measured on
recorded coding sessions at 75 to 150: most of the later calls' values stay in sight at 112."""
PAYS = 70
"""Percent of a result's tokens that its rows may have at most to stand in its place."""
LINE_CHARS = 120
"""Characters of what an assistant said, in a note."""
ARGUMENT = 160
"""Characters of an argument that is told whole."""
NEVER = 1 << 60
"""Tokens of what a note tells in no case."""
FAILED = "failed"
"""What a line says of a call whose tool failed."""
OPENING = 3
"""Words of a first sentence that tells too little to stand alone: `Certainly!`, `You're right.`"""
_SENTENCE = re.compile(r"(?<=[.!?:])(?<!^\d\.)(?<!\s\d\.)(?<!\s\d\d\.)\s")
"""No sentence ends behind the number of a list's item."""
_LINE_NUMBER = re.compile(r"^ *(\d+)", re.MULTILINE)
CALLS, WORDS = ("line", "bare", "short"), ("said", "whole")
FORMS = (*CALLS, *WORDS, "rule", "remark", "condition", "question")
"""From the fewest words to the most: `bare` and `short` tell more of results, `said` more of the
words beside them too. `rule` is only what holds from there on: the sentences that say so, or all
of it where no wording but its answer does; `remark` all that a user says beside a request;
`condition` what an agent or a tool lays down, which any other tells as well; `question` what an
agent asks that a user answered by a choice."""


def in_place(block: Block, form: str, inputs: Inputs) -> Block:
    """The exchange where it stands: `shrunk`, JSON as rows, or without blanks where that is all
    there is to win; `untold`, results that later ones hold too; `minified`, JSON without blanks
    wherever C.minify() takes them out."""
    if not block.results:
        return block
    table = inputs.memo.table(("stepwise", form, inputs.counter_id))
    made = table.known(block)
    if made is None:
        made = table[block] = _in_place(block, form, inputs)
    return made


def _in_place(block: Block, form: str, inputs: Inputs) -> Block:
    if form == "minified":
        return minified(block, inputs.count)

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        tail = full_output_note(ref, inputs.count(text))
        if form == "untold":
            short = f"[told again later] {tail}"
            return short if inputs.count(short) < inputs.count(text) else text
        value = loaded(text) if form == "shrunk" else None
        if value is not None:
            rows = f"{json_rows(value)}\n{tail}"
            if inputs.count(rows) * 100 < PAYS * inputs.count(text):
                return rows
        return minimal(text)

    messages = rewrite(block, on_result=on_result)
    if messages is block.messages or block.pinned or block.tier == 1:
        return block
    why = {"untold": "later results hold it too", "shrunk": "JSON as rows"}[form]
    fidelity = Fidelity.PLACEHOLDER if form == "untold" else Fidelity.COMPACTED
    return block.lower(fidelity, messages=messages, why=why)


def limited(block: Block, limit: int, inputs: Inputs) -> Block:
    """The exchange with results of at most `limit` tokens each: as rows where these fit, else by
    their kinds of content."""
    table = inputs.memo.table(("limited", limit, inputs.counter_id))
    made = table.known(block)
    if made is None:
        made = table[block] = _limited(block, limit, inputs)
    return made


def _limited(block: Block, limit: int, inputs: Inputs) -> Block:
    def on_result(text: str, call: ToolCall, ref: str) -> str:
        value, whole = loaded(text), inputs.count(minimal(text))
        if value is not None and whole > limit:
            rows = f"{json_rows(value)}\n{full_output_note(ref, whole)}"
            if inputs.count(rows) <= limit:
                return rows
        return shorten_result(
            minimal(text),
            tool=call.name,
            arguments=call.arguments,
            max_tokens=limit,
            count=inputs.count,
            ref=ref,
        )

    messages = rewrite(block, on_result=on_result)
    if messages is block.messages or block.pinned:
        return block
    why = f"cut to {limit} tokens each: no room for more"
    return block.lower(Fidelity.TRUNCATED, messages=messages, why=why)


class NoteEntry(msgspec.Struct, frozen=True):
    """An exchange in a note, and its tokens; with results, never fewer than without."""

    text: str
    tokens: int


def entries(form: str, inputs: Inputs, page: int) -> Table:
    """Exchanges as this step told them in one of `FORMS`, and those not long before it."""
    refs = page if inputs.shows_refs else -1
    return inputs.memo.table(("entry", form, inputs.counter_id, refs, inputs.agent), stays=True)


def forget_entries(inputs: Inputs, page: int) -> None:
    """A step begins: what it asks for of the step before is known, however many compiles lie
    between them."""
    for form in FORMS:
        entries(form, inputs, page).end_generation()


def entry(block: Block, form: str, inputs: Inputs, page: int) -> NoteEntry:
    """An exchange as it is told in a note, in one of `FORMS`.

    Args:
        page: tokens that are read back at once: of a larger one the parts are named.
    """
    table = entries(form, inputs, page)
    note_entry = table.known(block)
    if note_entry is None and says_nothing(block):
        note_entry = table[block] = NoteEntry("", NEVER)
    elif note_entry is None:
        text = _entry(block, form, inputs)
        if inputs.shows_refs:
            text = f"{id_in_parts(block, page, inputs)} {text}"
        tokens = inputs.count(text) + 1
        if form in {"bare", "short"}:
            tokens = max(tokens, entry(block, "line", inputs, page).tokens)
        note_entry = table[block] = NoteEntry(text, tokens)
    return note_entry


def _entry(block: Block, form: str, inputs: Inputs) -> str:
    statement = in_one_voice(words_of(block))
    speaker = block.role
    if is_of_another(block, inputs.agent):
        speaker = assistant_with_name(block.author)
    if form == "rule":
        return f"{speaker}: " + (" ".join(directives(statement, block.role)) or statement)
    if form == "remark":
        foreign = lasting_words(statement) if block.role == "user" else ""
        return "user: " + (foreign or " ".join(_lasting(statement, block.role)))
    if form == "question":
        return f"{speaker}: {question_gist(statement) or reported_gist(statement)}"
    if form == "condition":
        return "\n".join(_conditions(block, statement, speaker))
    if block.role == "user":
        return "user: " + (statement if form != "line" else _line(own_words(statement), "user"))
    lines: list[str] = []
    if statement.strip():
        words = _words(statement, form, inputs)
        laid_down = said_conditions(statement, block.author not in UNNAMED)
        lines.append(" ".join((f"{speaker}: {words}", *_unsaid(laid_down, words))))
    lines += [_call_line(call, "", form, inputs) for call in ran_of(block)]
    for call, update in zip(calls_of(block), todo_updates(block), strict=True):
        lines.append(_call_line(call, _progress(update), form, inputs))
    return "\n".join(lines)


def _call_line(call: Called, short: str, form: str, inputs: Inputs) -> str:
    """A call with what it gave.

    Args:
        short: what stands for both of them, where something does.
    """
    line = short or f"{call.name} {_arguments(call)}".strip()
    if form == "line":  # without, what was tried in vain reads as done
        text = FAILED if call.is_failure else ""
    else:
        text = "" if short else _result(call, form, inputs)
    text = "; ".join((*filter(None, [text]), *_unsaid(told_conditions(call.result), text)))
    return in_one_voice(f"{line} \u2192 {text}" if text else line, first=True)


def _progress(update: TodoUpdate | None) -> str:
    """A call that wrote all of a to-do list, in the few words that hold whatever became of it
    since; empty for any other."""
    if update is None or not (update.whole and update.is_all):
        return ""
    return f"{update.tool} {TodoList('', update.items).progress}"


def _conditions(block: Block, statement: str, speaker: str) -> Iterator[str]:
    """What an agent lays down, and each call whose result does."""
    if own := said_conditions(statement, block.author not in UNNAMED):
        yield f"{speaker}: " + " ".join(own)
    for call in calls_of(block):
        if of_tool := told_conditions(call.result):
            line = f"{call.name} {_arguments(call)}".strip()
            yield in_one_voice(f"{line} \u2192 {'; '.join(of_tool)}", first=True)


def _unsaid(laid_down: Iterable[str], text: str) -> tuple[str, ...]:
    """What an exchange lays down, and its few words do not say."""
    return tuple(one for one in laid_down if one not in text)


def _words(statement: str, form: str, inputs: Inputs) -> str:
    if form == "whole":
        return statement
    if form == "said":
        return shorten(statement, SHORTENED, inputs.count, index=False).text
    return _line(statement, "assistant")


def _line(statement: str, role: str) -> str:
    """The first sentences, and behind them what holds from there on."""
    if role == "user" and lasting_words(statement) == statement:
        return statement
    first = _sentences(statement, LINE_CHARS)
    lasting = [one for one in _lasting(statement, role) if one not in first]
    return " ".join((first, *lasting))


def _lasting(statement: str, role: str) -> tuple[str, ...]:
    """What holds from there on, or may, as it was said."""
    rules = directives(statement, role)
    if role != "user":
        return rules
    return tuple(sorted((*rules, *remarks_beside(statement, rules)), key=statement.find))


def _result(call: Called, form: str, inputs: Inputs) -> str:
    text = call.result if call.is_failure else call.output
    if form == "whole" or inputs.count(text) <= SMALL:
        return text
    if form == "bare":
        return values_only(text) or _outline(text, inputs)
    value = loaded(text)
    if value is not None:
        rows = json_rows(value)
        return rows if inputs.count(rows) < inputs.count(text) else text
    if inputs.count(text) <= SHORT:
        return text
    short = shorten(text, SHORTENED, inputs.count, index=False).text
    shown = {int(number) for number in _LINE_NUMBER.findall(short)}
    names = definitions(text, SHORTENED, inputs.count)
    return short if shown.issuperset(names) else _outline(text, inputs)


def _outline(text: str, inputs: Inputs) -> str:
    """What the lines of a file define, by their numbers: a later call asks for these."""
    names = definitions(text, SHORTENED, inputs.count)
    return ", ".join(f"{number} {name}" for number, name in names.items())


def _arguments(call: Called) -> str:
    """The values in their order. One of several numbers within an argument tells nothing without
    its name."""
    parts: list[str] = []
    pairs = [
        (key, value)
        for key, value in leaves(call.argument_values)
        if not (key in NEW or key in OLD or is_handle(key, value))
    ]
    sets = bool(settings_of(call))
    numbers = {key for key, value in pairs if (sets or "." in key) and _is_number(value)}
    before = ""
    for key, value in pairs:
        text = str(value)
        if isinstance(value, bool):
            text = f"{key} {value}".lower()
        elif len(numbers) > 1 and key in numbers and key != before:
            text = f"{key.partition('.')[2] or key} {value}"
        line = _in_a_line(text) if "\n" in text else text
        parts.append(line if len(line) <= ARGUMENT else beginning(line, LINE_CHARS))
        before = key
    return " ".join(parts)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sentences(text: str, characters: int) -> str:
    short = ""
    for sentence in _SENTENCE.split(text.strip()):
        if short and len(short) + len(sentence) > characters:
            # with a colon it says what follows, not that something does
            if short.endswith(":") or len(short.split()) <= OPENING:
                short = f"{short} {beginning(_in_a_line(sentence), characters)}"
            break
        short = f"{short} {sentence}" if short else sentence
    return beginning(short, 2 * characters)


def _in_a_line(text: str) -> str:
    return " ".join(text.split())
