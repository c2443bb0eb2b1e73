"""The lines that a summary is chosen from: of what was said, a sentence each; of a call, what it
was made with and what it gave; what holds from there on; what was asked for, what came of it."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Literal

import msgspec

from contextwright.blocks.block import Block, Message
from contextwright.blocks.provider_runs import provider_runs
from contextwright.blocks.todo_states import todo_updates
from contextwright.memo.ownership import cached_text, table_of
from contextwright.models.embedded.call_lines import call_line, is_call_line
from contextwright.models.embedded.statements import statements_in
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.session.harness_text import user_words
from contextwright.session.inline_thinking import without_thinking
from contextwright.text.choices import answered_gist, question_gist, reported_gist
from contextwright.text.conditions import lays_down, said_conditions, told_conditions
from contextwright.text.corrections import TERSE, corrects
from contextwright.text.cut import beginning
from contextwright.text.directives import directives, is_rule
from contextwright.text.foreign_statements import lasting_words
from contextwright.text.languages import is_english, is_foreign
from contextwright.text.one_voice import in_one_voice
from contextwright.text.pasted_text import own_words
from contextwright.text.ref_notes import without_output_notes
from contextwright.text.remarks import asks, is_remark, remarks_beside
from contextwright.text.search_terms import content_words, runs_of, stems_of, without_signs
from contextwright.text.sentences import sentences
from contextwright.text.speakers import NAMED_ASSISTANT, assistant_with_name
from contextwright.text.todo_lists import TodoList, TodoUpdate, list_key, todo_list_in

RULE = 90
"""Characters of what holds from where it was said on, in a summary: a longer one tells of one
thing, and is weighed as the others are, where there is no room beside. Summaries of recorded chats
in 1,000 tokens have .48 of the words of answers, and had .39 with any length."""
SHORT = 12
"""Characters of a sentence that says nothing, where others say more."""
REQUEST, END = 300, 120
"""Characters of a request in a line, and of what came of it."""
READ = 20_000
"""Characters of one message that are looked at."""
USERS, AGENTS, OPERATORS, AGENT = "user: ", "assistant: ", "system: ", "assistant"
"""What stands in front of a user's words, of an agent's that is not named, and of what an operator
said in between."""
TODO = 4_000
"""Characters of a to-do list as one call leaves it."""
Kind = Literal[
    "rule",
    "heard",
    "correction",
    "question",
    "choice",
    "remark",
    "statement",
    "foreign",
    "condition",
    "request",
    "end",
    "said",
    "begun",
    "todo",
    "todo change",
]
"""`heard`: a user's words that hold on since all that came of them is that they were heard;
`correction`: a short message of a user that changes what was said before;
`choice`: a short one that says nothing without the `question` in front of it;
`remark`: what a user says beside a request, which may; `statement`: a message of such; `foreign`:
what a user says in another language than English, which may as well, or be a request; `condition`:
what an agent or a tool lays down; `begun`:
what an agent began, and ended since; `todo`: a to-do list; `todo change`: some of its items."""
ALONE = frozenset({"rule", "remark", "statement", "condition", "said"})
"""Kinds of lines that may stand by themselves."""
LAID_DOWN: frozenset[Kind] = frozenset({"rule", "heard"})
CORRECTIONS: frozenset[Kind] = frozenset({"correction"})
LASTING = LAID_DOWN | CORRECTIONS
CHOICES: frozenset[Kind] = frozenset({"choice"})
CONDITIONS: frozenset[Kind] = frozenset({"condition"})
REMARKS: frozenset[Kind] = frozenset({"remark", "statement"})
"""Kinds of what holds on, and of what may."""
MESSAGES: frozenset[Kind] = frozenset({"request", "statement", "foreign"})
"""Kinds of lines that are all that a user said in a message."""
PAIRS: frozenset[Kind] = frozenset({*MESSAGES, "heard", "correction"})
"""Kinds of what stands with what came of it."""
_CUE = re.compile(
    r"\d|`|/[\w.-]+/|[a-z]_[a-z]|\b(?:decid|agree|chose|must|should|error|fail|because|deadline|"
    r"confirm|cancel|refund|need|want|prefer|never|always|fixed|result|found|todo|next)",
    re.IGNORECASE,
)
CUE = 0.3
"""Weight of a line with a number, an address, a name of code or such a word."""
FIRST, USER, BEFORE, CALL = 0.2, 0.25, 0.5, 0.5
"""Weight of what begins a message, of what a user said, of what stood in the summary before, and of
a call: its words come again less often than those of a talk, and its values are asked for again."""
_SPEAKER = re.compile(rf"(user|assistant|system|{NAMED_ASSISTANT}): ")
_LINE = re.compile(
    rf"(?:(?:user|assistant|system|{NAMED_ASSISTANT}): )?"
    r"(```|~~~)[\w+#.-]*[^\S\n]*(?:\n(?s:.*?))?\n\1[^\n]*|[^\n]*\S[^\n]*"
)
"""A line of a summary; code is one whose fences begin a row, or stand behind who said it: others
would hide what somebody else says up to the next."""
_SMALL_BREAK = re.compile(r"(?<=[a-z0-9)][.!]) +(?=[a-z])")
"""Where a sentence ends before a small letter."""
_STATES = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|my|our|because|it's|i'm|we're|isn't|aren't|wasn't)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?$|^(?:please|can|could|would|will|let['\u2019]s|now)\b|\b(?:i|we)(?:['\u2019]d| would)? "
    r"(?:like|want|need)\b|\bplease\b",
    re.IGNORECASE,
)
"""A user's sentence that tells how something is stands by itself; one that asks for something
would look open where what came of it does not stand beside it. English: in another language all
that a user says stands with what came of it."""
_NARRATES = re.compile(
    r"(?:(?:ok|okay|good|great|perfect|now|first|next|so)[,!.:]? )?(?:let me|let['\u2019]s|"
    r"i['\u2019]ll|i will|i need to|now i)\b",
    re.IGNORECASE,
)
"""What an agent says of the call that it is about to make: the call's own line tells it."""


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WHEN = re.compile(
    rf"\b(?=[\dadfjmnostw])(?:\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}\b(?:,? \d{{4}}\b)?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|(?:today|tomorrow|tonight)\b"
    r"|\d{4}-\d\d-\d\d\b|\d{1,2}:\d\d\b|\d{1,2} ?[ap]m\b"
    r"|\d[\d.,]* ?(?:%|(?:EUR|USD|GBP|CHF)\b))|[$€£]\d[\d.,]*",
    re.IGNORECASE,
)
"""When something is, or how much: what changes of a thing that is told anew. It is tried where a
word begins, by the first signs of those that it has: at every sign it takes three times as long."""
_WHEN_SIGNS = ("day", "tomorrow", "tonight", *"0123456789")
"""Of which each in ASCII has one."""


