import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pipelines } from '../../../pipelines/index.ts'
import { loadPipelines } from '../../../src/cli/jobs/known-pipelines.ts'

test('a command that describes pipelines works with a configuration that cannot be parsed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-known-pipelines-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'chainlake.yaml')
  writeFileSync(config, 'jobs: [')
  expect(await loadPipelines({ config })).toEqual(pipelines)
})
