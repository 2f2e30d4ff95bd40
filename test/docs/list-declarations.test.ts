import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { temporaryFolder } from '../views/test-lake.ts'

const folders = ['schemas', 'pipelines']

function indexesAfterListing(folder: string): string[] {
  cpSync(join(packageRoot(), 'tools/list-declarations.mjs'), join(folder, 'tools/list-declarations.mjs'))
  const { status, stderr } = spawnSync(process.execPath, ['tools/list-declarations.mjs'], { cwd: folder })
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' })
  return folders.map((name) => readFileSync(join(folder, name, 'index.ts'), 'utf8'))
}

test('schemas/index.ts and pipelines/index.ts list every file of their folders (npm run ids updates them)', () => {
  const folder = temporaryFolder('declarations')
  for (const name of folders) cpSync(join(packageRoot(), name), join(folder, name), { recursive: true })
  const committed = folders.map((name) => readFileSync(join(packageRoot(), name, 'index.ts'), 'utf8'))
  expect(committed).toEqual(indexesAfterListing(folder))
  const byName = 'pipelines/shared/by-name.ts'
  expect(readFileSync(join(packageRoot(), byName), 'utf8')).toBe(readFileSync(join(folder, byName), 'utf8'))
})

test('a new declaration is listed after the last one of its family or at the end, and a removed one is dropped', () => {
  const folder = temporaryFolder('declarations')
  for (const [name, before, files] of [
    ['schemas', ['restUtxos', 'restGone', 'chains'], ['rest-utxos', 'rest-new-things', 'chains', 'x-blocks']],
    ['pipelines', ['tpsPipeline'], ['tps', 'new-things']],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, 'index.ts'), before.map((constant) => `  ${constant},\n`).join(''))
    for (const file of files) writeFileSync(join(folder, name, `${file}.ts`), '')
  }
  mkdirSync(join(folder, 'pipelines/shared'))
  writeFileSync(join(folder, 'pipelines/lists.yaml'), '# Lists.\nrest-a:\n  comment: One.\n')
  const [tables, pipelines] = indexesAfterListing(folder)
  expect(tables).toContain("import { restNewThings } from './rest-new-things.ts'\n")
  expect(tables).toContain('= [\n  restUtxos,\n  restNewThings,\n  chains,\n  xBlocks,\n]\n')
  expect(pipelines).toContain('= [\n  tpsPipeline,\n  newThingsPipeline,\n]\n')
  const byName = readFileSync(join(folder, 'pipelines/shared/by-name.ts'), 'utf8')
  expect(byName).toContain("  'new-things': async () => (await import('../new-things.ts')).newThingsPipeline,\n  tps: ")
  expect(byName).toContain("= [\n  'rest-a',\n]\n")
})
