import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { openFolderStore } from '../../src/store/folder-store.ts'
import { allRows, coin, coins, lakeFiles } from './lake-files.ts'

const { lookup, lakeDir, write } = lakeFiles()
const row = coin('c7', 1, 0n)

/** Writes two files and damages the second. */
async function spoiled(spoil: (bytes: Buffer) => Buffer): Promise<{ files: string[]; bad: string }> {
  const rows = Array.from({ length: 3000 }, (_, n) => coin(`c${n}`, 1, BigInt(n)))
  const files = [await write(coins, rows), await write(coins, rows)]
  const bad = files[1] ?? ''
  writeFileSync(join(lakeDir, bad), spoil(readFileSync(join(lakeDir, bad))))
  return { files, bad }
}

/** The start of the footer of a Parquet file. */
const footerOf = (bytes: Buffer): number => bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)

const spoilings: [string, (bytes: Buffer) => Buffer][] = [
  ['cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  ['other things', () => Buffer.from('hello '.repeat(1000))],
  ['zeros in its pages', (bytes) => bytes.fill(0, 4, bytes.length >> 1)],
  ['a spoiled footer', (bytes) => bytes.fill(0xff, footerOf(bytes), footerOf(bytes) + 100)],
]

describe('a file that cannot be read causes a VerifyError that names it', () => {
  test.each(spoilings)('%s', async (_, spoil) => {
    const { files, bad } = await spoiled(spoil)
    const observation = { id: 'o9', observedAt: 9_000_000n }
    const attempts = [
      () => lookup.findRows({ table: coins, files, rows: [row] }),
      () => allRows(lookup.rows({ table: coins, files })),
      () => allRows(lookup.changedRows({ table: coins, staged: [bad], files: [], observationIds: [], observation })),
    ]
    for (const attempt of attempts) {
      const error = await attempt().then(
        () => expect.fail('it was read'),
        (failure) => failure,
      )
      expect(error).toMatchObject({ name: 'VerifyError', code: 'verify.damaged', exitCode: 6 })
      expect(error.details).toMatchObject({ file: bad, lake: lakeDir })
      expect(error.hint).toContain('chainlake repair')
    }
    // The other file can still be read.
    const good = files.slice(0, 1)
    expect((await lookup.findRows({ table: coins, files: good, rows: [row] })).length).toBe(1)
  })

  test('a missing file', async () => {
    const { files } = await spoiled((bytes) => bytes)
    const attempts = [
      () => lookup.findRows({ table: coins, files: [...files, 'gone.parquet'], rows: [row] }),
      () => allRows(lookup.rows({ table: coins, files: [...files, 'gone.parquet'] })),
    ]
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({
        name: 'VerifyError',
        code: 'verify.missing',
        details: { file: 'gone.parquet' },
      })
  })
})

test('a refusal by the disk or the memory causes a StorageError', async () => {
  const { lookupFailure } = await import('../../src/lookup/engine.ts')
  const requested = { lakeDir, store: openFolderStore(lakeDir), files: ['gone.parquet'] }
  for (const [text, code] of [
    ['Out of Memory Error: failed to allocate', 'storage.lookup'],
    ['IO Error: Could not write: No space left on device', 'storage.full'],
  ] as const) {
    const error = await lookupFailure(new Error(text), requested)
    expect(error).toMatchObject({ name: 'StorageError', code })
  }
  const own = new StorageError('own')
  expect(await lookupFailure(own, requested)).toBe(own)
  const bug = new TypeError('a bug')
  expect(await lookupFailure(bug, requested)).toBe(bug)
})
