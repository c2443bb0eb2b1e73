"""How a provider wants it: measure, render, validate."""
