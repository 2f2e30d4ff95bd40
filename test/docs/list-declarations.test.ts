import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/package.ts'
import { temporaryFolder } from '../views/test-lake.ts'

const byName = 'pipelines/shared/by-name.ts'

function afterListing(folder: string): string {
  cpSync(join(packageRoot(), 'tools/list-declarations.mjs'), join(folder, 'tools/list-declarations.mjs'))
  const { status, stderr } = spawnSync(process.execPath, ['tools/list-declarations.mjs'], { cwd: folder })
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' })
  return readFileSync(join(folder, byName), 'utf8')
}

test('pipelines/shared/by-name.ts lists every file of its folder (npm run ids updates it)', () => {
  const folder = temporaryFolder('declarations')
  cpSync(join(packageRoot(), 'pipelines'), join(folder, 'pipelines'), { recursive: true })
  expect(readFileSync(join(packageRoot(), byName), 'utf8')).toBe(afterListing(folder))
})

test('a new pipeline is listed after the last one of its family or at the end, and a removed one is dropped', () => {
  const folder = temporaryFolder('declarations')
  mkdirSync(join(folder, 'pipelines/shared'), { recursive: true })
  writeFileSync(join(folder, byName), "import('../rest-b.ts') import('../gone.ts') import('../tps.ts')")
  for (const file of ['rest-b', 'rest-a', 'tps', 'new-things'])
    writeFileSync(join(folder, 'pipelines', `${file}.ts`), '')
  writeFileSync(join(folder, 'pipelines/lists.yaml'), '# Lists.\nrest-c:\n  comment: One.\n')
  const listed = afterListing(folder)
  expect(Array.from(listed.matchAll(/import\('\.\.\/([\w-]+)\.ts'\)/g), ([, name]) => name)).toEqual([
    ...['rest-b', 'rest-a', 'tps', 'new-things'],
  ])
  expect(listed).toContain("  'new-things': async () => (await import('../new-things.ts')).newThingsPipeline,\n}\n")
  expect(listed).toContain("= [\n  'rest-c',\n]\n")
})
