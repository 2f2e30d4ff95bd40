import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pipelines } from '../../../pipelines/index.ts'
import { commands } from '../../../src/cli/commands/index.ts'
import { loadPipelines } from '../../../src/cli/jobs/known-pipelines.ts'
import { shippedLists } from '../../../src/config/shipped-lists.ts'
import { chainlake } from '../in-process.ts'

test('a command that describes pipelines works with a configuration that cannot be parsed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-known-pipelines-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'chainlake.yaml')
  writeFileSync(config, 'jobs: [')
  const names = (await loadPipelines({ config })).map(({ name }) => name)
  expect(names).toEqual([...pipelines, ...shippedLists()].map(({ name }) => name))
})

test('--no-modules executes no module, neither of chainlake.yaml nor of --pipelines', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-known-pipelines-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const executed = join(folder, 'executed')
  for (const name of ['named.mjs', 'typed.mjs'])
    writeFileSync(
      join(folder, name),
      `import { appendFileSync } from 'node:fs'; appendFileSync('${executed}', '${name} ')`,
    )
  writeFileSync(join(folder, 'chainlake.yaml'), 'pipelines: [named.mjs]')
  const run = (line: string) => chainlake([...line.split(' '), '--pipelines', 'typed.mjs'], { cwd: folder })
  for (const line of ['validate', 'describe p_blocks', 'pipelines', 'run p-blocks --help']) {
    expect(await run(`${line} --no-modules`), line).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(executed), line).toBe(false)
  }
  await run('pipelines')
  expect(readFileSync(executed, 'utf8')).toContain('typed.mjs')
  for (const { name, options } of commands)
    expect({ name, has: 'no-modules' in options }).toEqual({ name, has: 'pipelines' in options })
})
