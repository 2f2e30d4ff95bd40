/**
 * Prints how large the project is, and how many of its files take part in common runs: `node tools/measure-house.mjs`. A file takes part if
 * one of its named functions ran, by the coverage of V8. The code runs unbundled, with one thread, against the simulated network.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, 'dist/unbundled')

const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
const measured = ['codec', 'pipelines', 'schemas', 'src', 'tools', 'devnet', 'test', 'bench']

function sizeOf(folder) {
  const files = tracked.filter((path) => path.startsWith(`${folder}/`) && /\.(ts|mjs|sql|css|yaml)$/.test(path))
  const texts = files
    .filter((path) => existsSync(join(root, path)))
    .map((path) => readFileSync(join(root, path), 'utf8'))
  const count = (pattern) => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0)
  return {
    folder,
    files: texts.length,
    lines: count(/\n/g),
    'exported types': count(/^export type \w/gm),
  }
}

const sizes = measured.map(sizeOf)
const house = sizes.filter(({ folder }) => !['devnet', 'test', 'bench'].includes(folder))
const sum = (name) => house.reduce((total, size) => total + size[name], 0)
console.table([
  ...house,
  { folder: 'sum', files: sum('files'), lines: sum('lines'), 'exported types': sum('exported types') },
  ...sizes.filter((size) => !house.includes(size)),
])

const compiled = spawnSync(
  process.execPath,
  [
    ...['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit', 'false', '--outDir', built],
    ...['--allowImportingTsExtensions', 'false', '--rewriteRelativeImportExtensions', '--incremental', 'false'],
  ],
  { cwd: root, stdio: 'inherit' },
)
if (compiled.status !== 0) process.exit(1)
const main = join(built, 'src/cli/main.js')

const work = mkdtempSync(join(tmpdir(), 'chainlake-house-'))
const network = spawn(process.execPath, [main, 'devnet', '--port', '0', '--blocks', '300', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const { url } = await new Promise((resolve, reject) => {
    let text = ''
    network.stdout.on('data', (data) => {
      text += data
      if (text.includes('\n')) resolve(JSON.parse(text))
    })
    network.on('exit', () => reject(new Error('The simulated network ended.')))
  })
  const container = ['run', 'p-blocks', '--node-url', url, '--lake', join(work, 'containers')]
  const page = ['run', 'rest-transactions', '--blockchain', 'p-chain', '--network', 'local', '--data-url', url]
  const ways = [
    ['a container of the P-Chain', container],
    ['a run with nothing to do', container],
    ['a page of a REST list', [...page, '--node-url', url, '--lake', join(work, 'pages')]],
    ['a query', ['sql', 'SELECT count(*) FROM p_blocks', '--lake', join(work, 'containers')]],
    ['status', ['status', '--lake', join(work, 'containers')]],
  ]
  console.table(ways.map(([way, args], at) => ({ way, ...filesOf(args, join(work, `coverage-${at}`)) })))
} finally {
  network.kill()
  rmSync(work, { recursive: true, force: true })
  rmSync(built, { recursive: true, force: true })
}

/** How many files of the project a command loads, and in how many of them a named function runs. */
function filesOf(args, coverage) {
  mkdirSync(coverage)
  const env = { ...process.env, NODE_V8_COVERAGE: coverage, CHAINLAKE_THREADS: '1', NO_COLOR: '1' }
  const { status, stderr } = spawnSync(process.execPath, ['--no-warnings', main, ...args, '--log-level', 'error'], {
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`chainlake ${args.join(' ')} ended with ${status}: ${stderr}`)
  const loaded = new Set()
  const ran = new Set()
  for (const file of readdirSync(coverage)) {
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, file), 'utf8')).result) {
      if (!url.startsWith('file:')) continue
      const path = relative(built, fileURLToPath(url))
      if (path.startsWith('..')) continue
      loaded.add(path)
      if (functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)) ran.add(path)
    }
  }
  return { loaded: loaded.size, 'took part': ran.size }
}
