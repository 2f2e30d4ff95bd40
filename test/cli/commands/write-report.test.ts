import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyLake, reportFolder } from '../../report/lakes.ts'
import { chainlake } from '../in-process.ts'

const folder = reportFolder()

test('report writes no page and no folder for a missing lake', async () => {
  const lake = join(folder, 'none')
  const { code, stdout, stderr } = await chainlake(['report', '--lake', lake], { cwd: folder })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('The lake does not exist.')
  expect(existsSync(lake)).toBe(false)
})

test('report writes a page for a lake without rows', async () => {
  const lake = await emptyLake(folder)
  const { code, stdout } = await chainlake(['report', '--lake', lake], { cwd: folder })
  expect([code, stdout]).toEqual([0, `${join(lake, 'report.html')}\n`])
  expect(existsSync(join(lake, 'report.html'))).toBe(true)
})
