import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake } from '../run/lake-run.ts'
import { mainPath } from './spawn.ts'

/** Runs a command line of a shell in which `chainlake` is the built command. */
function shell(line: string): Promise<{ code: number; stderr: string }> {
  const script = `chainlake() { '${process.execPath}' '${mainPath}' "$@"; }; ${line}`
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', script], (error, _, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stderr })
    })
  })
}

test('answers on a full device end with one sentence and the exit code of a storage error', async () => {
  const node = await startDevnet({ blocks: 50 })
  const lake = newLake()
  await exportLake({ node, lake, to: 20 }).finally(node.close)
  const rows = `chainlake sql --lake '${lake}' 'select * from range(200000)'`
  for (const line of [
    `${rows} > /dev/full`,
    `${rows} -o /dev/full --format csv`,
    `chainlake status --json --lake '${lake}' > /dev/full`,
  ]) {
    const { code, stderr } = await shell(line)
    expect(stderr, line).toMatch(/^error: [^\n]+\n(.*\n)*hint: [^\n]*free space/)
    expect(stderr, line).not.toMatch(/\n\s+at /)
    expect(code, line).toBe(5)
  }
})
