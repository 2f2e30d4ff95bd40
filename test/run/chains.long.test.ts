import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pipelines } from '../../pipelines/index.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import { xVerticesPipeline } from '../../pipelines/x-vertices.ts'
import { ConfigError, HttpError, OtherSourceError } from '../../src/errors.ts'
import type { Job } from '../../src/run/job.ts'
import { contextOf } from '../decode/recordings.ts'
import { startServer } from '../fetch/local-server.ts'
import { recordedLines, recordingFolder } from '../recorded.ts'
import { createChain, txAnswer } from '../sources/created-chain.ts'
import { type Exported, exportLake, warnings } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { newLake, query } from './lake-run.ts'

type Requested = { replay: string; lake: string; jobs: readonly Job[]; networkId?: number }

/** Each recording is read once. */
const nodes = new Map<string, Promise<Devnet>>()
afterAll(async () => {
  for (const node of nodes.values()) await (await node).close()
})

function nodeOf(replay: string): Promise<Devnet> {
  const node = nodes.get(replay) ?? startDevnet({ replay })
  nodes.set(replay, node)
  return node
}

async function exported({ replay, lake, jobs, networkId = 12345 }: Requested): Promise<Exported> {
  return exportLake({ node: await nodeOf(replay), lake, jobs, networkId })
}

function notices({ events }: Exported): string[] {
  return events.flatMap((event) => (event.kind === 'notice' ? [event.message] : []))
}

async function failureOf(requested: Requested): Promise<unknown> {
  return exported(requested).then(
    () => expect.fail('the run did not fail'),
    (error: unknown) => error,
  )
}

const granite = recordingFolder('granite')
const legacy = recordingFolder('legacy')

