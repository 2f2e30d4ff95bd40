import { describe, expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import type { LakeStatus, StreamStatus } from '../../src/catalog/catalog.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { parseCommandLine } from '../../src/cli/flags/parser.ts'
import type { Slice } from '../../src/model.ts'
import { coverageOf, fillCommand } from '../../src/report/coverage.ts'
import { streamOf } from '../lib/stream-of.ts'

const stream = (
  name: string,
  tables: Readonly<Record<string, readonly Slice[]>>,
  more: Partial<StreamStatus> = {},
): StreamStatus => ({
  ...streamOf(name),
  pipeline: 'p-blocks',
  unit: 'containers',
  tables: Object.entries(tables).map(([table, slices]) => ({ table, slices, gaps: [], rows: 10, bytes: 1_000 })),
  stretches: null,
  observations: null,
  lastRun: null,
  reached: new Date(1_000),
  ...more,
})
const lake = (...streams: StreamStatus[]): LakeStatus => ({ snapshotId: 1, streams })

describe('coverage', () => {
  test('merges equal gaps of several tables into one with its command, and has one bar per distinct coverage', () => {
    const slices = [
      { from: 0, to: 100 },
      { from: 150, to: 200 },
    ]
    const covered = coverageOf(
      lake(stream('mainnet/P/block', { p_blocks: slices, p_inputs: slices, containers: [{ from: 0, to: 200 }] })),
      '/lake',
      [],
    )
    expect(covered.gaps).toEqual([
      {
        stream: 'mainnet/P/block',
        tables: ['p_blocks', 'p_inputs'],
        from: '100',
        to: '150',
        missing: '50 containers',
        command: 'chainlake run p-blocks --from 100 --to 150 --lake /lake',
      },
    ])
    expect(covered.streams.map(({ part, incomplete }) => [part, incomplete])).toEqual([
      ['p_blocks, p_inputs', 'one gap'],
      ['containers', null],
    ])
    expect([covered.count, covered.complete]).toEqual([1, 0])
  })

  test('is incomplete for unfinished lists and observations, and does not count the stream of the network itself', () => {
    const { streams, count, complete } = coverageOf(
      lake(
        stream('mainnet/chains', { chains: [{ from: 0, to: 1 }] }),
        stream(
          'mainnet/rest-transactions/P',
          { rest_p_transactions: [] },
          { stretches: { count: 2, items: 5, complete: false } },
        ),
        stream(
          'mainnet/node/supply',
          { node_supply: [] },
          { observations: { complete: 0, lastCompleted: null, openSince: new Date(0) } },
        ),
        stream('mainnet/X/tx', {}),
        stream('mainnet/X/vtx', {}, { reached: null }),
      ),
      '/lake',
      [],
    )
    expect(streams.map(({ incomplete }) => incomplete)).toEqual([
      'not read to its end',
      'no complete reading yet',
      null,
      'nothing is committed yet',
    ])
    expect([count, complete]).toEqual([4, 1])
  })

  test('shows only the incomplete streams when many are of one kind', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      stream(`local/token-transfers/1?contract=${index}`, {
        rest_erc20_transfers:
          index === 7
            ? [
                { from: 0, to: 5 },
                { from: 9, to: 10 },
              ]
            : [{ from: 0, to: 10 }],
      }),
    )
    const { streams, count, complete } = coverageOf(lake(...many), '/lake', [])
    expect([count, complete]).toEqual([60, 59])
    expect(streams.map((each) => [each.count, each.complete])).toEqual([
      [60, 59],
      [1, 0],
    ])
  })

  test('draws a bar of very many slices with fewer slices', () => {
    const slices = Array.from({ length: 20_000 }, (_, index) => ({ from: index * 10, to: index * 10 + 9 }))
    const { streams, gaps, moreGaps } = coverageOf(lake(stream('local/P/block', { p_blocks: slices })), '/lake', [])
    expect(streams[0]?.range?.slices.length).toBeLessThan(2_001)
    expect(gaps.length + moreGaps).toBe(19_999)
    expect(gaps.length).toBe(300)
  })
})

describe('the command that fills a gap', () => {
  const slice = { from: 5, to: 9 }
  const blockchain = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'
  test.each([
    ['mainnet/P/block', 'p_blocks', 'chainlake run p-blocks --from 5 --to 9 --lake /l'],
    ['mainnet/P/block', 'containers', 'chainlake run p-blocks --from 5 --to 9 --raw --lake /l'],
    ['mainnet/C/block', 'c_senders', 'chainlake run c-blocks --from 5 --to 9 --senders --lake /l'],
    ['mainnet/X/tx', 'x_transactions', 'chainlake run x-transactions --from 5 --to 9 --lake /l'],
    ['mainnet/X/vtx', 'x_vertices', 'chainlake run x-vertices --from 5 --to 9 --lake /l'],
    [
      `mainnet/${blockchain}/block`,
      'x_blocks',
      `chainlake run x-blocks --chain ${blockchain} --from 5 --to 9 --lake /l`,
    ],
    ['mainnet/evm-blocks/43114', 'evm_blocks', 'chainlake run evm-blocks --from 5 --to 9 --lake /l'],
    [
      'evm-1/evm-blocks/1',
      'evm_blocks',
      "chainlake run evm-blocks --chain '<URL or id of chain 1>' --from 5 --to 9 --lake /l",
    ],
  ])('is right for %s %s', async (name, table, command) => {
    const pipeline = command.split(' ')[2] ?? ''
    const chain = name.split('/')[pipeline.startsWith('evm') ? 2 : 1]!
    const stream = { ...streamOf(name, chain), pipeline, unit: 'blocks' }
    expect(fillCommand({ stream, tables: [table], slice }, '/l', [])).toBe(command)
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    expect((await parseCommandLine(words.slice(1), commands, async () => pipelines))?.command.name).toBe('run')
  })

  test('names the pipeline of a program without its parameters, which only the program knows', () => {
    const missing = { stream: { network: 'mainnet', pipeline: 'gas', unit: 'epochs' }, tables: ['gas'], slice }
    expect(fillCommand(missing, '/l', [])).toBe('chainlake run gas --lake /l')
  })

  test('names a job of the configuration', () => {
    const measures = [{ job: 'p-chain', pipeline: 'p-blocks', endedAtMs: 0, milliseconds: 1, records: 1, requests: 0 }]
    const stream = { network: 'mainnet', chain: 'P', pipeline: 'p-blocks', unit: 'containers' }
    const missing = { stream, tables: ['p_blocks'], slice }
    expect(fillCommand(missing, "/my lake's", measures)).toBe(
      "chainlake run p-chain --from 5 --to 9 --lake '/my lake'\\''s'",
    )
  })
})
