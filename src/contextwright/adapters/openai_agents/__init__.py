"""OpenAI Agents: what each request of a run holds, by its filter.

from contextwright.adapters.openai_agents import input_filter

config = RunConfig(call_model_input_filter=input_filter(C.compaction(100_000), model="gpt-5"))
result = await Runner.run(agent, "...", run_config=config)
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.openai_agents.input_filter import InputFilter, input_filter
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "agents":
        raise
    raise MissingExtra("openai-agents", "openai-agents") from error

__all__ = ["InputFilter", "input_filter"]
