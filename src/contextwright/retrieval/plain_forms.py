"""Words with their verbs in the plain form: `bought` meets `buy`, and `shipped` meets `ship`."""

import re

from contextwright.retrieval.stems import stems

_FORMS = """ate eaten eat; became become; began begun begin; bought buy; broke broken break; brought
bring; built build; came come; caught catch; chose chosen choose; cut cutting; did done
do; drove driven drive; fell fallen fall; felt feel; found find; gave given give; got
gotten get; grew grown grow; held hold; kept keep; knew known know; led lead; left
leave; lent lend; lost lose; made make; met meet; paid pay; ran run; sang sung sing; sat
sit; saw seen see; sent send; shot shoot; sold sell; spent spend; spoke spoken speak;
stole stolen steal; swam swum swim; taught teach; thought think; threw thrown throw;
told tell; took taken take; went gone go; won win; wrote written write"""
_IRREGULAR = {
    form: stems(each.split()[-1])[0]
    for each in _FORMS.split(";")
    if stems(each.split()[-1])
    for word in each.split()
    for form in stems(word)
}
_POINT = re.compile(r"(?<=\d)[.,](?=\d)")
_DOUBLED = re.compile(r"(?<=\w\w)([bdgmnprt])\1$")


def plain_stems(text: str) -> tuple[str, ...]:
    """Stems, of irregular verbs those of the plain form; a number with a point is one word."""
    plain = (_IRREGULAR.get(each, each) for each in stems(_POINT.sub("x", text)))
    return tuple(_DOUBLED.sub(r"\1", each).removesuffix("e") for each in plain)
