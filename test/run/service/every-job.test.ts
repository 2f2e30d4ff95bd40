import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../../src/devnet/serve.ts'
import { packageRoot } from '../../../src/lib/package-root.ts'
import { command, newLake } from '../lake-run.ts'
import { expectWhole, readSummary, type Summary } from './summary.ts'

const examples = join(packageRoot(), 'examples')
const config = join(examples, 'devnet.yaml')
const folder = mkdtempSync(join(tmpdir(), 'chainlake-jobs-'))
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * The example with an end for the jobs that read by time: the clock of the simulated network stands where its last block is, and
 * what comes after that would be in a time that a run today has read already.
 */
async function configUpToNow(node: Devnet): Promise<string> {
  const asked = { jsonrpc: '2.0', id: 1, method: 'platform.getTimestamp', params: {} }
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${node.url}/ext/bc/P`, { method: 'POST', headers, body: JSON.stringify(asked) })
  const { result } = (await answer.json()) as { result: { timestamp: string } }
  const end = Math.floor(Date.parse(result.timestamp) / 1000) + 1
  const text = readFileSync(config, 'utf8').replace(/^( +)start-timestamp: .*$/gm, `$&\n$1end-timestamp: ${end}`)
  expect(text).toContain('end-timestamp')
  copyFileSync(join(examples, 'devnet-contracts.txt'), join(folder, 'devnet-contracts.txt'))
  writeFileSync(join(folder, 'devnet.yaml'), text)
  return join(folder, 'devnet.yaml')
}

/** Runs every job of the example on a network, as its readers would. */
async function runAll(node: Devnet, lake: string, file = config): Promise<void> {
  const args = ['run', '--all', '--config', file, '--lake', lake, '--log-level', 'error']
  const { code, stderr } = await command(args, { DEVNET_URL: node.url })
  expect(code, stderr).toBe(0)
}

function emptyOf({ rows }: Summary): string[] {
  return Object.keys(rows).filter((name) => rows[name] === 0)
}

describe('every job of examples/devnet.yaml', () => {
  let node: Devnet
  const lake = newLake()
  beforeAll(async () => {
    node = await startDevnet({ seed: 5, blocks: 800 })
  })
  afterAll(() => node.close())

  test('fills every table but those of vertices with what is true of the network', async () => {
    await runAll(node, lake, await configUpToNow(node))
    const summary = await readSummary(node.url)
    expect(emptyOf(summary).filter((name) => !/^(x_vertices|rest_x_vertices)$/.test(name))).toEqual([])
    await expectWhole(lake, summary)
  }, 600_000)

  test('goes on when the network has grown', async () => {
    await node.grow(150)
    await runAll(node, lake)
    await expectWhole(lake, await readSummary(node.url))
  }, 600_000)
})

test('where requests fail, tokens die and the X chain is older than Cortina all tables are whole, also when it is run again', async () => {
  const node = await startDevnet({ seed: 7, blocks: 400, legacy: true, slowMs: 20 })
  const lake = newLake()
  node.setFaults({
    every: 9,
    kinds: [...transientFaults, 'expired-token', 'restarted-token', 'short-page', 'empty-page', 'shifting-list'],
  })
  await runAll(node, lake)
  node.setFaults(null)
  const summary = await readSummary(node.url)
  // A network so young has no messages yet.
  expect(emptyOf(summary)).toEqual(['rest_signed_messages'])
  await expectWhole(lake, summary)
  await runAll(node, lake)
  await expectWhole(lake, summary)
  await node.close()
}, 600_000)
