import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageRoot } from '../../src/lib/package.ts'

const script = join(packageRoot(), 'test/catalog/lake-child.mjs')

/** A message of a child process: one JSON object per line. */
export type Said = Record<string, any>

export type Child = {
  readonly process: ChildProcess
  readonly said: Said[]
  /** The next message with this property; rejects if the process ends first. */
  readonly waitFor: (property: string) => Promise<Said>
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Starts a process that works on a lake. `limit` is a shell limit such as `ulimit -f 100`. */
export function startChild(args: readonly string[], options: { dieAt?: string; limit?: string } = {}): Child {
  const command = [process.execPath, script, ...args]
  const shell = ['/bin/sh', '-c', `${options.limit ?? ':'}; exec "$@"`, 'sh', ...command]
  const [file = '', ...rest] = options.limit === undefined ? command : shell
  const child = spawn(file, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(options.dieAt === undefined ? {} : { CHAINLAKE_DIE_AT: options.dieAt }) },
  })
  const said: Said[] = []
  const waiting: { property: string; resolve: (value: Said) => void }[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Said
    said.push(message)
    for (const { property, resolve } of waiting) if (property in message) resolve(message)
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return {
    process: child,
    said,
    ended,
    waitFor: (property) => {
      const known = said.find((message) => property in message)
      if (known !== undefined) return Promise.resolve(known)
      const answer = new Promise<Said>((resolve) => waiting.push({ property, resolve }))
      const failure = ended.then(({ code, signal }) => {
        throw new Error(`ended (${code ?? signal}) before it said ${property}: ${JSON.stringify(said)}`)
      })
      return Promise.race([answer, failure])
    },
  }
}
