"""A DAG of Airflow 3: runs all jobs every hour, then the tasks that depend on changes."""

from datetime import datetime, timedelta

from airflow.sdk import dag, task

from chainlake_run import changed_tables, run_chainlake

CONFIG = "/etc/chainlake/chainlake.yaml"


@dag(
    schedule="@hourly",
    start_date=datetime(2025, 1, 1),
    catchup=False,
    # A second run would skip the jobs that the first one is reading.
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=5)},
)
def chainlake():
    @task(execution_timeout=timedelta(minutes=55))
    def export():
        return run_chainlake(config=CONFIG, deadline="50m")

    @task.short_circuit
    def something_changed(changes):
        return bool(changes["tables"])

    @task
    def downstream(changes):
        for table, rows in changed_tables(changes).items():
            print(f"{table}: {rows} rows")

    changes = export()
    something_changed(changes) >> downstream(changes)


chainlake()
