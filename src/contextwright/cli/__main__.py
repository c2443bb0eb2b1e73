"""`python -m contextwright.cli`."""

from contextwright.cli.main import main

main()
