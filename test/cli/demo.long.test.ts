import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { answerText } from '../../src/cli/answers/answer.ts'
import { readExamples } from '../../src/cli/commands/sql/examples.ts'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { queryLake } from '../../src/views/query.ts'
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
  expect((await chainlake(['sql', '--example', 'gas-and-fees', '--lake', lake])).stdout).toMatch(
    /^-- How much gas[\s\S]*1 row/,
  )
  // `vitest --update` writes the answers anew.
  await expect(await answersOf(lake)).toMatchFileSnapshot(join(packageRoot(), 'examples/queries/README.md'))
  const second = await chainlake(['demo', '--lake', lake])
  expect(second.code).toBe(0)
  expect(second.stdout).toContain('The lake covers 2,000 containers')
  expect(second.stdout).toMatch(/evm-blocks +2,000 rows/)
})

async function answersOf(lake: string): Promise<string> {
  const parts = ['# Questions and answers', 'The answers of `chainlake sql --example NAME` on the lake of the demo.']
  for (const { name, question, sql } of await readExamples()) {
    const answer = await answerText(await queryLake(lake, sql))
    parts.push(
      `## ${question}`,
      `\`chainlake sql --example ${name}\``,
      `\`\`\`sql\n${sql}\n\`\`\``,
      `\`\`\`text\n${answer}\n\`\`\``,
    )
  }
  return `${parts.join('\n\n')}\n`
}
