import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pipelines } from '../../pipelines/index.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import { xVerticesPipeline } from '../../pipelines/x-vertices.ts'
import { decodeCSenders } from '../../src/decode/c/senders.ts'
import { decodeRawContainer } from '../../src/decode/raw-container.ts'
import type { Pipeline, Table } from '../../src/define/index.ts'
import { startDevnet } from '../../src/devnet/serve.ts'
import { OtherSourceError } from '../../src/errors.ts'
import type { ChainContext } from '../../src/model.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { runPipelines } from '../../src/run/run-pipelines.ts'
import { contextOf, recordingNames } from '../decode/recordings.ts'
import { recordedContainers, recordedLines } from '../recorded.ts'
import { describeWithSharedData, sharedData } from '../shared-data.ts'
import { newLake, query } from './lake-run.ts'
import { lakeTexts, rowText } from './table-text.ts'

type Asked = { replay: string; lake: string; pipelines: readonly Pipeline[]; options?: string[]; unit?: number }

/** Exports a recording in this process; returns what the run said. */
async function exported({ replay, lake, options = [], unit = 700, ...asked }: Asked): Promise<RunEvent[]> {
  const node = await startDevnet({ replay })
  const events: RunEvent[] = []
  try {
    await runPipelines({
      nodeUrl: node.url,
      lakeDir: lake,
      networkId: replay.includes('legacy') ? 12345 : replay.includes('helicon') ? 88003 : 12345,
      jobs: asked.pipelines.map((pipeline) => ({ pipeline, options, unit })),
      stop: new AbortController().signal,
      emit: (event) => events.push(event),
    })
  } finally {
    await node.close()
  }
  return events
}

function notices(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'notice' ? [event.message] : []))
}

/** The tables of a part hold the rows that its decoder makes of the recorded containers, and no others. */
async function expectRows(
  lake: string,
  tables: Record<string, Table>,
  decode: (container: any, context: ChainContext) => Record<string, object[]>,
  file: string,
  context: ChainContext,
): Promise<void> {
  const expected = new Map<string, string[]>(Object.keys(tables).map((key) => [key, []]))
  for (const container of recordedContainers(file)) {
    const rows = decode(container, context)
    for (const [key, table] of Object.entries(tables))
      for (const row of rows[key] ?? []) expected.get(key)!.push(rowText(table, row))
  }
  for (const [key, table] of Object.entries(tables)) {
    const found = await lakeTexts(lake, table)
    expect(found.length, table.name).toBe(expected.get(key)!.length)
    expect(found.toSorted(), table.name).toEqual(expected.get(key)!.toSorted())
  }
}

const containersOf = (pipeline: Pipeline) => pipeline.source.chain.toLowerCase()

describeWithSharedData('lakes of recordings', () => {
  test.each(recordingNames)('%s: one command exports all three chains, row by row', async (recording) => {
    const lake = newLake()
    const replay = sharedData(`recorded/${recording}`)
    const said = notices(await exported({ replay, lake, pipelines }))
    expect(said.length).toBe(2)
    for (const line of said) expect(line).toMatch(/This network never had an X chain of before Cortina/)
    for (const pipeline of pipelines.filter(({ source }) => source.index === 'block')) {
      const file = `recorded/${recording}/${containersOf(pipeline)}-containers.jsonl.gz`
      const context = contextOf(recording, pipeline.source.chain as 'P')
      await expectRows(lake, pipeline.tables, pipeline.decode, file, context)
    }
    // What is covered gets senders and raw containers afterwards.
    const options = ['senders', 'raw']
    await exported({ replay, lake, pipelines: [cBlocksPipeline], options, unit: 50 })
    const file = `recorded/${recording}/c-containers.jsonl.gz`
    const context = contextOf(recording, 'C')
    const { senders, raw } = cBlocksPipeline.options
    await expectRows(lake, senders!.tables, decodeCSenders, file, context)
    await expectRows(lake, raw!.tables, decodeRawContainer('block'), file, context)
    const [row] = await query(lake, 'select count(*) n, count(from_address) s from c_transactions_with_senders')
    expect(row?.['s']).toBe(row?.['n'])
  })

  test('legacy: vertices and transactions, and a line that there are no X blocks', async () => {
    const lake = newLake()
    const replay = sharedData('recorded/legacy')
    const said = notices(
      await exported({
        replay,
        lake,
        pipelines: [xBlocksPipeline, xTransactionsPipeline, xVerticesPipeline],
        unit: 100,
      }),
    )
    expect(said).toEqual([expect.stringMatching(/has the index X\/tx but no X\/block/)])
    // The recording has no answers to calls: nobody says which asset is native.
    const context = { ...contextOf('legacy', 'X'), nativeAssetId: null }
    const [chain] = await query(lake, 'select distinct blockchain_id from x_transactions')
    const own = { ...context, blockchainId: String(chain?.['blockchain_id']) }
    const { tables, decode } = xTransactionsPipeline
    await expectRows(lake, tables, decode, 'recorded/legacy/x-transactions.jsonl.gz', own)
    await expectRows(
      lake,
      xVerticesPipeline.tables,
      xVerticesPipeline.decode,
      'recorded/legacy/x-vertices.jsonl.gz',
      own,
    )
    const [count] = await query(lake, 'select count(*) n from x_transactions')
    expect(count?.['n']).toBe('445')
  })

  test('legacy: a node with another order is refused, with the reason', async () => {
    const lake = newLake()
    const replay = sharedData('recorded/legacy')
    const asked = { lake, pipelines: [xTransactionsPipeline], unit: 100 }
    await exported({ replay, ...asked })
    const other = join(lake, '..', 'legacy-reordered')
    mkdirSync(other)
    copyFileSync(join(replay, 'heads.json'), join(other, 'heads.json'))
    // The first and the last one stay where they were; two in the middle change places.
    const lines = recordedLines('recorded/legacy/x-transactions.jsonl.gz').map((line) => JSON.parse(line))
    const [a, b] = [lines[200], lines[150]]
    lines[150] = { ...a, index: '150' }
    lines[200] = { ...b, index: '200' }
    writeFileSync(
      join(other, 'x-transactions.jsonl.gz'),
      gzipSync(lines.map((line) => JSON.stringify(line)).join('\n')),
    )
    const failure = await exported({ replay: other, ...asked }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OtherSourceError)
    expect((failure as OtherSourceError).hint).toMatch(/order of X\/tx is each node's own/)
  })
})
