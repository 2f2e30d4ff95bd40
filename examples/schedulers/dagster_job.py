"""Dagster definitions: one asset for the lake, updated every hour; its metadata list the changes."""

from dagster import AssetExecutionContext, Definitions, MaterializeResult, ScheduleDefinition, asset, define_asset_job

from chainlake_run import changed_tables, run_chainlake

CONFIG = "/etc/chainlake/chainlake.yaml"


@asset
def lake(context: AssetExecutionContext) -> MaterializeResult:
    changes = run_chainlake(config=CONFIG, deadline="50m")
    context.log.info("chainlake ended with %s", changes["exitCode"])
    rows = changed_tables(changes)
    return MaterializeResult(metadata={"snapshot": changes["snapshot"] or 0, "rows": sum(rows.values()), "tables": rows})


export = define_asset_job("export", selection=[lake])

defs = Definitions(
    assets=[lake],
    jobs=[export],
    schedules=[ScheduleDefinition(job=export, cron_schedule="5 * * * *")],
)