class SummaryLine(msgspec.Struct, frozen=True):
    """A line that may stand in a summary, and what it weighs by itself."""

    kind: Kind
    text: str
    bare: str
    words: frozenset[str]
    cue: float
    bonus: float = 0.0

    @property
    def is_users(self) -> bool:
        """Whether a user said it."""
        return self.text.startswith(USERS)


def lines_before(previous: str) -> list[SummaryLine]:
    """The lines of a summary before."""
    lines: list[SummaryLine] = []
    in_english = is_english(previous)
    for match in _LINE.finditer(previous):
        whole = match[0].rstrip()  # a row that is indented is nobody's
        speaker = _SPEAKER.match(whole)
        if speaker is None and todo_list_in(whole) is not None:
            lines.append(_summary_line(whole, whole, "todo", BEFORE))
        elif speaker is None:
            is_call = is_call_line(whole)
            kind = "condition" if is_call and lays_down(whole) else "said"
            rows = [whole] if is_call else sentences(whole)
            lines += [line_of(one, one, kind, BEFORE) for one in rows]
        else:
            bare = whole[speaker.end() :]
            if speaker[1] == "user" and lines and _is_choice(bare, lines[-1]):
                lines[-1] = msgspec.structs.replace(lines[-1], kind="question")
                lines.append(_summary_line(whole, bare, "choice", BEFORE))
                continue
            is_after_request = bool(lines) and lines[-1].kind in {*MESSAGES, "correction"}
            kind = _kind_before(speaker[1], bare, is_after_request, in_english)
            if kind == "request":  # what stands beside it holds on once that is done
                apart = remarks_beside(bare, directives(bare))
                lines += [line_of(f"{USERS}{one}", one, "remark", BEFORE) for one in apart]
            lines.append(_summary_line(whole, bare, kind, BEFORE))
    return lines


