import { replaceFile } from '../../../lib/files/replace-file.ts'
import { type LastVerify, lastVerifyPath } from '../../../report/data/last-verify.ts'

/** Leaves beside the catalog what a verification of the whole lake found, for its page. A lake that cannot be written is verified all the same. */
export async function recordVerify(
  lakeDir: string,
  found: Pick<LastVerify, 'snapshot' | 'fast' | 'findings'>,
): Promise<void> {
  const record: LastVerify = { schema: 'chainlake.last-verify.v1', endedAt: new Date().toISOString(), ...found }
  await replaceFile(lastVerifyPath(lakeDir), `${JSON.stringify(record)}\n`).catch((error: Error) => {
    process.stderr.write(`warning: the verification was not recorded in the lake: ${error.message}\n`)
  })
}
