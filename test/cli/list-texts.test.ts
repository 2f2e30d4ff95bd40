import { describe, expect, test } from 'vitest'
import type { LakeStatus, StreamStatus } from '../../src/catalog/catalog.ts'
import { listPlanText, planList } from '../../src/cli/commands/plan-jobs.ts'
import { statusText } from '../../src/cli/commands/show-status.ts'
import { jobTexts } from '../../src/cli/terminal/run-results.ts'
import { baseProfile } from '../../src/config/profiles.ts'
import { gapsOf, knownText } from '../../src/run/status/lake-status.ts'
import { serviceSettings } from '../../src/sources/service-profile.ts'
import { itemsPipeline } from '../config/service-pipeline.ts'
import { streamOf } from '../lib/stream-of.ts'
import { streamsOf } from '../pipelines/streams-of.ts'
import { streamStatus } from './commands/stream-status.ts'

const items = { table: 'test_items', slices: [], gaps: [], rows: 1_234, bytes: 5_000 }
const stream = (name: string, more: Partial<StreamStatus> = {}) => streamStatus(name, { tables: [items], ...more })

const list = stream('fuji/items?wallets=0x0001', { stretches: { count: 1, items: 1_240, complete: true } })
const half = stream('fuji/items?wallets=0x0002', { stretches: { count: 2, items: 7, complete: false } })
const observed = stream('fuji/balances/1', {
  observations: { complete: 3, lastCompleted: new Date('2026-11-21T10:00:00Z'), openSince: new Date(0) },
})

const slices = [
  { from: 1_761_955_200, to: 1_762_041_600 },
  { from: 1_762_128_000, to: 1_762_171_200 },
]
const timed = stream('fuji/node-blocks/P?nodeId=NodeID-A', {
  unit: 'seconds',
  tables: [{ table: 'rest_node_blocks', slices, gaps: [], rows: 5, bytes: 9 }],
})

function status(...streams: StreamStatus[]): LakeStatus {
  return { snapshotId: 1, streams }
}

describe('the text of plan', () => {
  const job = {
    name: 'mine',
    pipeline: itemsPipeline,
    values: { network: 'fuji', wallets: ['0x0001'] },
  } as const
  const streams = streamsOf(job.pipeline, job.values, serviceSettings(baseProfile('devnet', {})))

  test('names streams, walks, tables and the content of the lake', () => {
    expect(planList(job, streams, status(list, half))).toEqual({
      job: 'mine',
      pipeline: 'items',
      streams: [
        {
          ...streams[0]!.stream,
          stream: 'fuji/items?wallets=0x0001',
          walk: 'pageChain',
          questions: null,
          tables: ['test_items'],
          known: list,
        },
      ],
      waits: null,
    })
    expect(listPlanText([planList(job, streams, status(list))])).toMatch(
      /^mine +fuji\/items\?wallets=0x0001 +pageChain +1,234 rows; 1,240 items, to the end of the list$/m,
    )
  })
  test('has one line for many streams of one pipeline', () => {
    const streams = Array.from({ length: 5 }, (_, at) => ({
      ...streamOf(`fuji/items/7?wallet=${at}`),
      walk: 'snapshot' as const,
      questions: 2,
      tables: [],
      known: at === 0 ? list : null,
    }))
    expect(listPlanText([{ job: 'mine', pipeline: 'items', waits: null, streams }])).toMatch(
      /^mine +fuji\/items\/7 {2}5 streams +snapshot of 10 +1,234 rows; 1,240 items, to the end of the list$/m,
    )
  })
  test('reports nothing known without a lake', () => {
    expect(listPlanText([planList(job, streams, null)])).toMatch(/pageChain +nothing$/m)
  })
})

