"""PROTECT: is the context safe, current, complete?"""
