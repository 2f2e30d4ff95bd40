import { expect, test } from 'vitest'
import { nearestName, suggestion } from '../../src/lib/suggestion.ts'

test('two letters in the wrong order are one mistake', () => {
  expect(nearestName('hlep', ['step', 'help'])).toBe('help')
  expect(nearestName('--hlep', ['--step', '--help'])).toBe('--help')
  expect(nearestName('step', ['help', 'step'])).toBe('step')
})

test('a known name with one more word is near that name', () => {
  expect(nearestName('from-block', ['end-block', 'from', 'to'])).toBe('from')
  expect(nearestName('--lake-folder', ['--log-level', '--lake'])).toBe('--lake')
})

const commands = ['run', 'plan', 'status', 'tables', 'describe', 'validate']

test.each([
  ['rnu', 'run'],
  ['tabels', 'tables'],
  ['Status', 'status'],
  ['desc', 'describe'],
  ['val', 'validate'],
])('%s is near %s', (typed, name) => expect(nearestName(typed, commands)).toBe(name))

test('a last word is near the name, and a short word is near no name by chance', () => {
  expect(nearestName('url', ['all', 'node-url', 'to'])).toBe('node-url')
  expect(nearestName('url', ['all', 'to'])).toBeUndefined()
  expect(nearestName('v', ['to', 'all'])).toBeUndefined()
  expect(nearestName('alll', ['to', 'all'])).toBe('all')
})

test('of many names the most similar ones are listed', () => {
  const many = Array.from({ length: 190 }, (_, at) => `table_${String(at).padStart(3, '0')}`)
  expect(suggestion('x_ooo_003', many)).toMatch(/^Known: table_003(, table_\d{3}){5} and 184 others\.$/)
})

test('a name without a similar command lists all commands', () => {
  expect(nearestName('frobnicate', commands)).toBeUndefined()
  expect(suggestion('frobnicate', commands)).toBe('Known: run, plan, status, tables, describe, validate.')
})
