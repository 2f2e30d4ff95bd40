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

/** Packages with files of their own: a native library, WebAssembly. */
const apart = [/^@duckdb\/node-bindings/, /^parquet-wasm/]

rmSync(join(folder, 'bundle'), { recursive: true, force: true })
const bundle = await rolldown({
  input: { main: join(source, 'cli/main.ts'), ...threads },
  platform: 'node',
  external: apart,
  logLevel: 'warn',
})
await bundle.write({
  dir: folder,
  format: 'esm',
  entryFileNames: ({ name }) => (name === 'main' ? 'main.js' : 'bundle/[name].js'),
  chunkFileNames: 'bundle/[name]-[hash].js',
})
await bundle.close()
