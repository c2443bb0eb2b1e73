"""The bill on the README's first screen is the one that is measured."""

from benchmarks.example_bill import END, README, START, bill


def test_the_readme_has_the_bill_of_the_example_session():
    text = README.read_text(encoding="utf-8")
    assert text.split(START)[1].split(END)[0].strip().splitlines() == bill()
