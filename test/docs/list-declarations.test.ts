import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { temporaryFolder } from '../views/test-lake.ts'

const folders = ['schemas', 'pipelines']

function copyOfDeclarations(): string {
  const folder = temporaryFolder('declarations')
  for (const name of [...folders, 'src/list-declarations.mjs'])
    cpSync(join(packageRoot(), name), join(folder, name), { recursive: true })
  return folder
}

function indexesAfterListing(folder: string): string[] {
  const { status, stderr } = spawnSync(process.execPath, ['src/list-declarations.mjs'], { cwd: folder })
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' })
  return folders.map((name) => readFileSync(join(folder, name, 'index.ts'), 'utf8'))
}

test('schemas/index.ts and pipelines/index.ts list every file of their folders; npm run ids brings them up to date', () => {
  const committed = folders.map((name) => readFileSync(join(packageRoot(), name, 'index.ts'), 'utf8'))
  expect(committed).toEqual(indexesAfterListing(copyOfDeclarations()))
})

test('a new table follows the last one of its family, a new pipeline of no family is last, and a removed one leaves', () => {
  const folder = copyOfDeclarations()
  writeFileSync(join(folder, 'schemas/rest-new-things.ts'), '')
  writeFileSync(join(folder, 'pipelines/new-things.ts'), '')
  rmSync(join(folder, 'schemas/rest-signed-messages.ts'))
  const [tables, pipelines] = indexesAfterListing(folder)
  expect(tables).toContain("import { restNewThings } from './rest-new-things.ts'\n")
  expect(tables).toContain('  restCollectibleBalances,\n  restNewThings,\n  metricsTokenHolders,\n')
  expect(tables).not.toContain('restSignedMessages')
  expect(pipelines).toContain('  signaturesPipeline,\n  newThingsPipeline,\n]')
})
