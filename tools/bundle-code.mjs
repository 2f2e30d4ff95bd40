/**
 * Bundles the code of the package into few files, which replace the entries that the compiler wrote. Without bundles, a command that has
 * nothing to do spends most of its time on finding, reading and linking some hundred modules. The command and the library share their
 * files, so that an error that a run throws has the class that a program imports. Plain JavaScript, because the build runs it.
 */
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { parse } from 'yaml'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(root, 'src')
const folder = join(root, 'dist/src')

const command = join(source, 'cli/main.ts')
const library = join(source, 'index.ts')

/** What commands load that only read a lake: the declarations of tables, and for queries those of views. */
const readers = {
  tables: join(source, 'cli/commands/show-status.ts'),
  views: join(source, 'cli/commands/run-sql.ts'),
}

/** These files are next to the chunks, because a thread is started by the name of a file next to the one that starts it. */
const threads = {
  'parquet-worker': join(source, 'write/parquet-worker.ts'),
  'slice-thread': join(source, 'run/ranges/slice-thread.ts'),
}

/**
 * The part of undici that transports use, combined as undici's own entry does it. That entry also loads everything from fetch to
 * WebSockets, which takes a tenth of the time of a run that has nothing to do.
 */
const poolAlone = `
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
  import Pool from 'undici/lib/dispatcher/pool.js'
  import api from 'undici/lib/api/index.js'
  Object.assign(Dispatcher.prototype, api)
  export { Pool }
`
/** Transports offer only HTTP/1.1, so nothing calls this. The original loads Node's HTTP/2, which takes as long as the rest of undici. */
const noHttp2 = 'module.exports = () => { throw new Error("HTTP/2 is not offered") }'

/** The client of WebSockets, which only runs load that listen to new blocks. */
const webSocket = `
  export { default as buildConnector } from 'undici/lib/core/connect.js'
  export { default as Client } from 'undici/lib/dispatcher/client.js'
  export { WebSocket } from 'undici/lib/web/websocket/websocket.js'
`

/** How connections begin, which only runs behind a proxy load. */
const connectorAlone = "export { default as buildConnector } from 'undici/lib/core/connect.js'"

/** What files get of undici; every other file gets the pool. */
const ofUndici = { '/fetch/web-socket.ts': webSocket, '/lib/proxy.ts': connectorAlone }

const partsOfUndici = {
  name: 'parts-of-undici',
  resolveId: (id, importer) => {
    if (id === 'undici') return `\0undici${Object.keys(ofUndici).find((end) => importer?.endsWith(end)) ?? ''}`
    return /(^|\/)client-h2(\.js)?$/.test(id) ? '\0no-http2.cjs' : null
  },
  load: (id) => {
    if (id.startsWith('\0undici')) return ofUndici[id.slice('\0undici'.length)] ?? poolAlone
    return id === '\0no-http2.cjs' ? noHttp2 : null
  },
}

/** The part of hash-wasm that chainlake uses, from a file of its own. The entry of the package holds twenty more hashes, as WebAssembly. */
const keccakAlone = {
  name: 'keccak-alone',
  resolveId: (id) => (id === 'hash-wasm' ? '\0keccak-alone' : null),
  load: (id) => {
    if (id !== '\0keccak-alone') return null
    return "import keccak from 'hash-wasm/dist/keccak.umd.min.js'; export const { createKeccak } = keccak"
  },
}

/** Data that commands read as they start, as text in JSON, which is read several times as fast as YAML or an object in code. */
const dataAsJson = {
  name: 'data-as-json',
  load: (id) => {
    if (id === join(root, 'schemas/ids.json') || id === join(root, 'schemas/views/views.json')) {
      return { code: `export default ${parsed(JSON.parse(readFileSync(id, 'utf8')))}`, moduleType: 'js' }
    }
    if (id !== join(source, 'config/shipped-lists-text.ts')) return null
    return `export const shippedListsText = () => ${parsed(parse(readFileSync(join(root, 'pipelines/lists.yaml'), 'utf8')))}`
  },
}

