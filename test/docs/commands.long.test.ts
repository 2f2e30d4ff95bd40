import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PQueue from 'p-queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainlake } from '../cli/spawn.ts'
import { kindOf } from './block-kinds.ts'
import { blocksByDocument } from './documents.ts'
import { runDocument } from './run-document.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-documents-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The lake of the demo: every job of examples/devnet.yaml. Each document has a copy. */
const lake = join(folder, 'output')
beforeAll(async () => {
  const { code, stderr } = await chainlake(['demo', '--lake', lake])
  expect([code, stderr]).toEqual([0, ''])
}, 1_800_000)

const documents = [...blocksByDocument()].filter(([, blocks]) => blocks.some((block) => kindOf(block) !== undefined))
const twoAtOnce = new PQueue({ concurrency: 2 })

describe.concurrent('the commands, queries and settings work as written', () => {
  test.each(documents)('in %s', async (_, blocks) => {
    const failures = await twoAtOnce.add(() => runDocument(blocks, lake))
    expect(failures).toEqual([])
  })
})
