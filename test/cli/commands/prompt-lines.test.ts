import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { isExit, takeLine } from '../../../src/cli/commands/sql-prompt.ts'
import { type LakeReader, openLake } from '../../../src/views/query.ts'
import { publish } from '../../views/test-lake.ts'

let lake: LakeReader
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-prompt-'))
  await publish(folder, {})
  lake = await openLake(folder)
  return () => {
    lake.close()
    rmSync(folder, { recursive: true })
  }
})
afterEach(() => vi.restoreAllMocks())

const newState = (): Parameters<typeof takeLine>[1] => ({
  busy: false,
  text: '',
  format: 'csv',
  isTimed: false,
  file: null,
})

/** What lines print. */
async function printed(lines: readonly string[], state = newState()): Promise<string> {
  let text = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((part: any, ...rest: any[]) => {
    text += part
    rest.find((each) => typeof each === 'function')?.(null)
    return true
  })
  for (const line of lines) await takeLine(line, state, lake)
  write.mockRestore()
  return text
}

test('each statement of a line has an answer, and a statement may span lines', async () => {
  expect(await printed(['select 1 as a; select 2 as b;', 'select 3', 'as c;'])).toBe('a\n1\nb\n2\nc\n3\n')
})

test('.mode changes the format, .timer adds the time', async () => {
  const text = await printed(['.mode line', '.timer on', 'select 1 as a, null as bcd;', '.timer off', 'select 2 as a;'])
  expect(text).toMatch(/^ {2}a = 1\nbcd = null\n\d\.\d s\na = 2\n$/)
})

test('.read runs a file, also its last statement without a semicolon', async () => {
  const file = join(folder, 'queries.sql')
  writeFileSync(file, '\ufeffselect 1 as a;\nselect 2 as b -- the last one\n')
  expect(await printed([`.read ${file}`])).toBe('a\n1\nb\n2\n')
})

test('.output writes answers to a file, which is there when it is complete', async () => {
  const file = join(folder, 'answers of a prompt.csv')
  const state = newState()
  expect(await printed([`.output ${file}`, 'select 1 as a;'], state)).toBe('')
  expect(existsSync(file)).toBe(false)
  expect(await printed(['.output', 'select 2 as b;'], state)).toBe('b\n2\n')
  expect(readFileSync(file, 'utf8')).toBe('a\n1\n')
})

test.each([
  ['.tabels', 'Did you mean .tables?'],
  ['.mode xml', '.mode must be one of table, line, csv, json, not "xml".'],
  ['.timer', '.timer must be one of on, off'],
  ['.read nowhere.sql', '.read: the file nowhere.sql cannot be read.'],
  ['.read nowhere.sql', 'hint: A relative path begins in the working directory.'],
  ['.output /nowhere/file', '.output does not name a writable file.'],
  ['select nonsense;', 'nonsense'],
])('the prompt reports the mistake %s and stays open', async (line, message) => {
  const text = await printed([line, 'select 1 as a;'])
  expect(text).toContain(message)
  expect(text).toMatch(/^a\n1\n$/m)
})

test.each(['.exit', '.quit', ' .q '])('%s leaves the prompt, and .help lists it', async (line) => {
  expect(isExit(line)).toBe(true)
  expect((await printed(['.help'])).split('\n')).toContainEqual(expect.stringMatching(`^\\${line.trim()} +leave`))
})

test.each(['.quite', 'select 1;', ''])('%j does not', (line) => expect(isExit(line)).toBe(false))

test.each(['exit', 'quit;', 'QUIT', '\\q'])('%s leaves the prompt, as in other prompts', (line) => {
  expect(isExit(line)).toBe(true)
})

test.each([
  ['\\dt', '.tables'],
  ['\\d', '.tables'],
  ['\\d p_blocks;', '.describe p_blocks'],
  ['help', '.help'],
])('%s is %s', async (line, own) => {
  expect(await printed([line])).toBe(await printed([own]))
})
