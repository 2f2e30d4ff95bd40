import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The file next to the catalog with the result of the last `chainlake verify`. */
const fileName = 'last-verify.json'

export type LastVerify = {
  readonly schema: 'chainlake.last-verify.v1'
  /** ISO 8601 time in UTC. */
  readonly endedAt: string
  readonly snapshot: number | null
  /** Whether it checked only sizes, metadata and statistics. */
  readonly fast: boolean
  readonly findings: number
}

/** The file that records a verification of the whole lake. */
export function lastVerifyPath(lakeDir: string): string {
  return join(lakeDir, fileName)
}

/** The last verification of the whole lake; null when none is recorded in the format of this version. */
export async function readLastVerify(lakeDir: string): Promise<LastVerify | null> {
  try {
    const found: LastVerify = JSON.parse(await readFile(lastVerifyPath(lakeDir), 'utf8'))
    return found.schema === 'chainlake.last-verify.v1' ? found : null
  } catch {
    return null
  }
}
