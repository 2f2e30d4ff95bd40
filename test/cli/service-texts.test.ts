import { describe, expect, test } from 'vitest'
import type { LakeStatus, StreamStatus } from '../../src/catalog/catalog.ts'
import { summaryText } from '../../src/cli/run-summary.ts'
import { planService, servicePlanText } from '../../src/cli/service-plan.ts'
import { rulesOf } from '../../src/cli/service-settings.ts'
import { statusText } from '../../src/cli/status-text.ts'
import { baseProfile } from '../../src/config/profiles.ts'
import { itemsPipeline } from '../config/service-pipeline.ts'

function stream(name: string, more: Partial<StreamStatus> = {}): StreamStatus {
  const tables = [{ table: 'test_items', slices: [], gaps: [], rows: 1_234, bytes: 5_000 }]
  return { network: 'fuji', stream: name, tables, stretches: null, observations: null, lastRun: null, ...more }
}

const list = stream('fuji/items?wallets=0x0001', { stretches: { count: 1, items: 1_240, complete: true } })
const half = stream('fuji/items?wallets=0x0002', { stretches: { count: 2, items: 7, complete: false } })
const observed = stream('fuji/balances/1', {
  observations: { complete: 3, lastCompleted: new Date('2026-11-21T10:00:00Z'), openSince: new Date(0) },
})

function status(...streams: StreamStatus[]): LakeStatus {
  return { snapshotId: 1, streams }
}

describe('plan', () => {
  const job = {
    kind: 'service',
    name: 'mine',
    pipeline: itemsPipeline,
    values: { network: 'fuji', wallets: ['0x0001'] },
  } as const
  const rules = rulesOf(baseProfile('devnet', {}))

  test('names streams, walks, tables and what the lake holds', () => {
    expect(planService(job, rules, status(list, half))).toEqual({
      job: 'mine',
      pipeline: 'items',
      streams: [
        {
          stream: 'fuji/items?wallets=0x0001',
          walk: 'pageChain',
          questions: null,
          tables: ['test_items'],
          known: list,
        },
      ],
      waits: null,
    })
    expect(servicePlanText([planService(job, rules, status(list))])).toMatch(
      /^mine +fuji\/items\?wallets=0x0001 +pageChain +1,234 rows; 1,240 items, to the end of the list$/m,
    )
  })
  test('without a lake nothing is known', () => {
    expect(servicePlanText([planService(job, rules, null)])).toMatch(/pageChain +nothing$/m)
  })
})

describe('status', () => {
  test('of lists and observations', () => {
    const text = statusText(status(list, half, observed))
    expect(text).toContain('1,240 items, to the end of the list')
    expect(text).toContain('7 items, in 2 stretches, not to the end yet')
    expect(text).toContain('3 observations, the last at 2026-11-21T10:00:00Z, one is half read')
  })
  test('many streams of one pipeline are shown together', () => {
    const many = Array.from({ length: 5 }, (_, at) => stream(`fuji/wallets/1?wallet=${at}`))
    const text = statusText(status(...many))
    expect(text).toMatch(/^fuji\/wallets\/1 {2}5 streams$/m)
    expect(text).toMatch(/^ {2}test_items +6,170 +25\.0 kB$/m)
  })
})

describe('summary', () => {
  const result = {
    kind: 'service',
    name: 'mine',
    pipeline: 'items',
    streams: 2,
    pages: 1_042,
    tables: [{ name: 'test_items', rows: 3, bytes: 100, files: 1 }],
    seconds: 61,
    upToDate: false,
  } as const
  const summary = { runId: 'r', network: 'fuji', jobs: [result], stopped: false }

  test('of a job', () => {
    expect(summaryText(summary, '/lake')).toMatch(
      /^mine \(items\): 3 rows from 1,042 pages of 2 streams in 1 min 01 s$/m,
    )
  })
  test('of a job without news', () => {
    const nothing = { ...result, name: 'items', streams: 1, pages: 1, tables: [], upToDate: true }
    expect(summaryText({ ...summary, jobs: [nothing] }, '/lake')).toBe('items: up to date: nothing new in 1 page.')
    const read = { ...nothing, upToDate: false }
    expect(summaryText({ ...summary, jobs: [read] }, '/lake')).toMatch(/^items: nothing new in 1 page\.$/m)
  })
})
