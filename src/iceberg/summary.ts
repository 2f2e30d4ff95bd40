import type { LakeSnapshot } from '../model.ts'
import { type IcebergSnapshot, summaryKeys } from './metadata.ts'
import type { Counted } from './next-manifests.ts'

/** The summary of a snapshot: its changes, under Iceberg's names, and the lake, catalog snapshot and files that it shows. */
export function snapshotSummary(
  { added, removed, total }: { readonly added: Counted; readonly removed: Counted; readonly total: Counted },
  { lakeId, snapshotId, runId }: LakeSnapshot,
  files: string,
): IcebergSnapshot['summary'] {
  return {
    operation: removed.files === 0 ? 'append' : added.files === 0 ? 'delete' : 'overwrite',
    ...numbers(
      { 'added-data-files': added.files, 'added-records': added.rows, 'added-files-size': added.bytes },
      added,
    ),
    ...numbers(
      { 'deleted-data-files': removed.files, 'deleted-records': removed.rows, 'removed-files-size': removed.bytes },
      removed,
    ),
    'total-data-files': String(total.files),
    'total-records': String(total.rows),
    'total-files-size': String(total.bytes),
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
    [summaryKeys.lake]: lakeId,
    [summaryKeys.snapshot]: String(snapshotId),
    ...(runId === null ? {} : { [summaryKeys.run]: runId }),
    [summaryKeys.files]: files,
  }
}

function numbers(all: Readonly<Record<string, number>>, { files }: Counted): Record<string, string> {
  return files === 0 ? {} : Object.fromEntries(Object.entries(all).map(([key, value]) => [key, String(value)]))
}