describe('all chains of a node', () => {
  test('are exported in one run; an empty legacy index is not a failure and is reported as a notice', async () => {
    const lake = newLake()
    const first = await exported({
      replay: granite,
      lake,
      jobs: pipelines.filter(({ parameters }) => 'raw' in parameters).map((pipeline) => jobOf(pipeline, { to: 301 })),
    })
    expect(notices(first)).toEqual([
      expect.stringMatching(/^The index X\/tx of the node is empty.* started after Cortina/),
      expect.stringMatching(/^The index X\/vtx of the node is empty.* started after Cortina/),
      'There is no block 300 to read yet.',
    ])
    const counts =
      'select (select count(*) from p_blocks) p, (select count(*) from x_blocks) x, (select count(*) from c_blocks) c'
    expect(await query(lake, counts)).toEqual([{ p: '300', x: '300', c: '234' }])

    // A later run fetches the senders of the committed transactions.
    const senders = 'select count(*) n, count(from_address) senders from c_transactions_with_senders'
    expect(await query(lake, senders)).toEqual([{ n: '806', senders: '0' }])
    const { summary } = await exported({
      replay: granite,
      lake,
      jobs: [jobOf(cBlocksPipeline, { senders: true })],
    })
    expect(summary.jobs[0]!.tables.filter(({ rows }) => rows > 0).map(({ name }) => name)).toEqual(['c_senders'])
    expect(await query(lake, senders)).toEqual([{ n: '806', senders: '806' }])
  })

  test('are identified by id: the id of the X-Chain selects it, and the id of another kind of chain is refused', async () => {
    const lake = newLake()
    const chain = contextOf('granite', 'X').blockchainId
    const { summary } = await exported({ replay: granite, lake, jobs: [jobOf(xBlocksPipeline, { to: 10, chain })] })
    expect(summary.jobs[0]!.stream).toBe('X/block')
    for (const job of [
      jobOf(xBlocksPipeline, { chain: contextOf('granite', 'C').blockchainId }),
      jobOf(pBlocksPipeline, { chain }),
      jobOf(cBlocksPipeline, { chain: 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq' }),
    ])
      expect(await failureOf({ replay: granite, lake: newLake(), jobs: [job] })).toBeInstanceOf(ConfigError)
    const other = jobOf(xBlocksPipeline, { chain: 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq' })
    const missing = await failureOf({ replay: granite, lake: newLake(), jobs: [other] })
    expect(missing).toMatchObject({
      name: 'ConfigError',
      code: 'config.chain-fxs',
      message: expect.stringContaining('jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq'),
    })
  })
})

describe("another chain that runs the X-Chain's virtual machine", () => {
  test('is exported under its blockchain id', async () => {
    // In the order of the X-Chain, so that its blocks have the same types.
    const { id: chain, bytes } = createChain(['secp256k1fx', 'nftfx', 'propertyfx'])
    const node = await nodeOf(granite)
    // The node also serves the blocks of its X-Chain under the id of another chain.
    const door = await startServer(async ({ method, path, body }) => {
      const call = body === '' ? null : JSON.parse(body)
      if (call?.method === 'platform.getTx' && call.params.txID === chain)
        return { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, result: txAnswer(bytes) }) }
      const init = method === 'POST' ? { method, body, headers: { 'content-type': 'application/json' } } : {}
      const answer = await fetch(node.url + path.replace(chain, 'X'), init)
      return { status: answer.status, body: await answer.text() }
    })
    const lake = newLake()
    const jobs = [jobOf(xBlocksPipeline, { raw: true, chain, to: 201 }), jobOf(xBlocksPipeline, { raw: true, to: 101 })]
    const { summary, events } = await exportLake({ node: door, lake, jobs })
    await door.close()
    expect(summary.jobs.map(({ stream }) => stream)).toEqual([`${chain}/block`, 'X/block'])
    expect(
      warnings(events).filter((message) => message.includes(`The fee asset of chain ${chain} is unknown`)).length,
    ).toBe(1)
    const own = contextOf('granite', 'X').blockchainId
    expect(await query(lake, 'select blockchain_id, count(*) n from x_blocks group by all order by n desc')).toEqual([
      { blockchain_id: chain, n: '200' },
      { blockchain_id: own, n: '100' },
    ])
    expect(await query(lake, 'select chain, count(*) n from containers group by all order by n')).toEqual([
      { chain: 'X', n: '100' },
      { chain, n: '200' },
    ])
    const burned = 'select count(*) n from x_transactions where (burned is null) <> (blockchain_id = $1)'
    expect(await query(lake, burned.replace('$1', `'${chain}'`))).toEqual([{ n: '0' }])
  })
})

describe('a node from before the linear X-Chain', () => {
  test('has no X blocks, but its vertices and transactions are exported without a failure', async () => {
    const lake = newLake()
    const jobs = [xBlocksPipeline, xTransactionsPipeline, xVerticesPipeline].map((pipeline) => jobOf(pipeline))
    const said = notices(await exported({ replay: legacy, lake, jobs }))
    expect(said.toSorted()).toEqual([
      expect.stringMatching(/does not report its id/),
      expect.stringMatching(/has the index X\/tx but no X\/block/),
    ])
    const sql = `select count(*) n, count(block_time) timed, count(accepted_at) accepted, any_value(timestamp_source) told
      from x_transactions`
    expect(await query(lake, sql)).toEqual([{ n: '445', timed: '0', accepted: '445', told: 'accepted' }])
    expect(await query(lake, 'select count(*) n from x_vertices')).toEqual([{ n: '97' }])
  })

  test('fails the run when it has no index of the X-Chain', async () => {
    const lake = newLake()
    const ofP = join(lake, '..', 'only-p')
    mkdirSync(ofP)
    copyFileSync(join(granite, 'p-containers.jsonl.br'), join(ofP, 'p-containers.jsonl.br'))
    expect(await failureOf({ replay: ofP, lake, jobs: [jobOf(xBlocksPipeline)] })).toBeInstanceOf(HttpError)
  })

  test('cannot continue the lake of a node with another transaction order', async () => {
    const lake = newLake()
    const job = jobOf(xTransactionsPipeline)
    await exported({ replay: legacy, lake, jobs: [jobOf(xTransactionsPipeline, { to: 300 })] })
    // Another node swaps the last committed transaction and the next one.
    const other = join(lake, '..', 'another-order')
    const lines = recordedLines('legacy/x-transactions').map((line) => JSON.parse(line))
    const [before, after] = [lines[299], lines[300]]
    lines[299] = { ...after, index: '299' }
    lines[300] = { ...before, index: '300' }
    mkdirSync(other)
    writeFileSync(join(other, 'heads.json'), '{}')
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    writeFileSync(join(other, 'x-transactions.jsonl.gz'), gzipSync(text))
    const failure = await failureOf({ replay: other, lake, jobs: [job] })
    expect(failure).toBeInstanceOf(OtherSourceError)
    expect((failure as OtherSourceError).hint).toMatch(/Each node has its own order of .*X\/tx/)
    await exported({ replay: legacy, lake, jobs: [job] })
    const sql = 'select count(*) n, count(distinct tx_id) ids from x_transactions'
    expect(await query(lake, sql)).toEqual([{ n: '445', ids: '445' }])
  })

  test('orders its transactions itself, so another node is refused before it is read, and an unknown one is reported', async () => {
    const { url } = await nodeOf(legacy)
    /** The same node under another id; null: it does not report one. */
    const nodeWith = (nodeID: string | null) =>
      startServer(async ({ method, path, body }) => {
        const call = body === '' ? null : JSON.parse(body)
        if (call?.method === 'info.getNodeID') {
          const { id } = call
          const error = { code: -32601, message: 'the method is not available' }
          return {
            body: JSON.stringify({ jsonrpc: '2.0', id, ...(nodeID === null ? { error } : { result: { nodeID } }) }),
          }
        }
        const init = method === 'POST' ? { method, body, headers: { 'content-type': 'application/json' } } : {}
        const answer = await fetch(url + path, init)
        return { status: answer.status, body: await answer.text() }
      })
    const lake = newLake()
    const ask = (to: number) => ({ lake, networkId: 12345, jobs: [jobOf(xTransactionsPipeline, { to })] })
    const [one, other, silent] = await Promise.all(
      ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', 'NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ', null].map(nodeWith),
    )
    try {
      await exportLake({ node: one!, ...ask(200) })
      await expect(exportLake({ node: other!, ...ask(300) })).rejects.toMatchObject({
        code: 'catalog.other-source',
        details: { 'this node': 'NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ' },
      })
      expect(other!.received.filter(({ path }) => path.includes('/ext/index'))).toEqual([])
      const through = await exportLake({ node: silent!, ...ask(300) })
      expect(notices(through)).toEqual([expect.stringContaining('does not report its id')])
      await exportLake({ node: one!, ...ask(445) })
    } finally {
      await Promise.all([one, other, silent].map((node) => node!.close()))
    }
    expect(await query(lake, 'select count(distinct tx_id) n from x_transactions')).toEqual([{ n: '445' }])
  })
})