def _is_choice(bare: str, before: SummaryLine) -> bool:
    """Whether a user's line answers the one in front of it, of a summary before."""
    if before.is_users or not before.text.startswith(AGENT):
        return False
    return bool(answered_gist(before.bare, bare))


def question_line(
    block: Block, named: bool = False, *, reports: bool = False
) -> SummaryLine | None:
    """What an agent asks at the end of a message; None where it asks nothing.

    Args:
        named: as of `lines_of`. reports: what it tells there instead, to which a user may agree.
    """
    if block.role != "assistant" or block.has_calls:
        return None
    gist = (reported_gist if reports else question_gist)(_text_of(block.messages))
    who = assistant_with_name(block.author if named else "")
    return line_of(f"{who}: {gist}", gist, "question") if gist else None


def choice_line(block: Block, question: str, acts: bool) -> SummaryLine | None:
    """What a user chose of what was asked; None where they did not only choose.

    Args:
        acts: whether the agent went to work then.
    """
    if block.role != "user":
        return None
    chosen = own_words("\n".join(user_words(message.parts) for message in block.messages).strip())
    is_chosen = answered_gist(question, chosen, acts=acts) != ""
    return line_of(f"{USERS}{chosen}", chosen, "choice", USER) if is_chosen else None


def old_statements(lines: Sequence[SummaryLine]) -> dict[int, int]:
    """Places of what an agent said by itself that it said anew later, of another time or amount,
    each with the place of the newest: a meeting that was moved twice is where it was moved last."""
    old, known = dict[int, int](), dict[str, int]()
    for place in reversed(range(len(lines))):
        line = lines[place]
        if line.kind not in {"said", "end"} or not line.text.startswith(AGENTS):
            continue
        if not _may_tell_when(line.bare):
            continue
        pairs = (_WHEN.subn("#", one) for one in sentences(line.bare) if _may_tell_when(one))
        shapes = {shape for shape, times in pairs if times}
        if line.kind == "said" and shapes and shapes <= known.keys():
            old[place] = max(known[shape] for shape in shapes)
        for shape in shapes:
            known.setdefault(shape, place)
    return old


def _may_tell_when(text: str) -> bool:
    """Whether a text has a digit or such a word: most tell of no time or amount."""
    small = text.casefold()
    return any(map(small.__contains__, _WHEN_SIGNS)) or not text.isascii()


def with_newest_todos(
    lines: Sequence[SummaryLine], most: int, count: Callable[[str], int]
) -> list[SummaryLine | None]:
    """The lines, of those of a to-do list only the last, which tells what it holds by then; None
    in the place of the others, whose items look open that are done.

    Args:
        most: tokens of a list's line at most.
    """
    shown: list[SummaryLine | None] = []
    lists: dict[str, tuple[TodoList, int]] = {}
    for place, line in enumerate(lines):
        listed = todo_list_in(line.bare) if line.kind in {"todo", "todo change"} else None
        shown.append(line if listed is None else None)
        if listed is not None:
            update = TodoUpdate(listed.tool, listed.items, line.kind == "todo")
            before = lists.get(list_key(listed.tool), (listed, 0))[0]
            lists[list_key(listed.tool)] = TodoList(listed.tool, before.items).after(update), place
    for newest, place in lists.values():
        if text := newest.line(most, count):
            shown[place] = line_of(text, text, "todo", lines[place].bonus)
    return shown


