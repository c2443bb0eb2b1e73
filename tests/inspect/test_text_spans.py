"""A shortened text is rebuilt from what was kept and what was put in."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.inspect.text_spans import rebuilt, text_spans

LINES = st.lists(st.text(alphabet='ab \u00e9\r\n{}"[…', max_size=30), max_size=12).map("\n".join)


@given(LINES, LINES)
def test_any_text_is_rebuilt_and_what_is_kept_goes_forward(original, short):
    spans = text_spans(original, short)
    assert rebuilt(original, spans) == short
    kept = [(span.start, span.stop) for span in spans if not span.text]
    assert all(start < stop for start, stop in kept)
    assert kept == sorted(kept) and all(a[1] <= b[0] for a, b in zip(kept, kept[1:], strict=False))


def test_cut_lines_are_told_apart_from_what_the_engine_wrote():
    original = "\n".join(f"line {n} of the file" for n in range(40))
    lines = original.splitlines()
    short = "\n".join(
        [*lines[:3], "[… 35 lines left out]", *lines[-2:], "[full output: event://e1]"]
    )
    spans = text_spans(original, short)
    written = [span.text for span in spans if span.text]
    assert "".join(written).split("\n")[0] == "[… 35 lines left out]"
    kept = "".join(original[span.start : span.stop] for span in spans if not span.text)
    assert kept.startswith("\n".join(lines[:3])) and lines[-1] in kept
