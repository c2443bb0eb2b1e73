"""Frozen values and functions that stand for specs: profiles, phased injection, Context Packs."""
