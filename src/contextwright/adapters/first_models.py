"""Models that stand in front of others: who is asked first."""

from typing import Any


def first_model(model: Any) -> Any:
    """The model that is asked first, of one that falls back on others or stands around another:
    such a one has a name by which nobody knows a window. What is too long for another comes back
    as a refusal."""
    while True:
        models = getattr(model, "models", None)
        known = models if isinstance(models, list) else [getattr(model, "wrapped", None)]
        if not known or known[0] is None:
            return model
        model = known[0]
