import type { Backup } from '../../../catalog/backup/backup.ts'
import type { Restored } from '../../../catalog/backup/restore.ts'
import { formatBytes, formatCount, textTable } from '../../terminal/format.ts'
import { newerThan } from './newer-files.ts'

/** What a backup holds and what it relies on, for people. */
export function backupText({ folder, facts, replaced, data }: Backup): string {
  const { snapshotId, runId, lake, catalog, files, bytes } = facts
  const lines = [
    `Backed up the catalog of ${lake} at snapshot ${snapshotId}${runId === null ? '' : ` (run ${runId})`} to ${folder}`,
    `  ${catalog.file}, ${formatBytes(catalog.bytes)}`,
  ]
  if (replaced !== null)
    lines.push(`  in the place of the backup of ${replaced.takenAt}, snapshot ${replaced.snapshotId}`)
  if (files > 0)
    lines.push(
      `It relies on ${formatCount(files)} data files of ${formatBytes(bytes)} under ${data}. They never change and are not copied: none of them may be removed.`,
      data.startsWith('s3://')
        ? 'To keep them too, copy what is there after the backup, as aws s3 sync does.'
        : 'To keep them too, copy the folder data/ after the backup.',
    )
  return lines.join('\n')
}

/** What was restored, what is newer than that, and where the rest is, for people. */
export function restoredText(lake: string, restored: Restored): string {
  const { source, contents, before, kept, unnamed, facts } = restored
  const { snapshotId, runId } = contents.snapshot
  const taken = facts === null ? '' : `, backed up ${facts.takenAt}`
  const lines = [
    `Restored ${lake} to snapshot ${snapshotId}${runId === null ? '' : ` (run ${runId})`}${taken}`,
    `  from ${source}`,
    ...kept.map((file) => `  kept what was there before: ${file}`),
  ]
  const newer = newerThan(restored)
  if (before !== null && newer.tables.length > 0)
    lines.push(
      `Newer than the backup, which is at snapshot ${snapshotId}, was (up to snapshot ${before.snapshot.snapshotId}):`,
      textTable(
        ['  table', '>rows', '>files', '>bytes'],
        newer.tables.map(({ table, rows, files, bytes }) => [
          `  ${table}`,
          formatCount(rows),
          formatCount(files),
          formatBytes(bytes),
        ]),
      ),
    )
  if (unnamed.length > 0)
    lines.push(
      `${formatCount(unnamed.length)} files of ${formatBytes(newer.unnamedBytes)} under ${lake}/data are in no table now, such as ${unnamed[0]?.path}.`,
      'They stay, and chainlake verify counts them while the catalog of before is kept; what of their rows is in no other file is fetched again.',
    )
  const [first] = kept
  if (before !== null && first !== undefined) lines.push(`To undo this: chainlake restore ${first} --lake ${lake}`)
  return lines.join('\n')
}

/** The same for machines. */
export function restoredFacts(restored: Restored) {
  const { source, facts, contents, before, kept, unnamed } = restored
  const newer = newerThan(restored)
  return {
    source,
    takenAt: facts?.takenAt ?? null,
    ...contents.snapshot,
    before: before?.snapshot ?? null,
    kept,
    newer: newer.tables,
    unnamed: { files: unnamed.length, bytes: newer.unnamedBytes, first: unnamed[0]?.path ?? null },
  }
}
