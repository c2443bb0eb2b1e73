"""What logs share that begin alike."""


class Family:
    """What a log shares with those that begin as it does; it lives as long as one of them."""
