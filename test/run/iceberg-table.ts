import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { avroMetadata, avroRead } from 'icebird'
import type { IcebergSnapshot, TableMetadata } from '../../src/iceberg/table.ts'
import { publishTables } from '../../src/run/publish/publication.ts'
import { icebergTarget } from '../../src/run/publish/publish-iceberg.ts'

export const start = Date.parse('2026-11-22T12:00:00Z')

/** Publishes without output, at the time `start`. */
export function publish(
  lake: string,
  more: Parameters<typeof icebergTarget>[1] & { readonly stop?: AbortSignal } = {},
) {
  const { stop = new AbortController().signal, ...options } = more
  const target = icebergTarget({ folder: lake }, { now: () => new Date(start), ...options })
  return publishTables(target, { stop, emit: () => undefined })
}

/** The folder with the metadata of a table. */
export const folderOf = (lake: string, table = 'events') => join(lake, 'iceberg', table, 'metadata')

/** The metadata that a reader of Hadoop tables sees. */
export function metadataOf(lake: string, table = 'events'): TableMetadata {
  const version = readFileSync(join(folderOf(lake, table), 'version-hint.text'), 'utf8')
  return JSON.parse(readFileSync(join(folderOf(lake, table), `v${version}.metadata.json`), 'utf8'))
}

/** Reads Avro with a library other than the one that wrote it. */
async function records(path: string): Promise<Record<string, any>[]> {
  const reader = { view: new DataView(new Uint8Array(readFileSync(path)).buffer), offset: 0 }
  const { metadata, syncMarker } = avroMetadata(reader)
  return avroRead({ reader, metadata, syncMarker })
}

/** The manifest list of a snapshot. */
export async function manifestsOf(
  lake: string,
  snapshot: IcebergSnapshot,
  table = 'events',
): Promise<Record<string, any>[]> {
  return records(join(folderOf(lake, table), basename(snapshot['manifest-list'])))
}

/** The entries of a snapshot, including those of removed files. */
export async function entriesOf(
  lake: string,
  snapshot: IcebergSnapshot,
  table = 'events',
): Promise<Record<string, any>[]> {
  const manifests = await manifestsOf(lake, snapshot, table)
  const read = await Promise.all(
    manifests.map((each) => records(join(folderOf(lake, table), basename(each['manifest_path'])))),
  )
  return read.flat()
}

/** The paths of the files that a snapshot shows. */
export const pathsOf = (entries: readonly Record<string, any>[]) =>
  entries.filter(({ status }) => status !== 2).map(({ data_file }) => data_file.file_path)
