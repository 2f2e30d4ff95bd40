import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const prefix = 'chainlake-tests-'

/**
 * Redirects all temporary files of tests and their processes to one folder per test run, which is removed at the end,
 * also after killed processes. Generated networks are kept for the next run.
 */
export function setup(): () => void {
  // Each project of a test run calls this again.
  if (basename(tmpdir()).startsWith(prefix)) return () => undefined
  const networks = join(tmpdir(), 'chainlake-devnet')
  const folder = mkdtempSync(join(tmpdir(), prefix))
  // Tests with another user access the folder.
  chmodSync(folder, 0o755)
  mkdirSync(networks, { recursive: true })
  symlinkSync(networks, join(folder, 'chainlake-devnet'))
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
