import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/lib/package-root.ts'

/**
 * Builds `dist/` when a source is newer: worker threads and processes that tests start cannot load TypeScript.
 * `npm test` checks types by itself, so an error here only warns, as long as there is something to run.
 */
export function setup(): void {
  const root = packageRoot()
  bundlePage(root)
  const stamp = join(root, 'dist/.tsbuildinfo')
  if (existsSync(stamp) && statSync(stamp).mtimeMs > newestSource(root)) return
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status === 0) return
  if (!existsSync(join(root, 'dist/src/write/parquet-worker.js'))) throw new Error(`The build failed:\n${stdout}`)
  const first = stdout.split('\n').slice(0, 3).join('\n')
  process.stderr.write(`The build has errors; tests use what it left in dist/.\n${first}\n`)
}

/** What reports are made with is bundled apart. */
function bundlePage(root: string): void {
  const made = join(root, 'dist/report/licences.txt')
  const page = join(root, 'src/report')
  const times = readdirSync(page, { recursive: true, encoding: 'utf8' }).map(
    (file) => statSync(join(page, file)).mtimeMs,
  )
  if (existsSync(made) && statSync(made).mtimeMs > Math.max(...times)) return
  const { status, stderr } = spawnSync(process.execPath, ['src/bundle-page.mjs'], { cwd: root, encoding: 'utf8' })
  if (status !== 0)
    throw new Error(`The page of reports could not be bundled (npm ci installs what is missing):\n${stderr}`)
}

function newestSource(root: string): number {
  const times = ['src', 'pipelines', 'schemas'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => statSync(join(root, folder, file)).mtimeMs),
  )
  return Math.max(...times)
}
