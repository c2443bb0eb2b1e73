from contextwright import C, Session, compile


def test_an_event_that_no_term_selected_is_found_in_its_gap():
    session = Session("s")
    for number in range(4):
        session.user(f"question {number}")
        session.assistant(f"answer {number}")
    manifest = compile(session, C.window(2), "gpt-5").manifest
    gap = manifest.left_out_with("e2", session)
    assert gap is not None and (gap.first, gap.last, gap.exchanges) == ("e1", "e3", 3)
    assert manifest.left_out_with("e2") == gap  # told by its number
    assert manifest.left_out_with("e3") == gap
    assert manifest.left_out_with("e4", session) is None
    assert manifest.changes_of("e2", session) == ()


def test_ids_without_numbers_are_found_by_the_session():
    names = "ada", "bob", "kim", "eve", "joe"
    session = Session("s")
    for name in names:
        session.user(name, id=name)
    manifest = compile(session, C.window(1), "gpt-5").manifest
    assert manifest.left_out_with("kim") is None
    gap = manifest.left_out_with("kim", session)
    assert gap is not None and (gap.first, gap.last) == ("bob", "eve")


def test_the_ends_of_a_range_in_a_lineage_are_found_without_the_session():
    session = Session("s")
    for number in range(60):
        session.user(f"question {number} " + "word " * 40, id=f"user-{number:02}-q")
        session.assistant(f"answer {number}", id=f"agent-{number:02}-a")
    spec = C.rolling(2) | C.budget(4000)
    manifest = compile(session, spec, "gpt-5", window=8000, reserved_output=0).manifest
    [summary] = [change for change in manifest.changes if change.action == "summarized"]
    [range_] = [one for one in summary.lineage if "#.." in one]
    first, _, last = range_.removeprefix("event://").partition("#..")
    for id in (first, last):
        assert summary in manifest.changes_of(id)
    assert manifest.changes_of("") == ()
