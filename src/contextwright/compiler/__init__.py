"""What is sent: compile a spec into a request and its manifest, and replay it."""

from contextwright.blocks.resolve import RefSources, read_ref
from contextwright.compiler.context_budget import ContextBudget
from contextwright.compiler.manifest import Manifest, manifest_from_json
from contextwright.compiler.pack import Pack
from contextwright.compiler.replay import replay
from contextwright.compiler.spec_compiler import Compiler, SpecCompiler

__all__ = [
    "Compiler",
    "ContextBudget",
    "Manifest",
    "Pack",
    "RefSources",
    "SpecCompiler",
    "manifest_from_json",
    "read_ref",
    "replay",
]
