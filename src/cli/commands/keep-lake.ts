import { backUpLake } from '../../catalog/backup.ts'
import { firstLost, lostText } from '../../catalog/lost-files.ts'
import { groupBy, sumOf } from '../../lib/arrays.ts'
import { bytesText, countText, shellText } from '../../lib/text.ts'
import { restoreLake } from '../../run/status/restore-lake.ts'
import { type CompactSummary, compactLake } from '../../run/upkeep/compact.ts'
import { type ExpireSummary, expireLake } from '../../run/upkeep/expire.ts'
import type { FlagsOf } from '../flags/command.ts'
import { parsers, readSettings } from '../settings.ts'
import { createLogger, eventListener } from '../terminal/run-events.ts'
import { textTable } from '../terminal/tables.ts'
import { printResult, untilSignal } from '../terminal/terminal.ts'
import type { backupCommand, compactCommand, expireCommand, restoreCommand } from './lake.ts'

/** `chainlake compact`: resolves to the exit code. After a signal finished merges stay, and nothing else is left behind. */
export async function compactInto(flags: FlagsOf<typeof compactCommand>): Promise<number> {
  const { lake, logLevel } = await readSettings(flags)
  const logger = createLogger(logLevel)
  return untilSignal(
    async ({ signal }) => {
      const summary = await compactLake(lake, { stop: signal, emit: eventListener(logger) })
      await printResult(flags, { lake: lake.folder, ...summary }, compactText(lake.folder, summary))
    },
    (name) => logger.warn(`${name}: stopping; finished merges stay. A second signal ends the command at once`),
  )
}

/** What was merged, for people. */
function compactText(lake: string, { tables, snapshotId, stopped }: CompactSummary): string {
  const lines: string[] = []
  if (tables.length === 0) lines.push(stopped ? 'Stopped before anything was merged.' : 'Nothing to merge.')
  else
    lines.push(
      textTable(
        ['table', '>files', '>now', '>bytes', '>now', '>rows'],
        tables.map(({ name, filesBefore, filesAfter, bytesBefore, bytesAfter, rows }) => [
          name,
          filesBefore,
          filesAfter,
          bytesBefore,
          bytesText(bytesAfter),
          rows,
        ]),
      ),
      'Earlier snapshots still need the replaced files: they stay until chainlake expire removes them.',
    )
  if (stopped && tables.length > 0) lines.push('Stopped by a signal; run chainlake compact again to merge the rest.')
  if (snapshotId !== null && tables.length > 0) lines.push(`The views show snapshot ${snapshotId} of ${lake}.`)
  return lines.join('\n')
}

/** `chainlake expire`: resolves to the exit code. */
export async function expireInto(flags: FlagsOf<typeof expireCommand>): Promise<number> {
  const { lake, logLevel } = await readSettings(flags)
  const age = flags['older-than'] ?? '30d'
  const olderThanMs = parsers.age('--older-than', age)
  const logger = createLogger(logLevel)
  return untilSignal(async ({ signal }) => {
    const summary = await expireLake(lake, { olderThanMs, stop: signal, emit: eventListener(logger) })
    await printResult(flags, { lake: lake.folder, ...summary }, expireText(summary, age))
  })
}

/** Expired snapshots and removed files, for people. */
function expireText({ forgotten, removed, waiting, stopped }: ExpireSummary, age: string): string {
  const lines: string[] = []
  if (forgotten !== null) {
    const { snapshots, files, bytes, oldest } = forgotten
    const limit = /\d$/.test(age) ? `${age}d` : age
    lines.push(
      snapshots === 0
        ? `No snapshot is older than ${limit} (--older-than); the oldest is snapshot ${oldest}.`
        : `Expired ${countText(snapshots)} snapshots; the oldest is ${oldest} now. ${countText(files)} files (${bytesText(bytes)}) are in no snapshot any more.`,
    )
  }
  if (removed > 0) lines.push(`Removed ${countText(removed)} files that were unpublished for more than 24 hours.`)
  if (waiting > 0)
    lines.push(
      `${countText(waiting)} files can be removed 24 hours after they were last published; run chainlake expire again then.`,
    )
  if (stopped) lines.push('Stopped by a signal; run chainlake expire again for the rest.')
  return lines.join('\n')
}

/** `chainlake backup`: resolves to the exit code. */
export async function backUpTo(flags: FlagsOf<typeof backupCommand>, [dir = '']: readonly string[]): Promise<number> {
  const { lake } = await readSettings(flags)
  const backup = await backUpLake({ lake, dir })
  const facts = { folder: backup.folder, ...backup.facts, replaced: backup.replaced }
  await printResult(flags, facts, backupText(backup))
  return 0
}

