import { expect, test } from 'vitest'
import { command, newLake } from '../run/lake-run.ts'

const refusals: readonly (readonly [readonly string[], string])[] = [
  [['--workers', '--follow'], '--follow cannot be combined with --workers'],
  [['--workers', '--compact'], '--compact cannot be combined with --workers'],
  [['--workers', '--expire', '30d'], '--expire cannot be combined with --workers'],
  [['--workers', '--on-done', 'done.json'], '--on-done cannot be combined with --workers'],
  [['--workers', '--metrics-port', '0'], '--metrics-port cannot be combined with --workers'],
  [['--workers', '--lease', '5s'], '--lease must be at least 10s'],
  [['--lease', '30s'], '--lease needs --workers'],
  [['--workers'], 'Workers cannot reach the catalog'],
]

test.each(refusals)('run %s is refused before any request', async (flags, said) => {
  const { code, stderr } = await command([
    'run',
    'p-blocks',
    ...flags,
    '--lake',
    newLake(),
    '--node-url',
    'http://127.0.0.1:1',
  ])
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
  expect(stderr).toMatch(/\nhint: /)
})

test('worker is refused if the catalog of the lake is a file', async () => {
  const { code, stderr } = await command(['worker', '--lake', newLake()])
  expect([code, stderr]).toEqual([2, expect.stringContaining('Use --lake postgres://')])
})
