"""See what every model call of a session was sent, what was taken out, why, and what it cost."""
