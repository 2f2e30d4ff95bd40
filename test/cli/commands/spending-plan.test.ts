import { describe, expect, test } from 'vitest'
import { balancesPipeline } from '../../../pipelines/balances.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { signaturesPipeline } from '../../../pipelines/signatures.ts'
import { utxoSetPipeline } from '../../../pipelines/utxo-set.ts'
import { verticesPipeline } from '../../../pipelines/vertices.ts'
import { walletTransfersPipeline } from '../../../pipelines/wallet-transfers.ts'
import type { LakeStatus } from '../../../src/catalog/catalog.ts'
import { budgetText, planSpending, spendingText } from '../../../src/cli/commands/plan-jobs.ts'
import { hostsOfPlan } from '../../../src/cli/service-settings.ts'
import { baseProfile } from '../../../src/config/profiles.ts'
import type { Facts, Pipeline } from '../../../src/define/index.ts'
import { streamId } from '../../../src/model.ts'
import type { LastMeasure } from '../../../src/run/status/lake-status.ts'
import { serviceSettings } from '../../../src/sources/service-profile.ts'
import { streamsOf } from '../../pipelines/streams-of.ts'

const profile = { ...baseProfile('devnet', {}), unitsPerDay: { data: 1000, metrics: null } }
const rules = serviceSettings(profile)
const costs = await hostsOfPlan(profile, { services: {} })

function spendingOf(pipeline: Pipeline, values: Record<string, unknown>, status: LakeStatus | null = null) {
  return planSpending(streamsOf(pipeline, { network: 'local', ...values }, rules), costs, status)
}
const hashes = Array.from({ length: 120 }, (_, n) => `tx-${n}`)
const wallets = ['0x01', '0x02'].map((end) => end.padStart(42, '0x0000000000000000000000000000000000000000'))
const lists = { 'chain-id': '43112', wallets }

describe('the estimated cost of a job', () => {
  test('is at most one request per key, at least one per list, and unknown for growing lists', () => {
    expect(spendingOf(signaturesPipeline, { 'tx-hashes': hashes })).toEqual({
      host: 'data',
      requests: 120,
      bound: 'at most',
      units: 2400,
      unitsPerDay: 1000,
      days: 2.4,
      seconds: null,
    })
    const balances = spendingOf(balancesPipeline, lists)
    expect(balances).toMatchObject({ bound: 'at least', units: 20 * balances!.requests! })
    expect(balances!.requests).toBeGreaterThanOrEqual(4)
    expect(spendingOf(restTransactionsPipeline, { blockchain: 'p-chain' })).toMatchObject({
      requests: null,
      days: null,
    })
  })

  test('is at least one request per wallet that was never read', () => {
    const transfers = spendingOf(walletTransfersPipeline, lists)
    expect(transfers).toMatchObject({ host: 'data', requests: 2, bound: 'at least', units: 40 })
    const byHeight = { blockchain: 'x-chain', 'from-height': 0 }
    expect(spendingOf(verticesPipeline, byHeight)).toMatchObject({ requests: null, units: null })
  })

  test('of an observation follows the size of the last ones', () => {
    const streams = streamsOf(balancesPipeline, { network: 'local', ...lists }, rules).map(({ stream, tables }) => ({
      ...stream,
      stream: streamId(stream),
      tables: Object.values(tables).map(({ name }) => ({
        table: name,
        slices: [],
        gaps: [],
        rows: 30_000,
        bytes: 1,
      })),
      stretches: null,
      observations: { complete: 3, lastCompleted: new Date(0), openSince: null },
      pipeline: null,
      unit: 'records',
      lastRun: null,
      reached: null,
    }))
    const known = spendingOf(balancesPipeline, lists, { snapshotId: 1, streams })
    expect(known!.requests).toBeGreaterThan(2 * spendingOf(balancesPipeline, lists)!.requests!)
  })

  test('at a node counts only requests: one per 1,024 addresses and the pages of the last observation', async () => {
    const identity = {
      network: 'local',
      hrp: 'local',
      chains: [{ alias: 'P', blockchainId: 'p' }],
      nativeAssetId: null,
    }
    const facts = { node: async () => identity } as unknown as Facts
    const known = Array.from({ length: 2_000 }, (_, index) => `local1${index}`)
    const streams = await utxoSetPipeline.streams({ 'known-addresses': known, limit: 100 } as any, facts)
    const status = (rows: number, complete: number): LakeStatus => ({
      snapshotId: 1,
      streams: streams.map(({ stream }) => ({
        ...stream,
        stream: streamId(stream),
        tables: [{ table: 'node_utxos', slices: [], gaps: [], rows, bytes: 1 }],
        stretches: null,
        observations: { complete, lastCompleted: new Date(0), openSince: null },
        pipeline: null,
        unit: 'records',
        lastRun: null,
        reached: null,
      })),
    })
    const nothing = { bound: 'at least', units: null, unitsPerDay: null, days: null, seconds: null }
    expect(planSpending(streams, costs, null)).toEqual({ host: 'node', requests: 2, ...nothing })
    const again = planSpending(streams, costs, status(9_000, 3))!
    expect(again).toEqual({ host: 'node', requests: 30, ...nothing })
    expect(spendingText([{ job: 'p-utxo-set', spending: again }])).toBe(
      'p-utxo-set: at least 30 requests, time unknown: no complete run yet',
    )
    expect(spendingText([{ job: 'p', spending: { ...again, requests: 1 } }])).toBe(
      'p: at least 1 request, time unknown: no complete run yet',
    )
  })

  test('is shown with the number of days and the rest of the daily budget', () => {
    const signatures = spendingOf(signaturesPipeline, { 'tx-hashes': hashes })!
    const unknown = spendingOf(restTransactionsPipeline, { blockchain: 'p-chain' })!
    const text = spendingText([
      { job: 'messages', spending: signatures },
      { job: 'p', spending: unknown },
      { job: 'x', spending: unknown },
    ])
    expect(text).toBe(
      'messages: at most 120 requests, 2,400 units: 3 days of the budget, time unknown: no complete run yet\np, x: requests and time unknown: no complete run yet; only a run finds out',
    )
    const measure = { own: true, requests: 40, records: 0, milliseconds: 8_000, endedAtMs: 0 }
    const costOf = (pipeline: Pipeline, values: Record<string, unknown>, last: LastMeasure) =>
      planSpending(streamsOf(pipeline, { network: 'local', ...values }, rules), costs, null, last)!
    const list = costOf(restTransactionsPipeline, { blockchain: 'p-chain' }, measure)
    expect(list).toMatchObject({ requests: 40, bound: 'about', units: 4000, seconds: 8 })
    expect(spendingText([{ job: 'p', spending: list }])).toBe(
      'p: about 40 requests, 4,000 units: 4 days of the budget, about 8.0 s',
    )
    // The speed of another job of the pipeline applies, but not its number of requests. The number of keys is known.
    const alike = { ...measure, own: false }
    expect(costOf(restTransactionsPipeline, { blockchain: 'p-chain' }, alike).requests).toBe(null)
    expect(costOf(signaturesPipeline, { 'tx-hashes': hashes }, alike)).toMatchObject({ requests: 120, seconds: 24 })
    expect(budgetText('https://data.example', 'none', 1_200_000, 1_234)).toBe(
      'https://data.example grants 1,200,000 units in 24 hours without a key; 1,198,766 are left now.',
    )
    expect(budgetText('https://data.example', 'a1', 10, 12)).toContain('; 0 are left now.')
  })
})
