"""What an agent thinks between marks in its message is not what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Session, compile, record
from contextwright.blocks.block import Message
from contextwright.blocks.transcript import transcript_of
from contextwright.session.event import Text
from contextwright.session.inline_thinking import agent_words, without_thinking

SAYS = "The invoice 4711 is paid."
MESSAGES = {
    "DeepSeek R1": f"<think>\nOkay, so the user wants it paid.\n</think>\n\n{SAYS}",
    "begun by the template": f"Okay, so the user wants it paid.\n</think>\n\n{SAYS}",
    "ended in its line": f"Okay, the user wants it paid.</think>\n\n{SAYS}",
    "Magistral": f"[THINK]Okay, pay it.[/THINK]{SAYS}",
    "Kimi VL": f"\u25c1think\u25b7Okay, pay it.\u25c1/think\u25b7{SAYS}",
    "Seed OSS": f"<seed:think>\nOkay.\n</seed:think>\n{SAYS}",
    "asked for": f"<thinking>Step 1. Step 2.</thinking>\n<answer>\n{SAYS}\n</answer>",
    "in two forms": f"<think>\nOkay.\n</thinking>\n{SAYS}",
    "twice": f"<think>One.</think>\n<think>Two.</think>\n{SAYS}",
    "a blank thought": f"<think>\n\n</think>\n\n{SAYS}",
}
SPOKEN_OF = (
    SAYS,
    "",
    "Put `<think>` in front of it.",
    "I took out the <think> and </think> marks, as you said.",
    "I took out the stray </think>",
    "<thinker>Rodin</thinker>",
    "<answer>no thoughts, so the marks are the text's</answer>",
    "First a line.\n<think> begins what a model thinks.",
)


@pytest.mark.parametrize("text", MESSAGES.values(), ids=MESSAGES)
def test_what_is_said_is_what_stands_beside_the_thoughts(text):
    assert without_thinking(text) == SAYS
    assert agent_words((Text(text=text), Text(text="Bye."))) == f"{SAYS}\nBye."


@pytest.mark.parametrize("text", SPOKEN_OF)
def test_marks_that_are_spoken_of_are_text(text):
    assert without_thinking(text) == text


def test_thoughts_that_were_cut_off_are_all_there_is():
    assert without_thinking("<think>\nOkay, the user wants") == ""
    assert without_thinking("Okay, the user wants it.\n</think>\n") == ""
    assert agent_words((Text(text="<think>Okay."), Text(text="<think>So.</think>"))) == ""


@given(st.lists(st.sampled_from(("<think>", "</think>", "[THINK]", "\n", "a", " ", "<answer>"))))
def test_what_is_said_stands_in_the_text(pieces):
    said = without_thinking("".join(pieces))
    left = iter("".join(pieces))
    assert all(character in left for character in said)


def talk(answer, turns=40):
    """A rule that is only heard, then work, each answer behind thoughts."""
    yield {"role": "user", "content": "Invoices go to Mrs. Okafor in room 12."}
    yield {"role": "assistant", "content": answer("They tell me where it goes.", "Understood.")}
    for turn in range(turns):
        yield {"role": "user", "content": f"Please pay invoice {turn + 100}. " + "It is due. " * 9}
        yield {
            "role": "assistant",
            "content": answer(
                f"Okay, the ledger zq{turn} first. " * 9, f"Invoice {turn + 100} is paid."
            ),
        }
    yield {"role": "user", "content": "And now?"}


def behind(thinks, says):
    return f"<think>\n{thinks}\n</think>\n\n{says}"


def plain(thinks, says):
    return says


@pytest.mark.parametrize(
    "spec", [C.compaction(1_000), C.fit(1_000), C.decay(), C.rolling(3), C.summarize()]
)
def test_no_note_and_no_summary_tells_thoughts(spec):
    request = compile([*talk(behind)], spec, model="gpt-5").request
    notes = [
        each["content"] for each in request["messages"] if "context_block" in str(each["content"])
    ]
    assert notes
    assert not any("zq" in note or "think>" in note or "tell me" in note for note in notes)


def test_what_was_only_heard_holds_on_where_an_agent_thinks_before_it_says_so():
    told = {
        form: compile([*talk(form)], C.compaction(1_000), model="gpt-5").request["messages"]
        for form in (behind, plain)
    }
    assert all("Mrs. Okafor" in str(messages) for messages in told.values())


def test_what_is_sent_whole_is_sent_as_it_was_written():
    request = compile([*talk(behind, 2)], C.default(), model="gpt-5").request
    assert request["messages"][1]["content"] == behind("They tell me where it goes.", "Understood.")


def test_a_model_that_summarizes_reads_no_thoughts():
    messages = tuple(
        Message(role=each["role"], parts=(Text(text=each["content"]),)) for each in talk(behind, 1)
    )
    assert transcript_of(messages[-3:]).splitlines()[1:] == [
        "assistant: Invoice 100 is paid.", "user: And now?"
    ]  # fmt: skip


def test_a_reply_is_captured_and_noted_without_thoughts():
    session = Session("thoughts")
    session.user("Please pay invoice 4711.")
    session.assistant(behind("Okay.", SAYS))
    record(session, C.capture("answer", what="output"))
    record(session, C.write_notes("progress"))
    assert session.state["answer"] == SAYS
    assert [note["text"] for note in session.state["_notes_progress"]] == [SAYS]
