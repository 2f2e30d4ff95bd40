import { type ChildProcess, spawn } from 'node:child_process'
import { endWithBench } from './end-with-bench.ts'

/** A program that serves on loopback. It is a process of its own, so that its CPU time does not count for the measured process. */
export type ServerProcess = { readonly url: string; readonly close: () => void }

/** Starts a server and waits until its stdout names a URL. Throws when the server ends before. */
export async function startServer(program: string, args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  endWithBench(child)
  return { url: await urlOf(child, program), close: () => child.kill() }
}

function urlOf(child: ChildProcess, program: string): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`${program} ended before it served: ${text}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const url = /http:\/\/[\d.:]+\d/.exec(text)?.[0]
      if (url !== undefined) resolve(url)
    })
  })
}
