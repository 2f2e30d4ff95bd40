import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findPipeline } from '../../src/pipeline-modules/find-pipeline.ts'
import { moduleHash } from '../../src/pipeline-modules/load-module.ts'

type Files = Readonly<Record<string, string>>

/** Writes files into a new folder. */
function folderOf(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-hash-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const hashOf = (files: Files) => moduleHash(join(folderOf(files), 'src/gas.ts'))

const project: Files = {
  'package.json': JSON.stringify({ imports: { '#names': './lib/names.mjs', '#package': 'left-pad' } }),
  'src/gas.ts': `
    import type { Row } from './row.ts'
    import left from 'left-pad'
    import pad from '#package'
    import { quantity } from "../lib/quantity.ts"
    export * from './name.mjs?v=1'
    import '#names'
    const later = () => import(\`./later.js\`)
    const abi = readFileSync(new URL('./abi.json', import.meta.url))
    import './gone.mjs'
    const computed = import('./' + name), folder = '../lib/'
    // It isn't './unused.mjs/'.
  `,
  'src/row.ts': "export { gas } from './gas.ts'",
  'src/name.mjs': 'export const name = 1',
  'src/later.js': "require('./common')",
  'src/common.cjs': 'module.exports = 1',
  'src/common.js': 'module.exports = 2',
  'src/abi.json': '[]',
  'src/unused.mjs': 'export const unused = 1',
  'lib/quantity.ts': 'export const quantity = 1',
  'lib/names.mjs': 'export const names = []',
  'node_modules/left-pad/package.json': '{ "name": "left-pad", "main": "index.js" }',
  'node_modules/left-pad/index.js': 'module.exports = 1',
}

describe('the hash of a module', () => {
  test('is the same in every folder, and through a link', async () => {
    const folder = folderOf(project)
    const hash = await moduleHash(join(folder, 'src/gas.ts'))
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(await hashOf(project)).toBe(hash)
    const link = join(folderOf({}), 'linked.ts')
    symlinkSync(join(folder, 'src/gas.ts'), link)
    expect(await moduleHash(link)).toBe(hash)
  })

  test.each([
    'src/gas.ts',
    'src/row.ts',
    'src/name.mjs',
    'src/later.js',
    'src/common.js',
    'src/abi.json',
    'lib/quantity.ts',
    'lib/names.mjs',
  ])('changes with its own file %s', async (name) => {
    expect(await hashOf({ ...project, [name]: `${project[name]} ` })).not.toBe(await hashOf(project))
  })

  test.each(['src/unused.mjs', 'src/common.cjs', 'node_modules/left-pad/index.js'])(
    'does not change with %s, which is a package or is not imported',
    async (name) => {
      expect(await hashOf({ ...project, [name]: `${project[name]} ` })).toBe(await hashOf(project))
    },
  )

  test('changes when a file that an import names appears', async () => {
    expect(await hashOf({ ...project, 'src/gone.mjs': '' })).not.toBe(await hashOf(project))
  })
})

test('a thread refuses a module that has changed since the command loaded it', async () => {
  const declaration = `{ name: 'mine', streams: () => [], parameters: {}, tables: {}, optional: {}, decoders: {}, views: [] }`
  const folder = folderOf({
    'mine.mjs': `import './part.mjs'\nexport const mine = ${declaration}`,
    'part.mjs': 'export const part = 1',
  })
  const path = join(folder, 'mine.mjs')
  const module = { path, hash: await moduleHash(path) }
  const name = { pipeline: 'mine', module }
  expect(await findPipeline(name)).toMatchObject({ name: 'mine', module })
  writeFileSync(join(folder, 'part.mjs'), 'export const part = 2')
  await expect(findPipeline(name)).rejects.toThrow(expect.objectContaining({ code: 'pipelines.changed' }))
})