/** In the bundle one file holds all pipelines, since many small files take longer to read: a pipeline by its name is one of them. */
const pipelinesTogether = {
  name: 'pipelines-together',
  load: (id) => {
    const byName = join(root, 'pipelines/shared/by-name.ts')
    if (id !== byName && id !== join(root, 'pipelines/index.ts')) return null
    const file = /\(await import\('\.\.\/([\w-]+)\.ts'\)\)\.(\w+)/g
    const text = readFileSync(byName, 'utf8')
    const one = "(await import('../index.ts')).pipelines.find(({ name }) => name === '$1')!"
    if (id === byName) return { code: text.replace(file, one), moduleType: 'ts' }
    const found = [...text.matchAll(file)]
    const imports = found.map(([, name, constant]) => `import { ${constant} } from './${name}.ts'`)
    const list = found.map(([, , constant]) => constant)
    return { code: `${imports.join('\n')}\nexport const pipelines = [${list}]`, moduleType: 'ts' }
  },
}

function parsed(value) {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
}

/** Packages with files of their own (a native library, WebAssembly), and packages that users install when they need them. */
const optional = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).peerDependencies)
const apart = [/^@duckdb\/node-bindings/, /^parquet-wasm/, ...optional]

/** Bundles the modules that entries load. */
async function bundle(input, output) {
  const plugins = [partsOfUndici, keccakAlone, dataAsJson, pipelinesTogether]
  const made = await rolldown({
    input,
    platform: 'node',
    external: apart,
    plugins,
    logLevel: 'warn',
    // Pipelines load a reader of signatures with or without the recovery of signers, which loads all readers: one chunk serves both.
    checks: { ineffectiveDynamicImport: false },
  })
  await made.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: 'bundle/[name]-[hash].js',
    // Names of functions and classes stay, because errors show them.
    minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    ...output,
  })
  await made.close()
}

/** The modules that an entry loads before it does anything. The bundler asks for each module, so they are kept by entry. */
function loadedBy(entry, graph) {
  if (loadedByEntry.has(entry)) return loadedByEntry.get(entry)
  const loaded = new Set([entry])
  loadedByEntry.set(entry, loaded)
  for (const id of loaded) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) loaded.add(imported)
  return loaded
}

const loadedByEntry = new Map()

/** Selects the declarations that a command needs that only reads a lake, without pipelines and decoders. */
function declarationsFile(id, graph) {
  if (!/\/(schemas\/|src\/(define\/|lib\/|model\.ts))/.test(id)) return null
  return Object.keys(readers).find((name) => loadedBy(readers[name], graph).has(id)) ?? null
}

/** Selects modules that every command loads: those that the library also loads, or those that it does not. */
function startFile(name, isOfLibrary) {
  return (id, graph) => {
    // The command's entry stays out. It waits for the command, so a file that contains it would wait for the command too.
    return id !== command && loadedBy(command, graph).has(id) && loadedBy(library, graph).has(id) === isOfLibrary
      ? name
      : null
  }
}

rmSync(join(folder, 'bundle'), { recursive: true, force: true })
await bundle(
  { 'cli/main': command, index: library },
  {
    entryFileNames: '[name].js',
    codeSplitting: {
      groups: [
        // Two files for the modules that every command loads, so that importing the library runs no code of the command.
        { name: startFile('shared', true), debugName: 'shared', priority: 3 },
        { name: startFile('command', false), debugName: 'command', priority: 2 },
        { name: declarationsFile, debugName: 'declarations', priority: 1.5 },
        // The modules that all code about pipelines loads. The elliptic curves stay out, because only the recovery of senders needs them.
        {
          name: 'definitions',
          test: /\/(pipelines|schemas|codec|src\/(define|decode))\/(?!.*(senders|signers|secp256k1))/,
          priority: 1,
        },
      ],
    },
  },
)
// Threads have bundles of their own, so that their modules do not split the files of commands further.
await bundle(threads, { entryFileNames: 'bundle/[name].js' })
