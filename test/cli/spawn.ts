import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../../src/lib/package.ts'

export const mainPath = join(packageRoot(), 'dist/src/cli/main.js')

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export type SpawnOptions = { cwd?: string; env?: Record<string, string>; input?: string }

/** Runs the built command with a clean environment and waits for its end. */
export function chainlake(args: readonly string[], options: SpawnOptions = {}): Promise<Finished> {
  return finished(startChainlake(args, options), options.input)
}

export function startChainlake(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHAINLAKE_'))
  return spawn(process.execPath, [mainPath, ...args], {
    cwd: options.cwd ?? process.cwd(),
    env: { ...Object.fromEntries(inherited), ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export function finished(child: ChildProcess, input = ''): Promise<Finished> {
  return new Promise((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