describe('the text of status', () => {
  test('shows the progress of lists and observations', () => {
    const text = statusText(status(list, half, observed))
    expect(text).toContain('1,240 items, to the end of the list')
    expect(text).toContain('7 items, in 2 stretches, not to the end yet')
    expect(text).toContain('3 observations, the last at 2026-11-21T10:00:00Z, one is half read')
  })
  test('combines many streams of one pipeline', () => {
    const many = Array.from({ length: 5 }, (_, at) => stream(`fuji/wallets/1?wallet=${at}`))
    const text = statusText(status(...many))
    expect(text).toMatch(/^fuji\/wallets\/1 {2}5 streams$/m)
    expect(text).toMatch(/^ {2}test_items +6,170 +25\.0 kB$/m)
    const lists = many.map((one) => ({ ...one, stretches: { count: 1, items: 2, complete: one.stream.endsWith('4') } }))
    expect(statusText(status(...lists))).toContain('  6,170 rows; 10 items, 4 of 5 lists not to the end yet')
  })
  test('excludes rows of the table observations from the row count', () => {
    const tables = [...observed.tables, { table: 'observations', slices: [], gaps: [], rows: 3, bytes: 1 }]
    expect(statusText(status({ ...observed, tables }))).toContain('  1,234 rows; 3 observations, the last')
  })
  test('shows slices of times as times', () => {
    const text = statusText(status(timed))
    expect(text).toMatch(/^ {2}rest_node_blocks +2025-11-01 +2025-11-03T12:00:00Z +1 d 12 h +1 +5 +9 B$/m)
    expect(knownText([timed])).toBe('5 rows; 2025-11-01 to 2025-11-03T12:00:00Z')
  })
  test('shows no gap before the first slice of a service stream', () => {
    const day = 86_400
    const [from, to] = [1_761_955_200 + day, 1_761_955_200 + 2 * day]
    const gap = { stream: timed.stream, table: 'rest_node_blocks', unit: 'seconds', from, to }
    expect(gapsOf(status(timed, list))).toEqual([gap])
  })
})

describe('the summary of a run', () => {
  const result = {
    kind: 'list',
    name: 'mine',
    pipeline: 'items',
    streams: 2,
    pages: 1_042,
    tables: [{ name: 'test_items', rows: 3, bytes: 100, files: 1 }],
    seconds: 61,
    upToDate: false,
    postponed: null,
    interrupted: false,
  } as const
  const ended = { stopped: false, busy: [], unfinished: [], resumeAt: null, reason: null }
  const summary = { runId: 'r', network: 'fuji', jobs: [result], ...ended }

  test('shows the rows, pages and streams of a job', () => {
    expect(jobTexts(summary).join('\n')).toMatch(
      /^mine \(items\): 3 rows from 1,042 pages of 2 streams in 1 min 01 s$/m,
    )
  })
  test.each([
    [1, '400 blocks in'],
    [2, '400 blocks, summed over 2 streams, in'],
  ])('says that the blocks of %i streams are a sum', (streams, expected) => {
    const counts = { record: 'block', head: 500, records: 400, units: 1 }
    const job = { ...result, kind: 'range', stream: 'evm-events/1/a', streams, ...counts } as const
    expect(jobTexts({ ...summary, jobs: [job] }).join('\n')).toMatch(
      new RegExp(`^mine: items \\(fuji, evm-events/1/a\\): ${expected} 1 min 01 s, 7/s, head 500$`, 'm'),
    )
  })
  test('reports a job without new rows', () => {
    const nothing = { ...result, name: 'items', streams: 1, pages: 1, tables: [], upToDate: true }
    expect(jobTexts({ ...summary, jobs: [nothing] }).join('\n')).toBe('items: up to date: nothing new in 1 page.')
    const read = { ...nothing, upToDate: false }
    expect(jobTexts({ ...summary, jobs: [read] }).join('\n')).toMatch(/^items: nothing new in 1 page\.$/m)
  })
  test('lists the ids that the node does not have', () => {
    const unanswered = {
      reason: 'the node does not have these blocks',
      hint: 'Check the ids.',
      count: 2,
      ids: ['a', 'b'],
    }
    const job = { ...result, name: 'items', streams: 1, pages: 2, tables: [], unanswered }
    const text = (more: object = {}) =>
      jobTexts({ ...summary, jobs: [{ ...job, unanswered: { ...unanswered, ...more } }] }).join('\n')
    expect(text()).toBe(
      'items: nothing new in 2 pages.\n  2 without an answer: the node does not have these blocks: a, b. Check the ids.',
    )
    expect(text({ count: 7_000, ids: [...'abcdefg'] })).toContain(': a, b, c, d, e and 6,995 more (all with --json). ')
  })
})
