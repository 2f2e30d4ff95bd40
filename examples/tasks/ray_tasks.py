"""Ray: one remote call for each task, in rounds. python ray_tasks.py [job ...]"""

import sys

import ray

import chainlake_tasks

ray.init()
# A worker that dies, and a task that fails, are tried again.
run = ray.remote(num_cpus=1, max_retries=5, retry_exceptions=True)(chainlake_tasks.run)

jobs = sys.argv[1:] or ["--all"]
while jobs:
    tasks, jobs = chainlake_tasks.plan(jobs)
    for line in ray.get([run.remote(task) for task in tasks]):
        print(line, end="")
chainlake_tasks.publish()
