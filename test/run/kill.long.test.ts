import { expect, test } from 'vitest'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { startDevnet } from '../../src/devnet/serve.ts'
import { exportLake } from './export-lake.ts'
import { command, newLake, strayFiles, wholeLake } from './lake-run.ts'
import { argumentsOf, runService, settledRows } from './lists/devnet-jobs.ts'

/**
 * One process after another dies at the next step on the same lake, and each resumes the work of the previous ones. The tests of the
 * catalog cover its own steps. The long tests cover each step on a separate lake, and every kind of walk.
 */
const unit = 80
const points = [
  'fetch.before#2',
  'fetch.after#2',
  'write.before-open#9',
  'write.after-open#9',
  'write.after-batch#9',
  'write.before-fsync#9',
  'write.between-fsyncs#9',
  'write.after-fsync#9',
  'publish.before',
  'publish.after-views-build',
  'publish.after-views-rename',
  'publish.after-views-text',
]

test('runs that are killed at each step leave the same lake as an undisturbed run', async () => {
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

test('a walk over pages that is killed leaves the same rows as an undisturbed run', async () => {
  const node = await startDevnet({ seed: 9, blocks: 250 })
  const values = { network: 'local', blockchain: 'p-chain', 'unit-pages': 3, 'page-size': 20 }
  const requested = { pipeline: restTransactionsPipeline, values }
  const [quiet, lake] = [newLake(), newLake()]
  await runService(node, quiet, [requested])
  for (const point of ['page.read#2', 'page.read#5']) {
    const { signal } = await command(argumentsOf(requested, node, lake), { CHAINLAKE_DIE_AT: point })
    expect({ point, signal }).toEqual({ point, signal: 'SIGKILL' })
  }
  await runService(node, lake, [requested])
  const tables = Object.values(requested.pipeline.tables)
  expect(await settledRows(lake, tables)).toEqual(await settledRows(quiet, tables))
  expect(await strayFiles(lake)).toEqual([])
  await node.close()
})
