import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/lib/package.ts'

const root = packageRoot()
/** The last file that a build writes. */
const made = join(root, 'dist/report/licences.txt')

/**
 * Builds `dist/` when a source is newer, because worker threads and child processes of tests cannot load TypeScript.
 * `npm test` checks types itself, so a build error is only a warning while an older build exists.
 */
export function setup(): void {
  const madeMs = existsSync(made) ? statSync(made).mtimeMs : 0
  if (madeMs > newestSource()) return
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/setup.mjs', 'build'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status === 0) return
  if (madeMs === 0) throw new Error(`The build failed (npm ci installs what is missing):\n${stdout}${stderr}`)
  const first = `${stdout}${stderr}`.split('\n').slice(0, 4).join('\n')
  process.stderr.write(`The build has errors; tests use what it left in dist/.\n${first}\n`)
}

function newestSource(): number {
  const times = ['codec', 'devnet', 'src', 'pipelines', 'schemas', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs),
  )
  return Math.max(...times)
}
