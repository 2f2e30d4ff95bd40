import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { chainlake } from './spawn.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-demo-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('demo exports, answers queries and resumes when it runs again', async () => {
  const lake = join(folder, 'demo')
  const first = await chainlake(['demo', '--lake', lake])
  expect(first.stderr).toBe('')
  expect(first.code).toBe(0)
  expect(first.stdout).toMatch(/p-chain +[\d,]+ rows in .*p_blocks, p_transactions/)
  expect(first.stdout).toMatch(/tokens +[\d,]+ rows in .*rest_erc20_transfers/)
  expect(first.stdout).toMatch(/^BaseTx +\d+/m)
  expect(first.stdout).toMatch(/^VALIDATOR +\d+/m)
  expect(first.stdout).toContain('Next steps:')
  const second = await chainlake(['demo', '--lake', lake])
  expect(second.code).toBe(0)
  expect(second.stdout).toContain('The lake covers 2,000 containers')
  expect(second.stdout).toMatch(/evm-blocks +2,000 rows/)
})
