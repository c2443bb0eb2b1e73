"""What is sent: compile a spec into a request and its manifest, and replay it."""

from contextwright.blocks.resolve import resolve
from contextwright.pack.budget import ContextBudget
from contextwright.pack.builder import PackBuilder
from contextwright.pack.compiler import Compiler, SpecCompiler
from contextwright.pack.manifest import Manifest, manifest_from_json
from contextwright.pack.pack import Pack
from contextwright.pack.replay import replay

Budget = ContextBudget

__all__ = [
    "Budget",
    "Compiler",
    "ContextBudget",
    "Manifest",
    "Pack",
    "PackBuilder",
    "SpecCompiler",
    "manifest_from_json",
    "replay",
    "resolve",
]
