import { expect, test } from 'vitest'
import { startDevnet } from '../../src/devnet/serve.ts'
import { exportLake } from './export-lake.ts'
import { command, newLake, wholeLake } from './lake-run.ts'

/**
 * One process after another dies on the same lake, and goes on from what those before it left. Steps of the catalog are
 * tested with the catalog; each step, also on a lake of its own, and every kind of walk, in the long tests.
 */
const unit = 80
const points = ['fetch.after#2', 'write.after-batch#9', 'write.between-fsyncs#9', 'publish.after-views-build']

test('runs that are killed at each step leave the lake of a quiet run', async () => {
  const blocks = unit * (points.length + 1)
  const node = await startDevnet({ seed: 7, blocks })
  const [quiet, lake] = [newLake(), newLake()]
  await exportLake({ node, lake: quiet, unit, raw: true })
  const args = ['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--unit', String(unit), '--raw']
  for (const point of points) {
    const { signal, code, stderr } = await command(args, { CHAINLAKE_DIE_AT: point })
    expect({ point, signal, code }, stderr).toEqual({ point, signal: 'SIGKILL', code: null })
  }
  await exportLake({ node, lake, unit, raw: true })
  expect(await wholeLake(lake)).toEqual(await wholeLake(quiet))
  await node.close()
})
