"""What the examples for Airflow, Dagster, Ray and Spark share: they run chainlake in the folder of chainlake.yaml."""

import os
import subprocess

COMMAND = os.environ.get("CHAINLAKE", "chainlake")
AGAIN = 7  # work is left for later
BUSY = 8  # another run writes the stream


def plan(jobs=("--all",)):
    """The tasks of jobs, and the names of the jobs to plan when these are done."""
    ended = subprocess.run([COMMAND, "plan", *jobs, "--tasks"], capture_output=True, text=True)
    if ended.returncode not in (0, AGAIN):
        raise RuntimeError(ended.stderr)
    again = [line.removeprefix("again: ") for line in ended.stderr.splitlines() if line.startswith("again: ")]
    return ended.stdout.splitlines(), " ".join(again).split()


def run(task):
    """Does one task and returns its JSON line. The scheduler tries a failed task again; that is safe at any time."""
    ended = subprocess.run([COMMAND, "run", "--task", "-", "--json"], input=task, capture_output=True, text=True)
    if ended.returncode != 0:
        raise RuntimeError(f"exit code {ended.returncode}: {ended.stdout}{ended.stderr}")
    return ended.stdout


def publish():
    subprocess.run([COMMAND, "publish"], check=True)
