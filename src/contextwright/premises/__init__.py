"""Experimental: is what a question takes for granted so? English rules, or a model of yours."""
