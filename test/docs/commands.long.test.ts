import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PQueue from 'p-queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readExamples } from '../../src/cli/commands/run-sql.ts'
import { answerText } from '../../src/cli/terminal/answer.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { queryLake } from '../../src/views/query.ts'
import { chainlake } from '../cli/spawn.ts'
import { kindOf } from './block-kinds.ts'
import { blocksByDocument } from './documents.ts'
import { runDocument } from './run-document.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-documents-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The lake of the demo: every job of examples/devnet.yaml. Each document has a copy. */
const lake = join(folder, 'output')
const runDemo = () => chainlake(['demo', '--lake', lake])
let demo: Awaited<ReturnType<typeof runDemo>>
beforeAll(async () => {
  demo = await runDemo()
}, 1_800_000)

test('demo exports and answers queries', async () => {
  expect([demo.code, demo.stderr]).toEqual([0, ''])
  expect(demo.stdout).toMatch(/p-chain +[\d,]+ rows in .*p_blocks, p_transactions/)
  expect(demo.stdout).toMatch(/tokens +[\d,]+ rows in .*rest_erc20_transfers/)
  expect(demo.stdout).toMatch(/^BaseTx +\d+/m)
  expect(demo.stdout).toMatch(/^VALIDATOR +\d+/m)
  expect(demo.stdout).toContain('Next steps:')
  expect((await chainlake(['sql', '--example', 'gas-and-fees', '--lake', lake])).stdout).toMatch(
    /^-- How much gas[\s\S]*1 row/,
  )
  // `vitest --update` writes the answers again.
  await expect(await answersOfExamples()).toMatchFileSnapshot(join(packageRoot(), 'examples/queries/README.md'))
})

const documents = [...blocksByDocument()].filter(([, blocks]) => blocks.some((block) => kindOf(block) !== undefined))
const twoAtOnce = new PQueue({ concurrency: 2 })

describe.concurrent('the commands, queries and settings work as written', () => {
  test.each(documents)('in %s', async (_, blocks) => {
    const failures = await twoAtOnce.add(() => runDocument(blocks, lake))
    expect(failures).toEqual([])
  })
})

test('demo resumes when it runs again', async () => {
  const again = await runDemo()
  expect(again.code).toBe(0)
  expect(again.stdout).toContain('The lake covers 2,000 containers')
  expect(again.stdout).toMatch(/evm-blocks +2,000 rows/)
})

async function answersOfExamples(): Promise<string> {
  const parts = ['# Questions and answers', 'The answers of `chainlake sql --example NAME` on the lake of the demo.']
  for (const { name, question, sql } of await readExamples()) {
    const answer = await answerText(await queryLake(lake, sql), null)
    parts.push(
      `## ${question}`,
      `\`chainlake sql --example ${name}\``,
      `\`\`\`sql\n${sql}\n\`\`\``,
      `\`\`\`text\n${answer}\n\`\`\``,
    )
  }
  return `${parts.join('\n\n')}\n`
}
