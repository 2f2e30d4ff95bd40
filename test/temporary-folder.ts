import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * All that tests and the processes that they start write to the folder for temporary files goes to one of this run, which is
 * gone when the run is done, also what a killed process left. Generated networks stay where the next run finds them.
 */
export function setup(): () => void {
  const networks = join(tmpdir(), 'chainlake-devnet')
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-tests-'))
  mkdirSync(networks, { recursive: true })
  symlinkSync(networks, join(folder, 'chainlake-devnet'))
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
