import { expect, test } from 'vitest'
import { humanLine } from '../../../src/cli/terminal/run-events.ts'

test('a JSON line becomes a readable line', () => {
  const json = '{"level":"warn","time":"2026-01-02T03:04:05.678Z","attempt":2,"url":"http://x","msg":"retrying"}'
  expect(humanLine(json)).toBe('03:04:05 warn  retrying attempt=2 url=http://x')
})
