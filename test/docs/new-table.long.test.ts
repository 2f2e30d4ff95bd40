import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/package.ts'
import { temporaryFolder } from '../views/test-lake.ts'

const run = promisify(execFile)

/** Everything that `npm run docs` reads and writes. */
const copied = [
  ...['codec', 'devnet', 'src', 'pipelines', 'schemas', 'tools', 'package.json', 'biome.json'],
  ...['tsconfig.json', 'tsconfig.project.json', 'tsconfig.build.json'],
  ...['README.md', 'CONTRIBUTING.md', 'docs', 'chainlake.schema.json', 'examples', '.gitignore'],
]

/** A copy of the checkout that shares its dependencies, except `node_modules/.bin`, where a build writes. */
function copyOfCheckout(): string {
  const folder = temporaryFolder('checkout')
  for (const name of copied) cpSync(join(packageRoot(), name), join(folder, name), { recursive: true })
  for (const name of ['node_modules', 'node_modules/.bin']) {
    mkdirSync(join(folder, name))
    for (const entry of readdirSync(join(packageRoot(), name)))
      if (entry !== '.bin') symlinkSync(join(packageRoot(), name, entry), join(folder, name, entry))
  }
  return folder
}

/** Declares a new table. */
function addTable(folder: string): void {
  const path = join(folder, 'schemas/metrics.ts')
  const added = `
export const restNewThings = table({
  name: 'rest_new_things',
  comment: 'One row per new thing.',
  key: ['network'],
  sortBy: [],
  columns: { network: t.text('Network.'), names: t.list(t.text('One.'), 'Names.') },
})
`
  appendFileSync(path, added)
}

test('npm run docs gives ids to the columns of a new table and describes the table', { timeout: 240_000 }, async () => {
  const folder = copyOfCheckout()
  addTable(folder)
  await run('npm', ['run', 'docs'], { cwd: folder })
  const ids = JSON.parse(readFileSync(join(folder, 'schemas/ids.json'), 'utf8'))
  expect(ids.rest_new_things).toEqual(['network', 'names', 'names.element'])
  expect(readFileSync(join(folder, 'schemas/README.md'), 'utf8')).toContain('rest_new_things')
})
