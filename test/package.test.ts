import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../src/lib/package.ts'
import { anchorsOf } from './docs/markdown.ts'
import { manifest, runInstalled, runNode, type UnpackedPackage, unpackPackage } from './unpacked-package.ts'
import { temporaryFolder } from './views/test-lake.ts'

let unpacked: UnpackedPackage
let packed: readonly string[]
beforeAll(() => {
  unpacked = unpackPackage()
  packed = unpacked.files.map(({ path }) => path)
})
afterAll(() => rmSync(unpacked.project, { recursive: true, force: true }))

const textOf = (path: string): string => readFileSync(join(unpacked.folder, path), 'utf8')

test('the package holds the build, the SQL of the views and the schema, and no sources or tests', () => {
  expect(packed).toEqual(
    expect.arrayContaining(['package.json', 'README.md', 'chainlake.schema.json', manifest.bin.chainlake]),
  )
  expect(packed.some((path) => /^schemas\/views\/.*\.sql$/.test(path))).toBe(true)
  const documents = packed.filter((path) => path.endsWith('.md'))
  expect(
    packed.filter(
      (path) =>
        /^(src|test|bench|output|node_modules)\/|\.tsbuildinfo$|dist\/test\//.test(path) && !documents.includes(path),
    ),
  ).toEqual([])
  expect(packed.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([])
})

// 1.2 MB of it is the library once more, for threads that load modules with pipelines.
test('the package has at most 760 files and 7.7 MB', () => {
  expect(packed.length).toBeLessThanOrEqual(760)
  expect(unpacked.files.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(7_700_000)
})

test('the package holds neither an earlier package nor the passwords of who tried an example', () => {
  const copy = temporaryFolder('checkout')
  for (const name of ['package.json', 'examples'])
    cpSync(join(packageRoot(), name), join(copy, name), { recursive: true })
  for (const name of ['chainlake-0.0.1.tgz', '.env']) writeFileSync(join(copy, 'examples/workers', name), '')
  const pack = ['pack', '--dry-run', '--ignore-scripts', '--json', '--loglevel=error']
  const [{ files }] = JSON.parse(execFileSync('npm', pack, { cwd: copy, encoding: 'utf8' }))
  const examples = files.filter(({ path }: { path: string }) => path.startsWith('examples/workers/'))
  expect(examples.map(({ path }: { path: string }) => path.slice('examples/workers/'.length)).sort()).toEqual([
    ...['Dockerfile', 'README.md', 'chainlake.yaml', 'compose.yaml', 'example.env', 'kubernetes.yaml'],
  ])
})

test('no document, example or hint installs chainlake from a registry: its name is registered in none', () => {
  const texts = packed.filter((path) => /\.(md|ya?ml|sh|py|service|js)$|Dockerfile$/.test(path))
  const installs = /\b(npm (i|install|add|exec)|npx --yes|npx -y|pnpm add|yarn add)\b[^\n`']*[ "]chainlake(@|[\s"'`]|$)/
  expect(texts.filter((path) => installs.test(textOf(path)))).toEqual([])
})

describe('the documents of the package', () => {
  test('link to documents and headings of the package', () => {
    const links = packed
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => Array.from(textOf(path).matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => ({ path, link: link! })))
      .filter(({ link }) => !/^https?:/.test(link))
    expect(links.length).toBeGreaterThan(10)
    const dead = links.filter(({ path, link }) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      return !packed.includes(target) || (anchor !== undefined && !anchorsOf(textOf(target)).has(anchor))
    })
    expect(dead).toEqual([])
  })
})

test('the installed command works with the declared dependencies only', async () => {
  const run = async (...args: string[]) => (await runInstalled(unpacked, ...args)).stdout
  expect((await run('--version')).trim()).toBe(manifest.version)
  expect(await run('tables')).toContain('p_blocks')
  expect(await run('describe', 'p_blocks')).toContain('block_id')
  await run('init')
  expect(existsSync(join(unpacked.project, 'chainlake.yaml'))).toBe(true)
  expect(await run('validate')).toContain('is valid')
})

test('the installed package can be imported', async () => {
  const code = `import { pipelines, tables } from 'chainlake'; console.log(pipelines[0].name, tables.length)`
  const { stdout } = await runNode(unpacked, ['--input-type=module', '-e', code])
  expect(stdout).toMatch(/^p-blocks \d+$/m)
})

describe('the files of the command and the library', () => {
  const library = manifest.exports['.'].default.replace('./', '')

  /** The files that one imports: at once, or also when they are needed. */
  const importedBy = (path: string, when: 'at once' | 'ever'): string[] => {
    const pattern =
      when === 'at once' ? /(?:\bfrom|\bimport)"(\.[^"]+)"/g : /(?:\bfrom|\bimport|\bimport\()["`](\.[^"`]+)["`]/g
    return Array.from(textOf(path).matchAll(pattern), ([, name]) => join(dirname(path), name!))
  }
  const reachedFrom = (entry: string, when: 'at once' | 'ever'): string[] => {
    const reached = new Set([entry])
    for (const path of reached) for (const imported of importedBy(path, when)) reached.add(imported)
    return [...reached]
  }

  test('are shared: the library has nothing that the command does not have, and the classes of errors are in one file', () => {
    const ofCommand = reachedFrom(manifest.bin.chainlake, 'ever')
    const ofLibrary = reachedFrom(library, 'ever')
    // The command gives the library to modules with pipelines.
    expect(ofLibrary.filter((path) => !ofCommand.includes(path))).toEqual([])
    const all = [...new Set([...ofCommand, ...ofLibrary])]
    expect(all.filter((path) => /\bExplainedError ?= ?class\b/.test(textOf(path)))).toHaveLength(1)
  })

  test('are apart where the command changes its process: a program that imports the library does not load that', () => {
    const changesProcess = (path: string) => textOf(path).includes('--heap-growing-percent')
    expect(reachedFrom(manifest.bin.chainlake, 'at once').filter(changesProcess)).toHaveLength(1)
    expect(reachedFrom(library, 'at once').filter(changesProcess)).toEqual([])
  })
})

test('packages that only some lakes need are optional', () => {
  for (const [name, version] of Object.entries<string>(manifest.peerDependencies)) {
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true })
    // Tests of pg-boss take it from npm (.ci/workers): it asks for a newer Node than the oldest that chainlake runs on.
    if (name === 'pg-boss') expect(version).toBe('12.35.0')
    else expect(`^${manifest.devDependencies[name]}`).toBe(version)
  }
})