/** The contents of a backup and the data files that it needs, for people. */
function backupText({ folder, facts, replaced, data }: Awaited<ReturnType<typeof backUpLake>>): string {
  const { snapshotId, runId, lake, catalog, files, bytes } = facts
  const lines = [
    `Backed up the catalog of ${lake} at snapshot ${snapshotId}${runId === null ? '' : ` (run ${runId})`} to ${folder}`,
    `  ${catalog.file}, ${bytesText(catalog.bytes)}`,
  ]
  if (replaced !== null) lines.push(`  replaces the backup of ${replaced.takenAt}, snapshot ${replaced.snapshotId}`)
  if (files > 0)
    lines.push(
      `The backup needs ${countText(files)} data files of ${bytesText(bytes)} under ${data}. They never change and are not copied: do not remove them.`,
      data.startsWith('s3://')
        ? 'To back them up as well, copy this location after the backup, for example with aws s3 sync.'
        : 'To back them up as well, copy the folder data/ after the backup.',
    )
  return lines.join('\n')
}

/** `chainlake restore`: resolves to the exit code. */
export async function restoreFrom(
  flags: FlagsOf<typeof restoreCommand>,
  [source = '']: readonly string[],
): Promise<number> {
  const { lake } = await readSettings(flags)
  const losses = flags['with-losses'] === true ? 'accepted' : 'refused'
  const restored = await restoreLake({ lake, source, losses })
  await printResult(flags, { lake: lake.folder, ...restoredFacts(restored) }, restoredText(lake.folder, restored))
  return 0
}

type Restored = Awaited<ReturnType<typeof restoreLake>>

/** The restored snapshot, the rows that are newer, and where the other files are, for people. */
function restoredText(lake: string, restored: Restored): string {
  const { source, contents, before, kept, lost, unnamed, facts } = restored
  const { snapshotId, runId } = contents.snapshot
  const taken = facts === null ? '' : `, backed up ${facts.takenAt}`
  const lines = [
    `Restored ${lake} to snapshot ${snapshotId}${runId === null ? '' : ` (run ${runId})`}${taken}`,
    `  from ${source}`,
    ...kept.map((file) => `  kept the previous catalog: ${file}`),
  ]
  const newer = newerThan(restored)
  if (before !== null && newer.tables.length > 0)
    lines.push(
      `Not in the backup, since it is older (snapshot ${snapshotId}; the previous catalog was at snapshot ${before.snapshot.snapshotId}):`,
      textTable(
        ['  table', '>rows', '>files', '>bytes'],
        newer.tables.map(({ table, rows, files, bytes }) => [`  ${table}`, rows, files, bytes]),
      ),
    )
  if (lost.length > 0)
    lines.push(
      `The catalog is restored, but ${lostText(lost)}: ${firstLost(lost)}`,
      `The views are as they were. To write them and to fetch the rows again: chainlake repair --lake ${shellText(lake)}, and then the run. Rows that no run can fetch again, such as observations, need --accept-loss.`,
    )
  if (unnamed.length > 0)
    lines.push(
      `${countText(unnamed.length)} files (${bytesText(newer.unnamedBytes)}) under ${lake}/data belong to no table now, such as ${unnamed[0]?.path}.`,
      'They stay on disk, and chainlake verify counts them while the previous catalog is kept. The next run fetches their rows again, unless other files hold them.',
    )
  const [first] = kept
  if (before !== null && first !== undefined)
    lines.push(`To undo this: chainlake restore ${shellText(first)} --lake ${shellText(lake)}`)
  return lines.join('\n')
}

/** The same facts for machines. */
function restoredFacts(restored: Restored) {
  const { source, facts, contents, before, kept, lost, unnamed } = restored
  const newer = newerThan(restored)
  return {
    source,
    takenAt: facts?.takenAt ?? null,
    ...contents.snapshot,
    before: before?.snapshot ?? null,
    kept,
    newer: newer.tables,
    lost: lost.map(({ table, path }) => ({ table, path })),
    unnamed: { files: unnamed.length, bytes: newer.unnamedBytes, first: unnamed[0]?.path ?? null },
  }
}

/** Rows and files of the previous catalog that are not in the restored one. */
export function newerThan({ contents, before, unnamed }: Restored) {
  const named = new Set(contents.files.map(({ path }) => path))
  const added = before?.files.filter(({ path }) => !named.has(path)) ?? []
  // Files that were merged after the backup hold rows that the backup has in the original files.
  const present = new Set(before?.files.map(({ path }) => path))
  const merged = contents.files.filter(({ path }) => !present.has(path))
  const inBackup = groupBy(merged, ({ table }) => table)
  const tables = [...groupBy(added, ({ table }) => table)].map(([table, files]) => ({
    table,
    rows: sumOf(files, 'rows') - sumOf(inBackup.get(table) ?? [], 'rows'),
    files: files.length,
    bytes: sumOf(files, 'bytes'),
  }))
  return { tables: tables.filter(({ rows }) => rows > 0), unnamedBytes: sumOf(unnamed, 'bytes') }
}
