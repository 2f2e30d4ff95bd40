import type { Backup } from '../../../catalog/backup/backup.ts'
import type { Restored } from '../../../catalog/backup/restore.ts'
import { firstLost, lostText } from '../../../catalog/files/lost-files.ts'
import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { textTable } from '../../terminal/text-table.ts'

/** The contents of a backup and the data files that it needs, for people. */
export function backupText({ folder, facts, replaced, data }: Backup): string {
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

/** The restored snapshot, the rows that are newer, and where the other files are, for people. */
export function restoredText(lake: string, restored: Restored): string {
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
        newer.tables.map(({ table, rows, files, bytes }) => [
          `  ${table}`,
          countText(rows),
          countText(files),
          bytesText(bytes),
        ]),
      ),
    )
  if (lost.length > 0)
    lines.push(
      `The catalog is restored, but ${lostText(lost)}: ${firstLost(lost)}`,
      `The views are as they were. To write them and to fetch the rows again: chainlake repair --lake ${lake}, and then the run. Rows that no run can fetch again, such as observations, need --accept-loss.`,
    )
  if (unnamed.length > 0)
    lines.push(
      `${countText(unnamed.length)} files (${bytesText(newer.unnamedBytes)}) under ${lake}/data belong to no table now, such as ${unnamed[0]?.path}.`,
      'They stay on disk, and chainlake verify counts them while the previous catalog is kept. The next run fetches their rows again, unless other files hold them.',
    )
  const [first] = kept
  if (before !== null && first !== undefined) lines.push(`To undo this: chainlake restore ${first} --lake ${lake}`)
  return lines.join('\n')
}

/** The same facts for machines. */
export function restoredFacts(restored: Restored) {
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

type NewerTable = {
  readonly table: string
  readonly rows: number
  readonly files: number
  readonly bytes: number
}

/** Rows and files of the previous catalog that are not in the restored one. */
export function newerThan({ contents, before, unnamed }: Restored) {
  const named = new Set(contents.files.map(({ path }) => path))
  const tables = new Map<string, NewerTable>()
  for (const { table, path, rows, bytes } of before?.files ?? []) {
    if (named.has(path)) continue
    const sum = tables.get(table) ?? { table, rows: 0, files: 0, bytes: 0 }
    tables.set(table, { table, rows: sum.rows + rows, files: sum.files + 1, bytes: sum.bytes + bytes })
  }
  // Files that were merged after the backup hold rows that the backup has in the original files.
  const present = new Set(before?.files.map(({ path }) => path))
  for (const { table, path, rows } of contents.files) {
    const sum = tables.get(table)
    if (sum !== undefined && !present.has(path)) tables.set(table, { ...sum, rows: sum.rows - rows })
  }
  return {
    tables: [...tables.values()].filter(({ rows }) => rows > 0),
    unnamedBytes: unnamed.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
