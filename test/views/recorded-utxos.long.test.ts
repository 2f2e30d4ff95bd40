import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { rewardsUtxosPipeline } from '../../pipelines/rewards-utxos.ts'
import { utxoSetPipeline } from '../../pipelines/utxo-set.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { resolveJob } from '../../src/cli/jobs/jobs.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { isSkipped } from '../../src/run/jobs/run-groups.ts'
import { type RecordedCall, recordedCalls } from '../decode/node/calls.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake, query } from '../run/lake-run.ts'
import { utxoName } from './recorded-calls.ts'

/** Recorded calls that listed UTXOs of the chain itself, without imports. */
function listsOf(recording: string, chain: 'P' | 'X'): RecordedCall[] {
  const method = chain === 'P' ? 'platform.getUTXOs' : 'avm.getUTXOs'
  return recordedCalls(method).filter(
    (call) => call.recording === recording && call.refusal === null && !call.params.sourceChain,
  )
}

const longestOf = (lists: readonly RecordedCall[]): RecordedCall =>
  lists.toSorted((a, b) => b.result.utxos.length - a.result.utxos.length)[0]!

/**
 * A proxy to the recorded node. The recording has UTXOs only for some addresses and limits, so its longest answer is
 * the only page for any address. Rewards that are not in the recording are empty.
 */
function answering(recording: string, node: Devnet): Server {
  const rewards = new Map(
    recordedCalls('platform.getRewardUTXOs')
      .filter((call) => call.recording === recording)
      .map(({ params, result }) => [params.txID, result]),
  )
  const own = (method: string, params: any): object | null => {
    if (method === 'platform.getRewardUTXOs')
      return rewards.get(params.txID) ?? { numFetched: '0', utxos: [], encoding: 'hex' }
    const chain = { 'platform.getUTXOs': 'P', 'avm.getUTXOs': 'X' }[method] as 'P' | 'X' | undefined
    if (chain === undefined) return null
    const { result } = longestOf(listsOf(recording, chain))
    return params.startIndex === undefined ? result : { ...result, numFetched: '0', utxos: [] }
  }
  return createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const text = Buffer.concat(pieces).toString()
    const call = text === '' ? {} : JSON.parse(text)
    const result = own(String(call.method), call.params)
    const headers = { 'content-type': 'application/json' }
    if (result !== null) {
      response.writeHead(200, headers)
      return response.end(JSON.stringify({ jsonrpc: '2.0', result, id: call.id }))
    }
    const forwarded = text === '' ? { headers } : { method: 'POST', headers, body: text }
    const answer = await fetch(`${node.url}${request.url}`, forwarded)
    response.writeHead(answer.status, headers)
    return response.end(await answer.text())
  })
}

