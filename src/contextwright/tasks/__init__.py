"""The parts of a Context Pack: its step, its layers, how its window is shared out."""
