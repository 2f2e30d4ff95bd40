import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { completeName } from '../../../src/cli/commands/sql-prompt.ts'

const home = vi.hoisted(() => ({ of: (): string => '' }))
vi.mock('node:os', async (original) => ({ ...(await original<typeof import('node:os')>()), homedir: () => home.of() }))

const { readHistory, writeHistory } = await import('../../../src/cli/commands/sql-prompt.ts')

const folder = mkdtempSync(join(tmpdir(), 'chainlake-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the history of the prompt is kept in the home folder, for this user alone', () => {
  home.of = () => folder
  writeHistory(['SELECT 2', 'SELECT 1'])
  expect(readHistory()).toEqual(['SELECT 2', 'SELECT 1'])
  const path = join(folder, '.chainlake_history')
  expect(readFileSync(path, 'utf8')).toBe('SELECT 1\nSELECT 2\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a user without a home folder has no history', () => {
  home.of = () => {
    throw new Error('ENOENT: no such file or directory, uv_os_homedir')
  }
  writeHistory(['SELECT 1'])
  expect(readHistory()).toEqual([])
})

const tables = [
  { name: 'p_blocks', columns: ['height', 'block_id'] },
  { name: 'p_inputs', columns: ['height', 'amount'] },
]
const complete = (line: string, statement = '') =>
  completeName(line, { statement, tables, commands: ['.mode', '.tables', '.timer'] })

test.each([
  ['select * from p_', ['p_blocks', 'p_inputs'], 'p_'],
  ['select am', ['amount'], 'am'],
  ['from p_blocks select am', [], 'am'],
  ['from p_blocks select h', ['height'], 'h'],
  ['select p_inputs.a', ['p_inputs.amount'], 'p_inputs.a'],
  ['select other.a', [], 'other.a'],
  ['.t', ['.tables', '.timer'], '.t'],
  ['select * from ', [], ''],
])('%j is completed by %j', (line, found, word) => expect(complete(line)).toEqual([found, word]))

test('columns follow from the tables of earlier lines of the statement', () => {
  expect(complete('where a', 'select * from p_inputs\n')).toEqual([['amount'], 'a'])
})
