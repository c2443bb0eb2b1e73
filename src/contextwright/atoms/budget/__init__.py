"""BUDGET: tiers and limits."""
