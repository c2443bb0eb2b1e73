"""Functions and frozen values that stand for specs: profiles, injectors, Context Packs."""
