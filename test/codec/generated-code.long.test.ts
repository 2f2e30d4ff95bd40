import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const child = join(import.meta.dirname, 'decode-child.mjs')

async function decoded(...flags: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, child])
  const lines = stdout.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as { isMainThread: boolean; generates: boolean; rows: string })
}

test('rows and batches are the same without generated code, in threads too', async () => {
  const usual = await decoded()
  const without = await decoded('--disallow-code-generation-from-strings')
  expect(usual.map(({ isMainThread, generates }) => [isMainThread, generates])).toEqual([
    [true, true],
    [false, true],
  ])
  expect(without.map(({ isMainThread, generates }) => [isMainThread, generates])).toEqual([
    [true, false],
    [false, false],
  ])
  expect(new Set([...usual, ...without].map(({ rows }) => rows)).size).toBe(1)
})
