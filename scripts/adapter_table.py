"""Play every scenario with every framework that is installed, and print the table.

python scripts/adapter_table.py > table.md
"""

import sys
from importlib import import_module
from pathlib import Path

from contextwright.testing.adapter_suite import outcomes, suite_table

MODULES = ("clients", "pydantic_ai_agents", "langchain_agents", "openai_agents_runs")


def main() -> None:
    """Print the table; frameworks that are not installed are named on the error stream."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    drivers = []
    for name in MODULES:
        try:
            drivers += import_module(f"tests.adapters.drivers.{name}").DRIVERS
        except ImportError as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
    print(suite_table(outcomes(drivers)))


if __name__ == "__main__":
    main()
