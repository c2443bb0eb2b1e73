"""google-adk: specs for one agent, for a whole app, or from a fluent layer (extra `adk`).

from contextwright import C
from contextwright.adapters.adk import ContextPlugin, with_context

agent = with_context(LlmAgent(...), C.window(n=5) | C.compact())
app = App(name="support", root_agent=root, plugins=[ContextPlugin(C.window(n=10))])
"""

from contextwright.optional_imports import optional_imports

with optional_imports("adk", "google-adk", "google.adk"):
    from contextwright.adapters.adk.agent_context import with_context, with_contexts
    from contextwright.adapters.adk.fluent import Agent, Pipeline, Route
    from contextwright.adapters.adk.mirror import Mirrors
    from contextwright.adapters.adk.plugin import ContextPlugin, before_model
    from contextwright.adapters.adk.premise_callbacks import (
        premise_before_agent,
        premise_before_model,
    )

__all__ = [
    "Agent",
    "ContextPlugin",
    "Mirrors",
    "Pipeline",
    "Route",
    "before_model",
    "premise_before_agent",
    "premise_before_model",
    "with_context",
    "with_contexts",
]
