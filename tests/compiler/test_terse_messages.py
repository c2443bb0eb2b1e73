"""What a note keeps of users who write few words: what they correct, with what came of it, and the
words around a rule without which nobody knows what it is about."""

from contextwright import C, Engine, Session


def sent(*turns, budget=6000):
    """What is sent once a hundred calls lie behind some turns of the user and the agent."""
    session, engine = Session("s"), Engine(C.default() | C.compaction(budget), "gpt-5")
    session.user("Fit out the boat.")
    for asked, answer in turns:
        session.user(asked)
        session.call("work_on", {"part": asked[:12]}, id=f"w{len(session.log)}")
        session.result(f"w{len(session.log) - 1}", "ok")
        session.assistant(answer)
    for n in range(100):
        session.user(f"Weigh crate {n}.")
        session.call("weigh", {"crate": f"c{n}"}, id=f"c{n}")
        session.result(f"c{n}", f"crate c{n} weighs {n * 37} and stands in row {n * 11} " * 20)
        session.assistant(f"Crate {n} weighs {n * 37}.")
        if n % 10 == 0:
            engine.compile(session)
    return engine.compile(session).request["messages"][1]["content"]


def test_a_correction_outlives_all_steps_with_what_came_of_it():
    shown = sent(
        ("Order four deck lamps for the stern.", "Order L-55 for 4 lamps is out."),
        ("make it 6 actually, they come in pairs", "L-55 has 6 lamps now."),
        ("Which colour is the awning?", "It is sand."),
        ("urgent, the skipper changed his mind", "L-55 ships by express."),
    )
    assert "user: make it 6 actually, they come in pairs\nassistant: L-55 has 6 lamps now." in shown
    assert "user: urgent, the skipper changed his mind\nassistant: L-55 ships by express." in shown


def test_who_is_out_is_told_with_the_reason():
    shown = sent(
        ("Ask Norvik too, they were quick last time.", "Norvik is asked."),
        ("The yard had trouble with Norvik's glue, it peeled off. So not them.", "Norvik is out."),
    )
    assert "user: The yard had trouble with Norvik's glue, it peeled off. So not them." in shown


def test_a_part_in_few_words_does_not_stand_without_the_rest():
    shown = sent(
        (
            "Teak is fine too for the steps, Lars has some left. Keep varnish.",
            "Teak is noted down.",
        ),
    )
    assert "Teak is fine too for the steps, Lars has some left. Keep varnish." in shown


def test_rules_of_who_writes_no_capitals_outlive_a_question_behind_them():
    shown = sent(
        (
            (
                "back at the pier. the crane lifts only if the wind is under 20 knots, otherwise it "
                "waits. who drives it?"
            ),
            "Mads drives it.",
        ),
        (
            (
                "rules for the yard: nothing touches the old mast, it's sold. log every change into the "
                "blue book. what time is it"
            ),
            "Ten past four.",
        ),
    )
    assert "only if the wind is under 20 knots, otherwise it waits." in shown
    assert "nothing touches the old mast" in shown


def test_what_is_told_of_a_message_stands_in_its_order():
    shown = sent(
        (
            (
                "Look up the moorings. The stern line is frayed since May. Nobody may untie it before "
                "Lars is back."
            ),
            "There are four.",
        ),
    )
    assert "The stern line is frayed since May. Nobody may untie it before Lars is back." in shown


def test_no_outcome_is_told_of_a_rule_that_is_all_of_its_message():
    rules = [(f"Never paint plank{n}x.", f"The foreman of plank {n} knows.") for n in range(20)]
    shown = sent(*rules)
    assert all(rule in shown for rule, _ in rules)
    assert shown.count("The foreman of plank") <= len(rules) // 2
