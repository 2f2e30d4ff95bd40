import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The lines of a gzipped file of a recording; null when the recording does not have it. */
export function recordedLines(folder: string, file: string): string[] | null {
  const path = join(folder, file)
  if (!existsSync(path)) return null
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}