describe.each([
  { recording: 'granite', wholeOfP: true },
  { recording: 'helicon', wholeOfP: false },
])('the unspent UTXOs of a real node: $recording', ({ recording, wholeOfP }) => {
  const lake = newLake()
  let node: Devnet
  let server: Server

  beforeAll(async () => {
    node = await startDevnet({ replay: recordingFolder(recording) })
    server = answering(recording, node)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const jobs: readonly (readonly [Pipeline, object])[] = [
      [pBlocksPipeline, {}],
      [xBlocksPipeline, {}],
      [cBlocksPipeline, {}],
      [rewardsUtxosPipeline, {}],
      [utxoSetPipeline, {}],
      [utxoSetPipeline, { chain: 'X' }],
    ]
    for (const [pipeline, given] of jobs) {
      const request = { kind: 'requested', name: pipeline.name, pipeline, given: { ...given } } as const
      const job = await resolveJob(request, { folder: lake })
      if (isSkipped(job)) throw new Error(`${pipeline.name} is skipped`)
      await exportLake({ node: { url }, lake, jobs: [job] })
    }
  })
  afterAll(async () => {
    server.close()
    await node.close()
  })

  const namesIn = async (view: string, condition = 'true') =>
    new Set(
      (await query(lake, `SELECT DISTINCT tx_id || ':' || output_index AS name FROM ${view} WHERE ${condition}`)).map(
        ({ name }) => String(name),
      ),
    )

  test.each([
    ['P', 'p_utxos'],
    ['X', 'x_utxos'],
  ] as const)('on the %s-Chain that the node lists are all in %s', async (chain, view) => {
    const unspent = await namesIn(view)
    const listed = listsOf(recording, chain).flatMap(({ result }) => result.utxos.map(utxoName) as string[])
    expect(listed.length).toBeGreaterThan(500)
    expect(listed.filter((name) => !unspent.has(name))).toEqual([])
  })

  test('of addresses with a complete list equal p_utxos for these addresses', async () => {
    const { params, result } = longestOf(listsOf(recording, 'P'))
    expect(result.utxos.length < 1024).toBe(wholeOfP)
    if (!wholeOfP) return
    const owners = params.addresses.map((address: string) => `'${address.slice(2)}'`)
    const unspent = await namesIn('p_utxos', `list_has_any(addresses, [${owners}])`)
    expect(unspent).toEqual(new Set(result.utxos.map(utxoName)))
  })

  test('include outputs that are in no container, with origin and height', async () => {
    const rows = await query(
      lake,
      `SELECT origin, count(*)::INT AS n, bool_and(height IS NOT NULL) AS placed, bool_and(amount > 0) AS paid
       FROM p_utxo_spans WHERE kind = 'state' GROUP BY ALL ORDER BY 1`,
    )
    const facts = { placed: true, paid: true }
    expect(rows).toEqual(
      recording === 'granite'
        ? [
            { origin: 'refund', n: 1, ...facts },
            { origin: 'reward', n: 8, ...facts },
          ]
        : [{ origin: 'refund', n: 1, ...facts }],
    )
  })

  test('have the balances that the node reports, at the time of its clock', async () => {
    const calls = recordedCalls('platform.getBalance').filter(
      ({ recording: of, refusal, params }) => of === recording && refusal === null && params.addresses.length > 0,
    )
    for (const { params, result } of calls) {
      const owners = params.addresses.map((address: string) => `'${address.slice(2)}'`)
      // The clock of the node runs on after the last block; the locked amounts show the time of the answer.
      const rows = await query(
        lake,
        `WITH owned AS (SELECT * FROM p_utxos WHERE list_has_any(addresses, [${owners}])),
         times AS (
           SELECT (SELECT max(epoch(known_time)) FROM p_block_times) + unnest(range(600)) AS now
         )
         SELECT sum(amount)::VARCHAR AS balance,
           coalesce(sum(amount) FILTER (locktime <= now AND coalesce(stakeable_locktime, 0) <= now), 0)::VARCHAR AS unlocked,
           coalesce(sum(amount) FILTER (locktime <= now AND stakeable_locktime > now), 0)::VARCHAR AS stakeable,
           coalesce(sum(amount) FILTER (locktime > now), 0)::VARCHAR AS locked
         FROM owned, times GROUP BY now ORDER BY now`,
      )
      expect(rows).toContainEqual({
        balance: result.balance,
        unlocked: result.unlocked,
        stakeable: result.lockedStakeable,
        locked: result.lockedNotStakeable,
      })
    }
    expect(calls.length).toBeGreaterThan(0)
  })

  test('have the X-Chain balances that the node reports', async () => {
    const calls = recordedCalls('avm.getAllBalances').filter(
      ({ recording: of, refusal }) => of === recording && refusal === null,
    )
    const [{ native }] = (await query(lake, "SELECT native_asset_id AS native FROM chains WHERE alias = 'X'")) as [any]
    for (const { params, result } of calls) {
      const rows = await query(
        lake,
        `SELECT asset_id, least(sum(amount), 18446744073709551615)::VARCHAR AS balance FROM x_utxos
         WHERE output_type = 'transfer' AND addresses = ['${params.address.slice(2)}']
           AND locktime <= (SELECT max(epoch(block_time)) FROM x_blocks) GROUP BY ALL`,
      )
      expect(new Map(rows.map(({ asset_id, balance }) => [asset_id, balance]))).toEqual(
        new Map(result.balances.map(({ asset, balance }: any) => [asset === 'AVAX' ? native : asset, balance])),
      )
    }
    expect(calls.length).toBeGreaterThan(0)
  })
})
