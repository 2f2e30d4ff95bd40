/**
 * Puts the code of the package into few files, in place of the entries that the compiler wrote: a command that has nothing to do spent
 * most of its time on finding, reading and linking some hundred modules. The command and the library share their files, so that an error
 * that a run throws is of the class that a program imports. Plain JavaScript, since the build runs it.
 */
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const source = dirname(fileURLToPath(import.meta.url))
const root = dirname(source)
const folder = join(root, 'dist/src')

const command = join(source, 'cli/main.ts')
const library = join(source, 'index.ts')

/** Next to the chunks, since threads are started by the name of the file next to the one that starts them. */
const threads = {
  'parquet-worker': join(source, 'write/parquet-worker.ts'),
  'decode-worker': join(source, 'run/decode-threads/decode-worker.ts'),
  'unit-worker': join(source, 'run/executors/unit-worker.ts'),
}

/**
 * Of undici what transports use, put together as its own entry does it: that one loads everything from fetch to WebSockets as well,
 * which takes a tenth of a run that has nothing to do.
 */
const poolAlone = `
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
  import Pool from 'undici/lib/dispatcher/pool.js'
  import api from 'undici/lib/api/index.js'
  Object.assign(Dispatcher.prototype, api)
  export { Pool }
`
/** Transports offer HTTP/1.1 alone, so that nothing calls it; Node's HTTP/2, which it loads, takes as long as the rest of undici. */
const noHttp2 = 'module.exports = () => { throw new Error("HTTP/2 is not offered") }'

const onlyPool = {
  name: 'only-pool',
  resolveId: (id) => {
    if (id === 'undici') return '\0only-pool'
    return /(^|\/)client-h2(\.js)?$/.test(id) ? '\0no-http2.cjs' : null
  },
  load: (id) => {
    if (id === '\0only-pool') return poolAlone
    return id === '\0no-http2.cjs' ? noHttp2 : null
  },
}

/** Of hash-wasm what is used, from a file of its own: the package's entry holds twenty hashes more, as WebAssembly. */
const keccakAlone = {
  name: 'keccak-alone',
  resolveId: (id) => (id === 'hash-wasm' ? '\0keccak-alone' : null),
  load: (id) => {
    if (id !== '\0keccak-alone') return null
    return "import keccak from 'hash-wasm/dist/keccak.umd.min.js'; export const { createKeccak } = keccak"
  },
}

/** Packages with files of their own (a native library, WebAssembly), and those that users install when they need them. */
const optional = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).peerDependencies)
const apart = [/^@duckdb\/node-bindings/, /^parquet-wasm/, ...optional]

/** Makes files of what entries load. */
async function bundle(input, output) {
  const plugins = [onlyPool, keccakAlone]
  const made = await rolldown({ input, platform: 'node', external: apart, plugins, logLevel: 'warn' })
  await made.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: 'bundle/[name]-[hash].js',
    // Names stay: errors show them.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    ...output,
  })
  await made.close()
}

/** The modules that an entry loads before it does anything. */
function loadedBy(entry, graph) {
  const loaded = new Set([entry])
  for (const id of loaded) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) loaded.add(imported)
  return loaded
}

/** Of the modules that every command loads, those that the library loads too, or those that it does not. */
function startFile(name, isOfLibrary) {
  let ofCommand
  let ofLibrary
  return (id, graph) => {
    ofCommand ??= loadedBy(command, graph)
    ofLibrary ??= loadedBy(library, graph)
    // The command's entry stays out: it waits for the command, so files that it is in would wait for it.
    return id !== command && ofCommand.has(id) && ofLibrary.has(id) === isOfLibrary ? name : null
  }
}

rmSync(join(folder, 'bundle'), { recursive: true, force: true })
await bundle(
  { 'cli/main': command, index: library },
  {
    entryFileNames: '[name].js',
    codeSplitting: {
      groups: [
        // Two files for what every command loads: importing the library runs nothing of the command.
        { name: startFile('shared', true), debugName: 'shared', priority: 3 },
        { name: startFile('command', false), debugName: 'command', priority: 2 },
        // What all of those load that know pipelines; curves only where senders are recovered.
        {
          name: 'definitions',
          test: /\/(pipelines|schemas|src\/(define|decode|codec))\/(?!.*(senders|signers|secp256k1))/,
          priority: 1,
        },
      ],
    },
  },
)
// On their own: what a thread loads is no reason to cut the files of commands smaller.
await bundle(threads, { entryFileNames: 'bundle/[name].js' })
