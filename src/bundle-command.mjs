/**
 * Puts what the command line loads into few files, in place of its entry that the compiler wrote: a command that has nothing to do
 * spent most of its time on finding, reading and linking some hundred modules. The library's entry stays as the compiler wrote it.
 * Plain JavaScript, since the build runs it.
 */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const source = dirname(fileURLToPath(import.meta.url))
const folder = join(dirname(source), 'dist/src/cli')

/** Beside the chunks, since threads are started by the name of the file next to the one that starts them. */
const threads = {
  'parquet-worker': join(source, 'write/parquet-worker.ts'),
  'decode-worker': join(source, 'run/range/decode-worker.ts'),
  'unit-worker': join(source, 'run/range/unit-worker.ts'),
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

/** Packages with files of their own: a native library, WebAssembly; and those that may be missing. */
const apart = [/^@duckdb\/node-bindings/, /^parquet-wasm/, /^@aws-sdk\//]

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

rmSync(join(folder, 'bundle'), { recursive: true, force: true })
await bundle(
  { main: join(source, 'cli/main.ts') },
  {
    entryFileNames: 'main.js',
    codeSplitting: {
      groups: [
        // What every command loads, but the entry itself: it waits for the command, whose files would wait for it.
        { name: 'command', tags: ['$initial'], test: /(?<!\/cli\/main\.ts)$/, priority: 2 },
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
