"""Airflow: one mapped task instance for each task of a round."""

from datetime import datetime, timedelta

from airflow.sdk import dag, task

import chainlake_tasks


@dag(schedule="@hourly", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)
def chainlake():
    @task
    def plan():
        return chainlake_tasks.plan()[0]

    @task(retries=5, retry_delay=timedelta(minutes=1), max_active_tis_per_dagrun=8)
    def run(line):
        return chainlake_tasks.run(line)

    @task(trigger_rule="all_done")
    def publish():
        chainlake_tasks.publish()

    run.expand(line=plan()) >> publish()


chainlake()
