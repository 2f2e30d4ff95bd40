import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { closure, type SourceFile, sourceFiles } from './source-files.ts'

const source = sourceFiles('src')
const projects = ['codec', 'devnet', 'src', 'tools'].flatMap(sourceFiles)
const declarations = [...sourceFiles('schemas'), ...sourceFiles('pipelines')]

/** Files and folders that every stage may import. */
const common = ['codec/', 'src/model.ts', 'src/errors.ts', 'src/lib/', 'src/define/', 'src/store/']

/** The folders of `src/` and their additional imports. Folders that compose others are at the end. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  define: [],
  store: [],
  plan: [],
  fetch: [],
  batch: [],
  write: [],
  catalog: [],
  views: [],
  iceberg: [],
  lookup: [],
  decode: ['schemas/'],
  sources: ['src/fetch/'],
  'yaml-lists': ['src/decode/'],
  config: ['pipelines/', 'schemas/', 'src/sources/service-profile.ts', 'src/yaml-lists/'],
  library: ['src/', 'pipelines/', 'schemas/'],
  'pipeline-modules': ['src/config/', 'src/library/', 'src/index.ts', 'pipelines/', 'schemas/'],
  run: ['src/', 'schemas/', 'pipelines/'],
  declared: ['schemas/', 'src/views/'],
  doctor: ['src/', 'schemas/'],
  repair: ['src/', 'schemas/', 'pipelines/'],
  report: ['src/', 'schemas/', 'pipelines/'],
  verify: ['src/', 'schemas/', 'pipelines/'],
  cli: ['src/', 'devnet/', 'schemas/', 'pipelines/'],
}
const stages = ['define', 'plan', 'fetch', 'decode', 'batch', 'write', 'catalog', 'views', 'iceberg', 'lookup']

describe('folders', () => {
  test('are all listed here', () => {
    expect([...new Set(source.map(folderOf))].filter((folder) => folder !== '' && !(folder in allowed))).toEqual([])
  })

  test.each(Object.keys(allowed))('import only what they may: %s', (folder) => {
    const may = [...common, `src/${folder}/`, ...(allowed[folder] ?? [])]
    const wrong = filesOf(folder).flatMap((file) =>
      file.imports
        .filter((path) => !may.some((start) => path.startsWith(start)))
        .map((path) => `${file.path} → ${path}`),
    )
    expect(wrong).toEqual([])
  })

  test.each(stages)('of stages import no other stage indirectly: %s', (folder) => {
    const others = stages.filter((stage) => stage !== folder && stage !== 'define')
    const reached = new Set(closure(filesOf(folder), [...projects, ...declarations]).map(folderOf))
    expect(others.filter((stage) => reached.has(stage))).toEqual([])
  })

  test('other than cli do not import cli, and stages do not import run', () => {
    const wrong = source.filter(
      (file) =>
        (folderOf(file) !== 'cli' && file.imports.some((path) => path.startsWith('src/cli/'))) ||
        (stages.includes(folderOf(file)) && file.imports.some((path) => path.startsWith('src/run/'))),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })
})

describe('imports, also of types,', () => {
  const all = [...projects, ...declarations]
  // The entry of the library is in src/ itself, next to what all folders share.
  const inRooms = all.filter(({ path }) => path !== 'src/index.ts')

  test('of files contain no circle', () => {
    expect(circlesIn(new Map(all.map(({ path, imports }) => [path, new Set(imports)])))).toEqual([])
  })

  test('of folders contain no circle', () => {
    const folder = (path: string) => /^(src\/)?[^/]+/.exec(path)?.[0] ?? ''
    expect(circlesIn(edgesBetween(inRooms, folder))).toEqual([])
  })

  test('of subfolders go one way, other than those of a folder and its own subfolder', () => {
    const edges = edgesBetween(inRooms, dirname)
    const mutual = [...edges].flatMap(([from, targets]) =>
      [...targets]
        .filter((to) => from < to && !to.startsWith(`${from}/`) && edges.get(to)?.has(from) === true)
        .map((to) => `${from} ${to}`),
    )
    expect(mutual).toEqual([])
  })
})

/** The imports between groups of files. */
function edgesBetween(
  files: readonly SourceFile[],
  groupOf: (path: string) => string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const edges = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    const from = groupOf(path)
    const targets = edges.get(from) ?? new Set()
    edges.set(from, targets)
    for (const to of imports.map(groupOf)) if (to !== from) targets.add(to)
  }
  return edges
}

function circlesIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const isDone = new Set<string>()
  const circles: string[] = []
  const visit = (node: string, way: readonly string[]): void => {
    if (way.includes(node)) circles.push([...way.slice(way.indexOf(node)), node].join(' → '))
    if (isDone.has(node) || way.includes(node)) return
    for (const target of edges.get(node) ?? []) visit(target, [...way, node])
    isDone.add(node)
  }
  for (const node of edges.keys()) visit(node, [])
  return circles
}

test.each([
  ['fetch', 'undici'],
  ['fetch', 'p-queue'],
  ['batch', 'apache-arrow'],
  ['write', 'parquet-wasm'],
  ['catalog', '@duckdb/node-api'],
  ['cli', 'yargs'],
  ['cli', 'pino'],
])('%s uses %s, one of the required packages', (folder, name) => {
  const users = source.filter(
    ({ path, externals }) =>
      path.startsWith(`src/${folder}/`) && externals.some((external) => `${external}/`.startsWith(`${name}/`)),
  )
  expect(users.map(({ path }) => path)).not.toEqual([])
})

