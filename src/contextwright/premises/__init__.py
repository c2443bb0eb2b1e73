"""Experimental: is what a question takes for granted so? A language model may judge; a short set
of English rules does where there is none. How often they are right: docs/reference/premises.md.

Imported only where it is used: `check_premise`, `premise_guard`, `C.premise()`.
"""
