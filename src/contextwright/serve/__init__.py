"""The proxy: agents whose code nobody can change send their requests through it by a base URL.

    ctx serve --spec 'C.compaction(100_000)' --upstream https://api.openai.com

What nothing is due for leaves byte for byte, and so does everything that is no call of a model.
Extra `serve`.
"""
