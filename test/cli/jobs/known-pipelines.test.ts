import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pipelines } from '../../../pipelines/index.ts'
import { loadPipelines } from '../../../src/cli/jobs/known-pipelines.ts'
import { shippedLists } from '../../../src/config/shipped-lists.ts'

test('a command that describes pipelines works with a configuration that cannot be parsed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-known-pipelines-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'chainlake.yaml')
  writeFileSync(config, 'jobs: [')
  const names = (await loadPipelines({ config })).map(({ name }) => name)
  expect(names).toEqual([...pipelines, ...shippedLists()].map(({ name }) => name))
})
