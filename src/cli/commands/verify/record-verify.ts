import { replaceFile } from '../../../lib/files/replace-file.ts'
import { type LastVerify, lastVerifyPath } from '../../../report/data/last-verify.ts'

/** Saves the result of a verification of the whole lake next to the catalog, for the report. A failure to save is only a warning. */
export async function recordVerify(
  lakeDir: string,
  found: Pick<LastVerify, 'snapshot' | 'fast' | 'findings'>,
): Promise<void> {
  const record: LastVerify = { schema: 'chainlake.last-verify.v1', endedAt: new Date().toISOString(), ...found }
  await replaceFile(lastVerifyPath(lakeDir), `${JSON.stringify(record)}\n`).catch((error: Error) => {
    process.stderr.write(`warning: the result of the verification could not be saved in the lake: ${error.message}\n`)
  })
}
