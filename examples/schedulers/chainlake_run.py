"""Runs chainlake from a scheduler in Python. Needs no packages.

Exit codes 7 (more to do) and 8 (another run has the streams) are no failures: the next run resumes. What changed is what --on-done wrote.
"""

import json
import subprocess
import tempfile
from pathlib import Path

CONTINUED = (7, 8)


class ChainlakeFailed(RuntimeError):
    """The exit code of the command means failure."""


def run_chainlake(*jobs, config, deadline="50m", command=("chainlake",), timeout=None):
    """Runs jobs of a configuration (default: all) and returns the changes with the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        done = Path(folder) / "done.json"
        asked = [*command, "run", *(jobs or ("--all",)), "--config", str(config)]
        ended = subprocess.run(
            [*asked, "--deadline", deadline, "--on-done", str(done), "--log-level", "warn"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=timeout,
            check=False,
        )
        if ended.returncode != 0 and ended.returncode not in CONTINUED:
            raise ChainlakeFailed(f"chainlake exited with code {ended.returncode}: {ended.stderr.strip()}")
        return json.loads(done.read_text())


def changed_tables(changes):
    """Number of new rows per table."""
    return {table["table"]: table["rows"] for table in changes["tables"]}
