import { mkdtempSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFooter } from '../../src/write/footer.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-footer-'))

/** A file with these bytes as its metadata. */
async function footerOf(metadata: readonly number[]) {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(metadata.length)
  const bytes = Buffer.concat([Buffer.from('PAR1'), Buffer.from(metadata), length, Buffer.from('PAR1')])
  const path = join(folder, 'file.parquet')
  writeFileSync(path, bytes)
  const file = await open(path)
  return readFooter(file, bytes.length).finally(() => file.close())
}

const bytes = (count: number, ...some: number[]) => Array.from({ length: count }, () => some).flat()
const rowsOf = (...number: number[]) => [0x29, 0x0c, 0x16, ...number, 0x19, 0x0c, 0x00]

test('a number of rows is exact to 64 bits of thrift', async () => {
  expect((await footerOf(rowsOf(0x0a))).rows).toBe(5)
  // 2^53 - 1, which zigzag doubles.
  expect((await footerOf(rowsOf(0xfe, ...bytes(6, 0xff), 0x1f))).rows).toBe(Number.MAX_SAFE_INTEGER)
})

test.each([
  ['lists that claim to have millions of lists', [0x29, ...bytes(60, 0xf9, 0xff, 0xff, 0xff, 0x0e)]],
  ['structs within each other without an end', bytes(200_000, 0x1c)],
  ['a number without an end', [0x26, ...bytes(100_000, 0xff)]],
  ['a length that is longer than the metadata', [0x28, 0xff, 0xff, 0xff, 0xff, 0x0f]],
  ['an end that is no end', [0x29, 0x0c, 0x16, 0x0a, 0x19, 0x0c, 0x10]],
  ['no end', rowsOf(0x0a).slice(0, -1)],
])('metadata with %s is refused, without memory for what it claims', async (_, metadata) => {
  const before = process.memoryUsage().heapTotal
  await expect(footerOf(metadata)).rejects.toMatchObject({
    code: 'storage.parquet',
    message: expect.stringMatching(/^The metadata of a Parquet file has /),
  })
  expect(process.memoryUsage().heapTotal - before).toBeLessThan(100_000_000)
})