def _kind_before(speaker: str, bare: str, is_after_request: bool, in_english: bool) -> Kind:
    if speaker == "user" and corrects(bare) and not is_rule(bare):
        return "correction"
    if speaker == "system" or directives(bare, "user" if speaker == "user" else "assistant"):
        return "rule"
    if speaker == "user":
        is_in_english = is_english(bare) or (in_english and not is_foreign(bare))
        if is_in_english and is_remark(bare):
            return "request" if any(map(asks, sentences(bare))) else "statement"
        if lasting_words(bare):
            return "foreign"
        return "said" if _states(bare) else "request"
    if said_conditions(bare, speaker != "assistant"):
        return "condition"
    return "end" if is_after_request else "said"


@cached_text
def lines_of(block: Block, short: int, named: bool = False) -> tuple[SummaryLine, ...]:
    """The lines of a block, those of sentences with more characters than `short`.

    Args:
        named: whether an agent's name stands in front of its words.
    """
    if block.role == "user":
        return tuple(_lines_of_user(block, short))
    if block.role == "assistant":
        who = assistant_with_name(block.author if named else "")
        return tuple(_lines_of_agent(block, short, f"{who}: "))
    if block.role == "system" and block.messages:
        return tuple(_lines_of_operator(block))
    # a summary's rows are in one voice each as they were written
    line = _summary_line if block.is_summary else line_of
    return tuple(
        line(
            f"{each.speaker}: {each.text}" if each.speaker else each.text,
            each.text,
            bonus=FIRST * each.first,
        )
        for each in statements_in(block, 0)
        if len(each.text) > short
    )


def _lines_of_user(block: Block, short: int) -> Iterator[SummaryLine]:
    text = own_words("\n".join(user_words(message.parts) for message in block.messages).strip())
    spoken = " ".join(text.split())
    rules = directives(text)
    if rules == (text,) and corrects(text) and not is_rule(text):
        yield line_of(f"{USERS}{spoken}", spoken, "correction", USER)
        return
    for rule in chain.from_iterable(map(_in_short, rules)):
        kind = "rule" if rule in rules or directives(rule) else "remark"
        yield line_of(f"{USERS}{rule}", rule, kind, USER)
    apart = remarks_beside(text, rules)
    others = [one for one in sentences(text[:READ]) if one not in rules]
    is_request = not set(apart).issuperset(others)
    foreign = lasting_words(text) if others else ""
    if others:
        words = _joined(others, REQUEST)
        kind = "foreign" if foreign == text else "request" if is_request else "statement"
        yield line_of(f"{USERS}{words}", words, kind, USER)
    if foreign not in {"", text}:
        yield line_of(f"{USERS}{foreign}", foreign, "foreign", USER)
    is_terse = len(spoken) <= TERSE and is_remark(spoken)  # "they'll ignore a p2. P1"
    for remark in dict.fromkeys(spoken if is_terse else one for one in apart) if is_request else ():
        yield line_of(f"{USERS}{remark}", remark, "remark", USER)
    for each in statements_in(block, 0):
        is_new = each.text not in rules and each.text not in apart and each.text in spoken
        if len(each.text) > short and is_new and _states(each.text):
            yield line_of(f"{USERS}{each.text}", each.text, bonus=USER + FIRST * each.first)


def _lines_of_operator(block: Block) -> Iterator[SummaryLine]:
    """What an operator says in between holds from there on, a sentence each."""
    for each in statements_in(block, 0):
        yield line_of(f"{OPERATORS}{each.text}", each.text, "rule", USER)


def _in_short(rule: str) -> list[str]:
    """A rule in its sentences where who writes no capitals made one of them."""
    return [rule] if len(rule) <= RULE else _SMALL_BREAK.split(rule)


