import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../src/lib/package.ts'

const root = packageRoot()
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

export type UnpackedPackage = {
  /** A project that has only the package and its declared dependencies. */
  readonly project: string
  /** The folder of the package in the project. */
  readonly folder: string
  readonly files: readonly { readonly path: string; readonly size: number }[]
}

/** Unpacks the result of `npm pack` into a new project. */
export function unpackPackage(): UnpackedPackage {
  const project = mkdtempSync(join(tmpdir(), 'chainlake-package-'))
  const pack = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', project]
  const [report] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }))
  const folder = join(project, 'node_modules/chainlake')
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', join(project, report.filename), '--strip-components=1', '-C', folder])
  const unpacked = { project, folder, files: report.files }
  for (const name of Object.keys(manifest.dependencies)) addPackage(unpacked, name)
  return unpacked
}

/** Adds a package of the checkout to the project. */
export function addPackage({ project }: UnpackedPackage, name: string): void {
  const path = join(project, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), path)
}

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs Node in the project until it ends. */
export async function runNode({ project }: UnpackedPackage, args: readonly string[]): Promise<Ended> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, args, { cwd: project })) }
  } catch (error) {
    return error as Ended
  }
}

/** Runs the installed command until it ends. */
export function runInstalled(unpacked: UnpackedPackage, ...args: readonly string[]): Promise<Ended> {
  return runNode(unpacked, [join(unpacked.folder, manifest.bin.chainlake), ...args])
}
