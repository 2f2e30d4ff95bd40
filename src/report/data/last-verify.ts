import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Beside the catalog: what `chainlake verify` found last. */
const fileName = 'last-verify.json'

export type LastVerify = {
  readonly schema: 'chainlake.last-verify.v1'
  /** ISO, UTC. */
  readonly endedAt: string
  readonly snapshot: number | null
  /** Sizes, metadata and statistics only. */
  readonly fast: boolean
  readonly findings: number
}

/** Where a verification of the whole lake is recorded. */
export function lastVerifyPath(lakeDir: string): string {
  return join(lakeDir, fileName)
}

/** The last verification of the whole lake; null when none is recorded, or not as this version does. */
export async function readLastVerify(lakeDir: string): Promise<LastVerify | null> {
  try {
    const found: LastVerify = JSON.parse(await readFile(lastVerifyPath(lakeDir), 'utf8'))
    return found.schema === 'chainlake.last-verify.v1' ? found : null
  } catch {
    return null
  }
}
