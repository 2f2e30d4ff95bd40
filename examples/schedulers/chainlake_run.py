"""Runs chainlake from a scheduler written in Python; no packages are needed.

Exit codes 7 (more to do) and 8 (another run has the streams) are no failures: the next run goes on. What changed is what --on-done wrote.
"""

import json
import subprocess
import tempfile
from pathlib import Path

CONTINUED = (7, 8)


class ChainlakeFailed(RuntimeError):
    """The command ended with an exit code that says so."""


def run_chainlake(*jobs, config, deadline="50m", command=("chainlake",), timeout=None):
    """Runs jobs of a configuration, all when none are named; returns what changed, with the exit code."""
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
            raise ChainlakeFailed(f"chainlake ended with {ended.returncode}: {ended.stderr.strip()}")
        return json.loads(done.read_text())


def changed_tables(changes):
    """Rows that each table got."""
    return {table["table"]: table["rows"] for table in changes["tables"]}
