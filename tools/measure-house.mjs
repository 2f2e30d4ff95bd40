/**
 * Prints how large the project is, and how many of its files take part in common runs: `node tools/measure-house.mjs`. A file takes part if
 * one of its named functions ran, by the coverage of V8. The code runs unbundled, with one thread, against the simulated network.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, 'dist/unbundled')
const main = join(built, 'src/cli/main.js')

function sizeOf(folders) {
  const tracked = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8' }).split('\n')
  const files = tracked.filter((path) => /\.(ts|mjs|sql|css|yaml)$/.test(path))
  const text = files.map((path) => readFileSync(join(root, path), 'utf8')).join('')
  const count = (pattern) => text.match(pattern)?.length ?? 0
  return { folder: folders.join(' '), files: files.length, lines: count(/\n/g), types: count(/^export type \w/gm) }
}

const house = ['codec', 'pipelines', 'schemas', 'src', 'tools']
console.table([...[...house, 'devnet', 'test', 'bench'].map((folder) => [folder]), house].map(sizeOf))

const options = ['-p', 'tsconfig.json', '--noEmit', 'false', '--outDir', built, '--incremental', 'false']
const extensions = ['--allowImportingTsExtensions', 'false', '--rewriteRelativeImportExtensions']
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options, ...extensions], {
  cwd: root,
  stdio: 'inherit',
})
const network = spawn(process.execPath, [main, 'devnet', '--port', '0', '--blocks', '300', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const work = mkdtempSync(join(tmpdir(), 'chainlake-house-'))
try {
  const [answer] = await once(network.stdout, 'data')
  const { url } = JSON.parse(answer)
  const lake = ['--lake', join(work, 'containers')]
  const container = ['run', 'p-blocks', '--node-url', url, ...lake]
  const service = ['--network', 'local', '--data-url', url, '--node-url', url, '--lake', join(work, 'pages')]
  const ways = {
    'a container of the P-Chain': container,
    'a run with nothing to do': container,
    'a page of a REST list': ['run', 'rest-transactions', '--blockchain', 'p-chain', ...service],
    'a query': ['sql', 'SELECT count(*) FROM p_blocks', ...lake],
    status: ['status', ...lake],
  }
  console.table(Object.entries(ways).map(([way, args]) => ({ way, ...filesOf(args, join(work, way)) })))
} finally {
  network.kill()
  for (const folder of [work, built]) rmSync(folder, { recursive: true, force: true })
}

/** How many files of the project a command loads, and in how many of them a named function runs. */
function filesOf(args, coverage) {
  const env = { ...process.env, NODE_V8_COVERAGE: coverage, CHAINLAKE_THREADS: '1', NO_COLOR: '1' }
  execFileSync(process.execPath, ['--no-warnings', main, ...args, '--log-level', 'error'], { env })
  const scripts = readdirSync(coverage)
    .flatMap((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result)
    .filter(({ url }) => url.startsWith(`file://${built}/`))
  const ran = scripts.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0),
  )
  const count = (some) => new Set(some.map(({ url }) => url)).size
  return { loaded: count(scripts), 'took part': count(ran) }
}
