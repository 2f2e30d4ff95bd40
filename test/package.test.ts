import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../src/lib/package-root.ts'

const root = packageRoot()
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
let folder = ''
let packed: string[] = []

/** Unpacks what `npm pack` gives into a project that has the declared dependencies and nothing else. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-package-'))
  const [report] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }),
  )
  packed = report.files.map(({ path }: { path: string }) => path)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'chainlake'), { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, report.filename), '--strip-components=1', '-C', join(modules, 'chainlake')])
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(...args: string[]): string {
  const main = join(folder, 'node_modules/chainlake', manifest.bin.chainlake)
  return execFileSync(process.execPath, [main, ...args], { cwd: folder, encoding: 'utf8' })
}

test('the package holds the build, the SQL of the views and the schema, and no sources or tests', () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      'package.json',
      'README.md',
      'chainlake.schema.json',
      'dist/src/index.js',
      'dist/src/index.d.ts',
    ]),
  )
  expect(packed.some((path) => /^schemas\/views\/.*\.sql$/.test(path))).toBe(true)
  expect(
    packed.filter((path) => /^(src|test|bench|output|node_modules)\/|\.tsbuildinfo$|dist\/test\//.test(path)),
  ).toEqual([])
  expect(packed.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([])
})

test('the installed command works with the declared dependencies only', () => {
  expect(run('--version').trim()).toBe(manifest.version)
  expect(run('tables')).toContain('p_blocks')
  expect(run('describe', 'p_blocks')).toContain('block_id')
  run('init')
  expect(existsSync(join(folder, 'chainlake.yaml'))).toBe(true)
  expect(run('validate')).toContain('is fine')
})

test('the installed package can be imported', () => {
  const code = `import { pipelines, tables } from 'chainlake'; console.log(pipelines[0].name, tables.length)`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' })
  expect(printed).toMatch(/^p-blocks \d+$/m)
})

test('senders are recovered where the addon is not installed, too', () => {
  // Its folder of packages has none of the optional dependencies.
  const recovery = join(folder, 'node_modules/chainlake/dist/src/codec/secp256k1')
  const code = `
    const { loadAddon } = await import(${JSON.stringify(pathToFileURL(join(recovery, 'addon.js')).href)})
    const { recoverPublicKey } = await import(${JSON.stringify(pathToFileURL(join(recovery, 'index.js')).href)})
    const one = new Uint8Array(64)
    one[31] = one[63] = 1
    console.log(loadAddon(), recoverPublicKey(new Uint8Array(32).fill(7), one, 0).length)`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' })
  expect(printed.trim()).toBe('null 64')
})

test('a lake in S3 says which packages it needs where they are not installed', () => {
  const store = join(folder, 'node_modules/chainlake/dist/src/store/open-store.js')
  const place = { kind: 's3', lake: folder, bucket: 'bucket', prefix: '', cache: { folder, bytes: 1, maxDownload: 1 } }
  const code = `
    const { openStore } = await import(${JSON.stringify(pathToFileURL(store).href)})
    await openStore(${JSON.stringify(place)}).list('data/').catch(({ code, hint }) => console.log(code, hint))`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' })
  expect(printed).toContain('storage.package Install them where chainlake is: npm install @aws-sdk/client-s3@3')
  for (const [name, version] of Object.entries<string>(manifest.peerDependencies)) {
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true })
    // Tests of pg-boss take it from npm (.ci/workers): it asks for a newer Node than the oldest that chainlake runs on.
    if (name === 'pg-boss') expect(version).toBe('12.35.0')
    else expect(`^${manifest.devDependencies[name]}`).toBe(version)
  }
})

test('the public names are these', async () => {
  const api = await import('../src/index.ts')
  expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
    [
      "CatalogError",
      "CatalogUnreachableError",
      "ChainlakeError",
      "ConfigError",
      "DecodeError",
      "DefinitionError",
      "HttpError",
      "LockedError",
      "OtherSourceError",
      "PostponedError",
      "RateLimitError",
      "RpcError",
      "SchemaChangedError",
      "SchemaError",
      "StorageError",
      "StreamTakenError",
      "TimeoutError",
      "TransportError",
      "UnknownVersionError",
      "VerifyError",
      "containerPipelines",
      "day",
      "derivedView",
      "duckdbType",
      "emptyQuery",
      "fieldsOf",
      "identity",
      "identityColumns",
      "indexPipeline",
      "lakeStatus",
      "latestView",
      "latestViews",
      "month",
      "nodeStream",
      "p",
      "parquetQuery",
      "pipeline",
      "pipelines",
      "planPipelines",
      "republishLake",
      "rowGroupRows",
      "runPipelines",
      "servicePipelines",
      "serviceStream",
      "t",
      "table",
      "tables",
      "theNode",
      "viewColumn",
    ]
  `)
})
