"""Dagster: one dynamic output for each task of a round."""

import hashlib

from dagster import Definitions, DynamicOut, DynamicOutput, Nothing, In, RetryPolicy, job, op

import chainlake_tasks


@op(out=DynamicOut(str))
def plan():
    for line in chainlake_tasks.plan()[0]:
        yield DynamicOutput(line, mapping_key=hashlib.sha256(line.encode()).hexdigest()[:32])


@op(retry_policy=RetryPolicy(max_retries=5, delay=60))
def run(line: str) -> str:
    return chainlake_tasks.run(line)


@op(ins={"done": In(Nothing)})
def publish():
    chainlake_tasks.publish()


@job
def chainlake():
    publish(plan().map(run).collect())


defs = Definitions(jobs=[chainlake])
