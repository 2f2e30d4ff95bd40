import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { moduleHash } from '../../../src/pipeline-modules/module-hash.ts'
import { createDecodeThreads, threadCount } from '../../../src/run/decode-threads/decode-threads.ts'
import { contextOf } from '../../decode/recordings.ts'
import { command, newLake, query } from '../lake-run.ts'

/** A module with a pipeline that has these decoders. */
function moduleOf(decoders: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'chainlake-decoders-')), 'mine.mjs')
  const text = `
    import { isMainThread, threadId } from 'node:worker_threads'
    import { DecodeError, networkColumn, identity, pipeline, t, table } from 'chainlake'
    const things = table({
      name: 'things', comment: 'Things.', key: ['network', 'id'], sortBy: ['id'], partitionBy: [identity('network')],
      columns: { ...networkColumn, id: t.int64('Id.'), thread: t.text('What decoded it.') },
    })
    const source = async () => ({
      head: async () => 99, windowSize: () => 10, at: (id) => id,
      window: async (from, to) => Array.from({ length: to - from }, (_, n) => from + n),
    })
    export const mine = pipeline({
      name: 'mine', comment: 'Mine.', parameters: {}, reads: 'node', walks: ['range'], tables: { things },
      threads: { ${decoders} },
      streams: () => [{
        stream: { network: 'local', path: 'mine', parameters: {} },
        walk: {
          kind: 'range', record: 'thing', what: 'things', endpoint: { url: 'http://127.0.0.1:1' }, source, from: 0, to: null, unit: null,
          order: 'chain', outputs: [{ tables: { things }, thread: 'decode' }], context: { prefix: 'in ' }, linkOf: null, notice: null,
        },
      }],
    })
  `
  writeFileSync(path, text)
  return path
}

test('a decode thread that dies fails its requests, and a new thread replaces it', async () => {
  const threads = createDecodeThreads(1)
  const path = moduleOf('dying: async () => process.exit(1)')
  const module = { path, hash: await moduleHash(path) }
  const context = contextOf('granite', 'C')
  const senders = { pipeline: 'c-blocks', thread: 'senders' }
  try {
    expect(await threads.decode(senders, [], context)).toEqual([])
    await expect(threads.decode({ pipeline: 'c-blocks', thread: 'nothing' }, [], context)).rejects.toThrow(
      'has no decoder of this name',
    )
    const dying = threads.decode({ pipeline: 'mine', module, thread: 'dying' }, [], context)
    const behind = threads.decode(senders, [], context)
    await expect(dying).rejects.toThrow('A decoding thread ended.')
    await behind.catch(() => undefined)
    expect(await threads.decode(senders, [], context)).toEqual([])
  } finally {
    await threads.close()
  }
})

test('the number of decode threads is limited by memory, however many processors a machine has', () => {
  expect([1, 2, 3, 4, 64].map(threadCount)).toEqual([1, 1, 2, 2, 2])
})

describe('a decode thread of an own pipeline', () => {
  /** The end of a run with a decoder. The error is that of `--json`. */
  async function run(path: string, lake: string) {
    const { code, stdout } = await command([
      'run',
      'mine',
      '--pipelines',
      path,
      '--lake',
      lake,
      '--threads',
      '1',
      '--json',
    ])
    return { code, error: JSON.parse(stdout).error }
  }

  test('decodes all records, and not the main thread', async () => {
    const lake = newLake()
    const row = `{ network: 'local', id, thread: isMainThread ? 'main' : prefix + (threadId > 0) }`
    const path = moduleOf(`decode: async () => (id, { prefix }) => ({ things: [${row}] })`)
    expect(await run(path, lake)).toMatchObject({ code: 0 })
    const sql = 'select thread, count(*)::int as n, sum(id)::int as total from things group by all'
    expect(await query(lake, sql)).toEqual([{ thread: 'in true', n: 100, total: 4950 }])
  })

  test('that throws ends the run with an error that names the module and the position in it', async () => {
    const path = moduleOf(`decode: async () => (id) => ({
        things: [{ network: 'local', id, thread: id > 40 ? id.text.length : '' }] })`)
    const line =
      readFileSync(path, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('id.text.length')) + 1
    expect(await run(path, newLake())).toMatchObject({
      code: 1,
      error: {
        code: 'pipelines.failed',
        message: expect.stringContaining("reading 'length'"),
        details: { at: expect.stringMatching(`^${path}:${line}:\\d+$`) },
        hint: expect.stringContaining('Correct the module'),
      },
    })
  })

  test('that refuses a record ends the run as a decoder of chainlake does', async () => {
    const refuse = "throw new DecodeError('It is no thing.', { code: 'decode.thing', details: { id } })"
    const path = moduleOf(`decode: async () => (id) => { if (id === 41) ${refuse}; return { things: [] } }`)
    expect(await run(path, newLake())).toMatchObject({
      code: 4,
      error: { code: 'decode.thing', message: 'It is no thing.', details: { id: 41 } },
    })
  })
})