def _lines_of_agent(block: Block, short: int, who: str) -> Iterator[SummaryLine]:
    text = _text_of(block.messages)
    rules = directives(text, "assistant")
    for rule in rules:
        yield line_of(f"{who}{rule}", rule, "rule")
    conditions = said_conditions(text, who != AGENTS)
    for condition in conditions:
        if condition not in rules:
            yield line_of(f"{who}{condition}", condition, "condition")
    has_calls = block.has_calls
    if text and not has_calls:
        end = _joined(sentences(text[:READ]), END)
        yield line_of(f"{who}{end}", end, "end")
    for each in statements_in(msgspec.structs.replace(block, messages=block.messages[:1]), 0):
        is_new = len(each.text) > short and each.text not in {*rules, *conditions}
        if is_new and not (has_calls and _NARRATES.match(each.text)):
            yield line_of(f"{who}{each.text}", each.text, bonus=FIRST * each.first)
    for call, result in provider_runs(block.messages[0].parts):
        yield _line_of_call(call, result)
    results = {result.call_id: result for result in block.results}
    for call, update in zip(block.calls, todo_updates(block), strict=True):
        if update is not None:
            yield _line_of_todo(update, who)
        if update is None or not update.is_all:
            yield _line_of_call(call, results.get(call.id))


def _line_of_call(call: ToolCall, result: ToolResult | None) -> SummaryLine:
    """A call with what it gave, and what that lays down."""
    text = call_line(call, result)
    laid_down = told_conditions(result.text) if result is not None else ()
    text = "; ".join((text, *(one for one in laid_down if one not in text)))
    return line_of(text, text, "condition" if laid_down else "said", CALL)


def _line_of_todo(update: TodoUpdate, who: str) -> SummaryLine:
    """A list under its tool, and its agent where several are named."""
    name = who.removeprefix("assistant").strip(": ")
    tool = f"{update.tool} ({name})" if name else update.tool
    text = TodoList(tool, update.items).line(TODO, len)
    return line_of(text, text, "todo" if update.whole else "todo change")


def line_of(text: str, bare: str, kind: Kind = "said", bonus: float = 0.0) -> SummaryLine:
    """A line with its words, none of which are somebody else's."""
    voice = in_one_voice(text, first=text == bare)
    return _summary_line(voice, in_one_voice(bare, first=True), kind, bonus)


def _summary_line(text: str, bare: str, kind: Kind = "said", bonus: float = 0.0) -> SummaryLine:
    plain = without_signs(text)
    if plain.isascii() and "_" not in plain:
        # a cue stands within a word then, at its beginning, or has a mark: words come again
        runs = runs_of(plain)
        words = frozenset(stems_of(runs) or content_words(plain))
        is_cue = "`" in plain or any(map(table_of(_has_cue), runs))
        is_cue = is_cue or ("/" in plain and _has_cue(plain))
    else:
        words, is_cue = frozenset(content_words(text)), _has_cue(plain)
    return SummaryLine(kind, text, bare, words, CUE if is_cue else 0.0, bonus)


def _has_cue(text: str) -> bool:
    return _CUE.search(text) is not None


def _states(sentence: str) -> bool:
    states = _STATES.search(sentence) is not None and _ASKS.search(sentence) is None
    return states and not is_foreign(sentence)  # "am", "was", "has" are words elsewhere, too


def _text_of(messages: tuple[Message, ...]) -> str:
    return "\n".join(
        without_output_notes(without_thinking(part.text))
        for message in messages
        for part in message.parts
        if isinstance(part, Text)
    ).strip()


def _joined(parts: list[str], characters: int) -> str:
    """The first of some sentences, and the last where not all of them have room, in one line."""
    text = " ".join(" ".join(parts).split())
    if len(text) <= characters:
        return text
    first = beginning(" ".join(parts[0].split()), characters)
    last = " ".join(parts[-1].split())
    return f"{first} … {last}" if len(first) + len(last) + 3 <= characters else first
