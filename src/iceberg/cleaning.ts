import type { Avro } from './avro.ts'
import type { ManifestFile } from './manifest.ts'
import {
  keepOnly,
  metadataName,
  nameOf,
  readNamed,
  readVersion,
  type TableFolder,
  versions,
  writtenAt,
} from './table-folder.ts'

/**
 * Milliseconds for which files stay after a newer version has replaced theirs. Readers may hold the older version and read the files that
 * it names.
 */
const graceMs = 24 * 3_600_000
/** Fewest old versions for which the cleaning is worthwhile. Finding the named files takes longer than these few files cost. */
const worthwhile = 10

/** The versions, of those up to `last`, with metadata that stay: those that readers could see within the last 24 hours. */
export async function keptVersions(folder: TableFolder, last: number, nowMs: number): Promise<Set<number>> {
  const known = (await versions(folder)).filter((version) => version <= last).sort((a, b) => a - b)
  const kept = new Set<number>()
  for (const [position, version] of known.entries()) {
    const next = known[position + 1]
    if (next === undefined || (await writtenAt(folder, next)) > nowMs - graceMs) kept.add(version)
  }
  return kept
}

/** Removes the files that no remaining metadata name. `wasLeft`: an earlier publication died here. Returns the number of removed files. */
export async function removeUnnamed(
  folder: TableFolder,
  avro: Avro,
  { version, nowMs, wasLeft }: { readonly version: number; readonly nowMs: number; readonly wasLeft: boolean },
): Promise<number> {
  const kept = await keptVersions(folder, version, nowMs)
  const old = (await versions(folder)).length - kept.size
  if (!wasLeft && old < worthwhile) return 0
  const named = new Set([...kept].map(metadataName))
  const lists = new Set<string>()
  for (const each of kept)
    for (const snapshot of (await readVersion(folder, each)).snapshots) lists.add(nameOf(snapshot['manifest-list']))
  for (const list of lists) {
    named.add(list)
    for (const manifest of await avro.read(await readNamed(folder, list)))
      named.add(nameOf((manifest as ManifestFile).manifest_path))
  }
  return keepOnly(folder, named)
}
