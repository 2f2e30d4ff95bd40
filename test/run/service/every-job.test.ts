import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../../src/devnet/serve.ts'
import { packageRoot } from '../../../src/lib/package-root.ts'
import { command, newLake } from '../lake-run.ts'
import { expectWhole, readSummary } from './summary.ts'

const config = join(packageRoot(), 'examples/devnet.yaml')

/** Runs every job of the example on a network, as its readers would. */
async function runAll(node: Devnet, lake: string): Promise<void> {
  const args = ['run', '--all', '--config', config, '--lake', lake, '--log-level', 'error']
  const { code, stderr } = await command(args, { DEVNET_URL: node.url })
  expect(code, stderr).toBe(0)
}

describe('every job of examples/devnet.yaml', () => {
  let node: Devnet
  const lake = newLake()
  beforeAll(async () => {
    node = await startDevnet({ seed: 5, blocks: 400, slowMs: 20 })
  })
  afterAll(() => node.close())

  test('fills every table with what is true of the network, in one run as in two', async () => {
    await runAll(node, lake)
    const summary = await readSummary(node.url)
    const empty = Object.entries(summary.rows).filter(([, rows]) => rows === 0)
    expect(empty.map(([name]) => name).filter((name) => !/^(x_vertices|rest_x_vertices)$/.test(name))).toEqual([])
    await expectWhole(lake, summary)
    await runAll(node, lake)
    await expectWhole(lake, summary)
  }, 300_000)

  test('goes on when the network has grown', async () => {
    await node.grow(150)
    await runAll(node, lake)
    await expectWhole(lake, await readSummary(node.url))
  }, 300_000)

  test('is whole where requests fail and tokens die', async () => {
    const faulty = newLake()
    node.setFaults({
      every: 9,
      kinds: [...transientFaults, 'expired-token', 'restarted-token', 'short-page', 'empty-page', 'shifting-list'],
    })
    await runAll(node, faulty)
    node.setFaults(null)
    await expectWhole(faulty, await readSummary(node.url))
  }, 300_000)
})

test('a network whose X chain is older than Cortina has vertices', async () => {
  const node = await startDevnet({ seed: 6, blocks: 300, legacy: true })
  const lake = newLake()
  await runAll(node, lake)
  const summary = await readSummary(node.url)
  await node.close()
  expect(summary.rows['rest_x_vertices']).toBeGreaterThan(10)
  await expectWhole(lake, summary)
}, 300_000)
