"""What is sent: compile a spec into a request and its manifest, and replay it."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.blocks.resolve import RefSources, read_ref
    from contextwright.compiler.context_budget import ContextBudget
    from contextwright.compiler.manifest import Manifest, manifest_from_json
    from contextwright.compiler.pack import Pack
    from contextwright.compiler.replay_pack import replay
    from contextwright.compiler.spec_compiler import Compiler, SpecCompiler

_HOMES = {
    "Compiler": "spec_compiler",
    "ContextBudget": "context_budget",
    "Manifest": "manifest",
    "Pack": "pack",
    "RefSources": "contextwright.blocks.resolve",
    "SpecCompiler": "spec_compiler",
    "manifest_from_json": "manifest",
    "read_ref": "contextwright.blocks.resolve",
    "replay": "replay_pack",
}
"""Imported when they are first named."""

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

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
