import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const prefix = 'chainlake-tests-'

/**
 * All that tests and the processes that they start write to the folder for temporary files goes to one of this run, which is
 * gone when the run is done, also what a killed process left. Generated networks stay where the next run finds them.
 */
export function setup(): () => void {
  // Each project of a run sets up anew.
  if (basename(tmpdir()).startsWith(prefix)) return () => undefined
  const networks = join(tmpdir(), 'chainlake-devnet')
  const folder = mkdtempSync(join(tmpdir(), prefix))
  // Tests of what another user may do go through it.
  chmodSync(folder, 0o755)
  mkdirSync(networks, { recursive: true })
  symlinkSync(networks, join(folder, 'chainlake-devnet'))
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