test('a run starts without a pipeline, a decoder, a codec and the lists of the package: it loads those that its jobs name', () => {
  const starting = projects.filter(({ path }) =>
    ['src/cli/main.ts', 'src/cli/commands/run-jobs.ts', 'src/run/jobs/run-pipelines.ts'].includes(path),
  )
  const loaded = closure(starting, [...projects, ...declarations], (file, path) => file.lateImports.includes(path))
  const wrong = loaded.filter(({ path }) =>
    /^(pipelines\/[^/]+\.ts|src\/(decode|yaml-lists)\/|codec\/(?!errors\.ts))/.test(path),
  )
  expect(starting).toHaveLength(3)
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('only one file reads DuckDB results in chunks, and it detects failures in between', () => {
  const readers = source.filter(({ text }) => /\bfetchChunk\(|\bstreamAndRead/.test(text)).map(({ path }) => path)
  expect(readers).toEqual(['src/lib/duckdb.ts'])
})

test('only one file generates code at run time, and it checks the names in that code', () => {
  const makers = projects.filter(({ text }) => /\bnew Function\(|\beval\(/.test(withoutComments(text)))
  expect(makers.map(({ path }) => path)).toEqual(['codec/generated-code.ts'])
})

test('in src/catalog, only its folder duckdb knows DuckDB files', () => {
  const [behind, before] = [true, false].map((is) =>
    filesOf('catalog').filter(({ path }) => path.startsWith('src/catalog/duckdb/') === is),
  )
  const words = /@duckdb\/|\b(ATTACH|DETACH|CHECKPOINT|PRAGMA)\b|\.wal\b/
  const knowing = (files: readonly SourceFile[] = []) =>
    files.filter(({ text }) => words.test(withoutComments(text))).map(({ path }) => path)
  expect(knowing(before)).toEqual([])
  expect(knowing(behind).length).toBeGreaterThan(2)
})

test('only one folder uses PostgreSQL', () => {
  const users = source.filter(({ externals }) => externals.includes('pg')).map(({ path }) => path)
  expect(users).not.toEqual([])
  expect(users.filter((path) => !path.startsWith('src/catalog/postgres/'))).toEqual([])
})

test('the general folders know no route of the service', () => {
  const general = ['run', 'plan', 'write', 'catalog', 'lookup', 'batch', 'fetch', 'views', 'iceberg']
  const wrong = source.filter(
    (file) =>
      general.includes(folderOf(file)) &&
      (/['"`/]v[12]\//.test(withoutComments(file.text)) ||
        file.imports.some(
          (path) => path === 'src/sources/service-routes.ts' || /^schemas\/(rest|metrics)-/.test(path),
        )),
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})

describe('the declarations of tables and pipelines', () => {
  // The run loads an adapter when it needs it.
  const isAdapter = (file: SourceFile, path: string) =>
    path.startsWith('src/sources/') && file.lateImports.includes(path)
  const everything = closure(declarations, [...projects, ...declarations], isAdapter)

  test('import no module that reads the clock, disk, environment or network', () => {
    // These modules only compute: encodings, hashes, curves, parsers, and WebAssembly from bytes in the package.
    const harmless = [
      ...['@bitauth/libauth/build/lib/crypto/secp256k1.js', '@scure/base', 'hash-wasm', 'node:buffer', 'node:crypto'],
      ...['lossless-json', 'micro-eth-signer/abi.js', 'zod'],
    ]
    // An optional native library of a curve.
    const addon = 'codec/secp256k1.ts → node:module'
    const wrong = everything
      .flatMap((file) =>
        file.externals.filter((name) => !harmless.includes(name)).map((name) => `${file.path} → ${name}`),
      )
      .filter((each) => each !== addon)
    expect(wrong).toEqual([])
  })

  test('use no global with side effects', () => {
    const effect =
      /\b(process\.(?!nextTick)|Date\.now|new Date\(\)|performance\.|globalThis\.|fetch\(|setTimeout|console\.)/
    expect(everything.filter(({ text }) => effect.test(withoutComments(text))).map(({ path }) => path)).toEqual([])
  })

  test('in schemas/ import only declarations', () => {
    const wrong = sourceFiles('schemas').flatMap((file) =>
      file.imports
        .filter((path) => path !== 'src/define/index.ts' && !path.startsWith('schemas/'))
        .map((path) => `${file.path} → ${path}`),
    )
    expect(wrong).toEqual([])
  })
})

test('each thread starts a file that exists', () => {
  const started = source.flatMap(({ path, text }) =>
    [...text.matchAll(/new URL\('(\.[^']+)\.js', import\.meta\.url\)/g)].map(([, name]) =>
      join(dirname(path), `${name}.ts`),
    ),
  )
  const known = new Set(source.map(({ path }) => path))
  expect(started.length).toBe(2)
  expect(started.filter((path) => !known.has(path))).toEqual([])
})

describe('source files', () => {
  test('have at most 800 lines', () => {
    const long = [...projects, ...declarations].filter(({ text }) => text.split('\n').length > 801)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('have no vague names', () => {
    const vague = /(^|[/-])(utils?|helpers?|managers?|misc|common)\.ts$/
    expect([...projects, ...declarations].filter(({ path }) => vague.test(path)).map(({ path }) => path)).toEqual([])
  })

  test('declare classes only for errors', () => {
    const wrong = projects.filter(
      ({ path, text }) =>
        !['codec/errors.ts', 'src/errors.ts'].includes(path) &&
        /^\s*(export\s+)?(abstract\s+)?class\s+\w+(?!\w*\s+extends\s+\w*Error\b)/m.test(text),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })
})

function folderOf({ path }: SourceFile): string {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? ''
}

function filesOf(folder: string): SourceFile[] {
  return source.filter((file) => folderOf(file) === folder)
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}
