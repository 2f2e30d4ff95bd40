import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'

const home = vi.hoisted(() => ({ of: (): string => '' }))
vi.mock('node:os', async (original) => ({ ...(await original<typeof import('node:os')>()), homedir: () => home.of() }))

const { readHistory, writeHistory } = await import('../../../../src/cli/commands/sql/history.ts')

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
