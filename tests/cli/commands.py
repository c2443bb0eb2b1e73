"""Runs `ctx` in this process as a shell would."""

from contextwright.cli.main import main


def ended(capsys, *arguments):
    """How a command ended: its exit code, its output, its errors."""
    capsys.readouterr()
    code = 0
    try:
        main([str(one) for one in arguments])
    except SystemExit as end:
        code = end.code or 0
    out, err = capsys.readouterr()
    return code, out, err
