"""Limits on spending: what a question may take is set aside before it is asked."""

import asyncio

import pytest

from contextwright.models import Completion, Limits, ModelFault, Models
from contextwright.models.spend import MAX_USAGE, SpendLimit

QUESTION = 500
"""Tokens that the question of these tests may take, about."""


class Billing:
    """Answers with a bill."""

    id = "openai:gpt-5"

    def __init__(self, read=300, written=10, delay_s=0.0):
        self.usage, self.asked, self.delay_s = (read, written), 0, delay_s

    async def complete(self, prompt):
        self.asked += 1
        await asyncio.sleep(self.delay_s)
        read, written = self.usage
        return Completion(text="Short.", model=self.id, input_tokens=read, output_tokens=written)


@pytest.mark.parametrize("at_once", [8, 32])
def test_questions_asked_at_once_never_pass_a_limit(make_task, at_once):
    limit, llm = 1_500, Billing(300, 100, delay_s=0.02)
    found = Models(llm, limits=Limits(session=SpendLimit(tokens=limit)))
    answers = found.answer_now([make_task(prompt=str(n)) for n in range(at_once)], session="s")
    assert 1 <= llm.asked <= 3
    assert found.spending.of("s").tokens == 400 * llm.asked <= limit
    assert sum("spend limit of 1500 tokens a session" in one.fallback for one in answers) == (
        at_once - llm.asked
    )


def test_what_was_set_aside_and_not_spent_is_free_again(make_task):
    llm = Billing(100, 10)
    found = Models(llm, limits=Limits(turn=SpendLimit(tokens=1_000)))
    for n in range(5):
        found.answer_now([make_task(prompt=str(n))], session="s", turn=1)
    assert llm.asked == 5
    assert found.spending.of("s\n1").tokens == 550


def test_a_turn_and_a_session_spend_what_they_may(make_task, scripted):
    found = scripted("Short.", limits=Limits(turn=SpendLimit(tokens=QUESTION)))
    assert not found.answer_now([make_task()], session="s", turn=1)[0].fallback
    (answer,) = found.answer_now([make_task(prompt="again")], session="s", turn=1)
    assert answer.fallback.startswith("rejected: spend limit of 500 tokens a turn")
    assert not found.answer_now([make_task(prompt="again")], session="s", turn=2)[0].fallback


def test_money_is_counted_by_the_models_prices(make_task):
    found = Models(Billing(1_000_000, 0), limits=Limits(session=SpendLimit(microdollars=5_000)))
    found.answer_now([make_task()], session="s")
    assert found.spending.of("s").microdollars == 1_250_000
    (answer,) = found.answer_now([make_task(prompt="x")], session="s")
    assert "$0.005 a session" in answer.fallback


@pytest.mark.parametrize("read", [-(10**9), 10**12, MAX_USAGE + 1, float("nan"), None, True])
def test_a_bill_that_can_not_be_true_is_counted_by_ourselves(make_task, read):
    llm = Billing(read, 5)
    found = Models(llm, limits=Limits(session=SpendLimit(tokens=2_000)))
    for n in range(30):
        (answer,) = found.answer_now([make_task(prompt=str(n))], session="s")
        assert answer.input_tokens >= 0
    assert llm.asked < 10
    assert 1_000 < found.spending.of("s").tokens <= 2_000


def test_who_tells_no_bill_is_counted_by_ourselves(make_task):
    found = Models(Billing(0, 0))
    found.answer_now([make_task()], session="s")
    assert found.spending.of("s").tokens > 100


@pytest.mark.parametrize(("kind", "is_billed"), [("refused", True), ("rejected", False)])
def test_what_failed_is_counted_where_it_was_read(make_task, scripted, kind, is_billed):
    found = scripted(ModelFault(kind, kind), limits=Limits(session=SpendLimit(tokens=5_000)))
    found.answer_now([make_task()], session="s")
    assert bool(found.spending.of("s").tokens) is is_billed


def test_a_limit_also_holds_between_the_pieces_of_a_long_question(make_task, scripted):
    texts = tuple(f"part {n}: {'The refund was approved by Ann. ' * 20}" for n in range(10))
    limits = Limits(question_tokens=600, turn=SpendLimit(tokens=1_200))
    found = scripted("one", limits=limits)
    (answer,) = found.answer_now([make_task(texts=texts)])
    assert len(found.llm.prompts) == 1
    assert answer.model == "extractive"
    assert "spend limit" in answer.fallback


def test_who_is_cancelled_once_the_answer_is_there_paid_for_all_of_it(make_task):
    class Late(Billing):
        async def complete(self, prompt):
            completion = await super().complete(prompt)
            asking.cancel()
            return completion

    found = Models(Late(300, 40))

    async def run():
        nonlocal asking
        asking = asyncio.create_task(found.answer([make_task()], session="s"))
        with pytest.raises(asyncio.CancelledError):
            await asking

    asking = None
    asyncio.run(run())
    assert found.spending.of("s").tokens == 340
