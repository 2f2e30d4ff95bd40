/**
 * The steps at which a process may die, in the order in which a run, a backup, a restore or a repair reaches them. Tests kill the process
 * at each step and compare the lake with that of an undisturbed run; see `CHAINLAKE_DIE_AT`.
 */
export const stepNames = [
  'run.registered',
  'recovery.before-removal',
  'recovery.after-removal',
  'fetch.before',
  'fetch.after',
  'page.read',
  'write.before-open',
  'write.after-open',
  'write.after-batch',
  'write.before-fsync',
  'write.between-fsyncs',
  'write.after-fsync',
  'upload.before',
  'upload.part',
  'upload.sent',
  'upload.after',
  'observation.before-open',
  'observation.after-open',
  'stage.before-open',
  'stage.before-begin',
  'stage.after-parts',
  'stage.after-commit',
  'stage.after-close',
  'restart.after-commit',
  'restart.after-removal',
  'commit.before-open',
  'commit.before-begin',
  'commit.after-files',
  'commit.after-coverage',
  'commit.after-commit',
  'commit.after-close',
  'commit.after-removal',
  'compact.before-read',
  'compact.after-write',
  'compact.before-begin',
  'compact.after-files',
  'compact.after-commit',
  'compact.after-close',
  'expire.before-begin',
  'expire.after-files',
  'expire.after-commit',
  'expire.after-close',
  'expire.after-mark',
  'expire.after-removal',
  'publish.before',
  'publish.after-catalog-copy',
  'publish.after-catalog-rename',
  'publish.after-views-build',
  'publish.after-views-rename',
  'publish.after-views-text',
  'iceberg.after-begin',
  'iceberg.after-manifests',
  'iceberg.before-reveal',
  'iceberg.after-reveal',
  'iceberg.after-hint',
  'parquet.after-claim',
  'parquet.after-file',
  'parquet.before-switch',
  'parquet.after-switch',
  'parquet.after-removal',
  'run.before-end',
  'run.after-end',
  'backup.before-copy',
  'backup.after-copy',
  'backup.after-catalog-rename',
  'backup.after-facts-rename',
  'restore.before-keep',
  'restore.after-keep',
  'restore.after-rename',
  'repair.before-begin',
  'repair.after-files',
  'repair.after-coverage',
  'repair.after-commit',
  'repair.after-close',
] as const

/** How often each step was reached, by all threads that share these counts. */
let counts = new Int32Array(new SharedArrayBuffer(4 * stepNames.length))

/** The counts, for another thread that counts its steps together with this one. */
export function stepCounts(): SharedArrayBuffer {
  return counts.buffer as SharedArrayBuffer
}

/** Counts steps together with the thread that shared these counts. */
export function countStepsIn(shared: SharedArrayBuffer): void {
  counts = new Int32Array(shared)
}

/**
 * Marks that the process has reached a named step. With `CHAINLAKE_DIE_AT=commit.before-begin#2` in the environment, the process kills
 * itself (SIGKILL) when its threads together have reached that step for the second time. Without it, this does nothing.
 */
export function reachStep(name: (typeof stepNames)[number]): void {
  const target = process.env['CHAINLAKE_DIE_AT']
  if (target === undefined) return
  const times = Atomics.add(counts, stepNames.indexOf(name), 1) + 1
  const [step, count = '1'] = target.split('#')
  if (step === name && Number(count) === times) process.kill(process.pid, 'SIGKILL')
}
