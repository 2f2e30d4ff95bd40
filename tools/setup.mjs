/**
 * Prepares a fresh clone: checks the version of Node, installs the packages of package-lock.json if node_modules has others, builds, and
 * links the command for `npx chainlake`. Plain JavaScript, because it runs before any package is installed. With the argument `build` it
 * only builds.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

function fail(...lines) {
  for (const line of lines) process.stderr.write(`${line}\n`)
  process.exit(1)
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function checkNode() {
  const [wantedMajor, wantedMinor] = [20, 19]
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return
  fail(
    `error: chainlake needs Node ${wantedMajor}.${wantedMinor} or newer; this is ${process.versions.node}.`,
    'hint: Install a newer Node from https://nodejs.org (24 is recommended).',
  )
}

/** Compares contents, not times: a checkout changes the times of files, and an interrupted install leaves no record. */
function isInstalled() {
  const record = 'node_modules/.package-lock.json'
  if (!existsSync(join(root, record))) return false
  const installed = readJson(record).packages
  const locked = readJson('package-lock.json').packages
  // The optional packages of chainlake itself are for every platform; those of other packages are for some platforms.
  const own = Object.keys(locked[''].optionalDependencies ?? {}).map((name) => `node_modules/${name}`)
  return Object.entries(locked).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed[path]
    return found === undefined ? wanted.optional === true && !own.includes(path) : found.version === wanted.version
  })
}

function run(title, command, args) {
  process.stdout.write(`${title}\n`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (error) fail(`error: ${command} could not be started: ${error.message}`)
  if (status !== 0) fail(`error: ${title.toLowerCase()} failed (exit code ${status}); see above.`)
}

function install() {
  const npm = process.env['npm_execpath']
  const args = ['ci', '--include=dev', '--include=optional', '--prefer-offline', '--no-audit', '--no-fund']
  const title = 'Installing what package-lock.json names (once)'
  if (npm === undefined) run(title, 'npm', args)
  else run(title, process.execPath, [npm, ...args])
}

function build() {
  run('Building', process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'tsconfig.build.json'])
  run('Making the views of an empty lake', process.execPath, ['dist/tools/write-empty-lake.js'])
  run('Collecting the declarations of the library', process.execPath, ['tools/collect-types.mjs'])
  run('Bundling the command and the library', process.execPath, ['tools/bundle-code.mjs'])
  run('Bundling the page of reports', process.execPath, ['tools/bundle-page.mjs'])
  const command = join(root, 'dist/src/cli/main.js')
  chmodSync(command, 0o755)
  if (process.platform === 'win32') return
  const link = join(root, 'node_modules/.bin/chainlake')
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync('../../dist/src/cli/main.js', link)
}

checkNode()
if (process.argv[2] !== 'build' && !isInstalled()) install()
build()
