"""What a request shares with the one that it begins with is told by their tokens, as it is told
from the two requests."""

import pytest
from msgspec.structs import replace

from contextwright import C, Session
from contextwright.compiler import prefix as prefixes
from contextwright.compiler.prefix import shared_prefix
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.render.response_format import ResponseFormat
from contextwright.session.event import Tool
from contextwright.spec.memo import Memo
from contextwright.testing import target_for

FORMATS = ("openai-chat", "openai-responses", "gemini")
SHAPE = ResponseFormat('{"type":"object","properties":{"a":{"type":"string"}}}')
LOOK = Tool(name="look", description="Looks.", parameters={"type": "object"})


@pytest.mark.parametrize("shape", [None, SHAPE], ids=["text", "shape"])
@pytest.mark.parametrize("tools", [(), (LOOK,)], ids=["no tools", "tools"])
@pytest.mark.parametrize("format", FORMATS)
def test_by_tokens_as_by_pieces(format, tools, shape, monkeypatch):
    target = replace(target_for(format), tools=tools, response_format=shape)
    compiler, session = SpecCompiler(C.default() | C.budget(3_000), memo=Memo()), Session("grows")
    told, of_grown = [], prefixes._of_grown

    def noting(*arguments):
        told.append(of_grown(*arguments))
        return told[-1]

    monkeypatch.setattr(prefixes, "_of_grown", noting)
    session.add("system", "Be brief.")
    before = None
    for n in range(12):
        session.user(f"question {n} " + "of many words " * 30)
        if tools:
            session.call("look", {"n": n}, id=f"c{n}")
            session.result(f"c{n}", f"row {n}")
        pack = compiler.compile(session.snapshot(), target, previous=before)
        count, prefix = len(told), pack.manifest.prefix
        if before is not None:
            by_pieces = shared_prefix(before.request, pack.request, target)
            assert len(told) == count and replace(prefix, loss=by_pieces.loss) == by_pieces
        before = pack
        session.assistant(f"answer {n}")
    merges = format == "gemini" and tools  # an answer and what is asked next are one content
    assert len(told) >= (0 if merges else 6), "most turns only grow"
