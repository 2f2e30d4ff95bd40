/** A type in a source file. */
export type ShapeType = readonly [path: string, name: string]

/** What a command prints with `--json`. */
type JsonShape = {
  readonly command: string
  /** In words, where the types do not say it. */
  readonly prints: string
  readonly types: readonly ShapeType[]
}

/** What each command prints with `--json`, in the order of the help. */
export const jsonShapes: readonly JsonShape[] = [
  {
    command: 'run',
    prints:
      'The report of the run: `schema` (`chainlake.run.v1`) and the fields of `RunSummary`. Fields may be added; existing ones keep their name and meaning. Jobs of several networks or with mistakes run in groups: then the command prints a list with one report per group. A report of jobs that failed has `failed` (their names) and `error`. `chainlake run --on-done FILE` writes a `ChangeReport` to the file.',
    types: [
      ['src/run/jobs/run-options.ts', 'RunSummary'],
      ['src/run/rows/job-result.ts', 'JobResult'],
      ['src/run/rows/job-result.ts', 'ListResult'],
      ['src/run/rows/job-result.ts', 'RangeResult'],
      ['src/run/rows/job-result.ts', 'AnyResult'],
      ['src/run/rows/job-result.ts', 'TableResult'],
      ['src/run/rows/job-result.ts', 'Unanswered'],
      ['src/run/job/postponement.ts', 'Postponement'],
      ['src/run/jobs/start-free.ts', 'BusyJob'],
      ['src/cli/commands/run/run-jobs.ts', 'ChangeReport'],
      ['src/cli/commands/run/run-jobs.ts', 'TableChange'],
    ],
  },
  {
    command: 'plan',
    prints:
      'A list: a `JobPlan` for each stream that is read by range, and a `ListPlan` for each other job. `Stream` is as of [status](#status).',
    types: [
      ['src/run/jobs/plan-pipelines.ts', 'JobPlan'],
      ['src/run/jobs/plan-pipelines.ts', 'PlannedTime'],
      ['src/cli/commands/plan/list-plan.ts', 'ListPlan'],
      ['src/cli/commands/plan/list-plan.ts', 'StreamPlan'],
    ],
  },
  {
    command: 'doctor',
    prints:
      '`version` (1), `works` (whether a run would work), `exitCode` (that of such a run) and `checks`, a list of `Check`.',
    types: [['src/doctor/check.ts', 'Check']],
  },
  {
    command: 'pipelines',
    prints: 'A list of `PipelineDescription`, each with `reads`: `node`, `service` or `{ service: NAME }`.',
    types: [
      ['src/cli/commands/describe/pipeline-description.ts', 'PipelineDescription'],
      ['src/cli/commands/describe/pipeline-description.ts', 'ParameterDescription'],
    ],
  },
  {
    command: 'validate',
    prints:
      'The settings of the command. If something is wrong: `error`, and `mistakes`, a list of errors with `line`, `column` and `job`.',
    types: [],
  },
  {
    command: 'worker',
    prints: '`lake`, `stopped`, and the fields of `WorkerSummary`.',
    types: [['src/run/work/worker-options.ts', 'WorkerSummary']],
  },
  {
    command: 'tables',
    prints: 'A list of `Listed`; with `--lake` of `ListedInLake`.',
    types: [
      ['src/cli/commands/describe/declared.ts', 'Listed'],
      ['src/cli/commands/describe/declared.ts', 'ListedInLake'],
    ],
  },
  {
    command: 'describe',
    prints: 'A `Description` of a table or view, or a `PipelineDescription` (see [pipelines](#pipelines)).',
    types: [
      ['src/cli/commands/describe/declared.ts', 'Description'],
      ['src/cli/commands/describe/declared.ts', 'ColumnDescription'],
    ],
  },
  {
    command: 'status',
    prints:
      'The fields of `LakeStatus`, and `viewsSnapshotId`, the snapshot that the views show (null without views). With a catalog in PostgreSQL also `tasks`, the number of tasks of workers by state. With `--max-age` also `stale`, a list of `StaleStream`, and with `--max-block-age` also `old`, a list of `OldStream`.',
    types: [
      ['src/catalog/status.ts', 'LakeStatus'],
      ['src/catalog/status.ts', 'StreamStatus'],
      ['src/model.ts', 'Stream'],
      ['src/catalog/status.ts', 'TableStatus'],
      ['src/catalog/status.ts', 'StretchStatus'],
      ['src/catalog/status.ts', 'ObservationStatus'],
      ['src/catalog/runs/runs.ts', 'RunStatus'],
      ['src/catalog/runs/work-tasks.ts', 'TaskCounts'],
      ['src/cli/commands/status/show-status.ts', 'StaleStream'],
      ['src/cli/commands/status/show-status.ts', 'OldStream'],
    ],
  },
  {
    command: 'gaps',
    prints:
      'A list of `Gap`. A list that must be read again after a repair has the unit `list`, and `from` and `to` are null.',
    types: [['src/run/status/lake-gaps.ts', 'Gap']],
  },
  {
    command: 'verify',
    prints: '`format` (1), `sound` (whether nothing was found) and the fields of `VerifyReport`.',
    types: [
      ['src/verify/report.ts', 'VerifyReport'],
      ['src/verify/lake/finding.ts', 'Finding'],
      ['src/verify/lake/finding.ts', 'FindingKind'],
      ['src/verify/lake/finding.ts', 'Remark'],
      ['src/verify/lake/finding.ts', 'Unverifiable'],
    ],
  },
  {
    command: 'repair',
    prints:
      '`format` (1), `lake`, `dryRun`, `findings` (as of [verify](#verify)), `removed` and `lost` (files: `table`, `path`, `rows`, `damaged`), `uncovered` (slices that are no longer covered), `fetchedAgain` (slices that the next run reads again), `lists` (that the next run reads again), `needsCode` (streams that need the code of their pipelines), `countedAbout` (streams with approximate counts) and `snapshotId`.',
    types: [],
  },
  {
    command: 'compact',
    prints: '`lake` and the fields of `CompactSummary`.',
    types: [
      ['src/run/upkeep/compact-lake.ts', 'CompactSummary'],
      ['src/run/upkeep/compact-lake.ts', 'CompactedTable'],
    ],
  },
  {
    command: 'expire',
    prints: '`lake` and the fields of `ExpireSummary`.',
    types: [['src/run/upkeep/expire-lake.ts', 'ExpireSummary']],
  },
  {
    command: 'backup',
    prints:
      '`folder`, `replaced` (whether an earlier backup was there) and the contents of `backup.json`: `format`, `chainlakeVersion`, `takenAt`, `lake`, `lakeId`, `snapshotId`, `runId`, `catalog` (`file`, `bytes`, `sha256`), `files` and `bytes`.',
    types: [],
  },
  {
    command: 'restore',
    prints:
      '`lake`, `source`, `takenAt`, the fields of `LakeSnapshot` that was restored, `before` (the one that it replaced), `kept` (the replaced catalog), `newer` (rows by table that only the replaced one had), `lost` (with `--with-losses`: files that the restored catalog names, but that are missing or have another size) and `unnamed` (files that the restored catalog does not name).',
    types: [['src/model.ts', 'LakeSnapshot']],
  },
  { command: 'views', prints: '`lake`, `snapshotId` and `location`.', types: [] },
  {
    command: 'publish',
    prints: '`lake` and the fields of `IcebergSummary` or `ParquetSummary`.',
    types: [
      ['src/run/publish/publish-iceberg.ts', 'IcebergSummary'],
      ['src/run/publish/publish-iceberg.ts', 'IcebergPublication'],
      ['src/run/publish/publish-iceberg.ts', 'PublishedTable'],
      ['src/run/publish/publish-parquet.ts', 'ParquetSummary'],
    ],
  },
  { command: 'devnet', prints: '`url`, as soon as the simulated network answers.', types: [] },
]
