import { spawn } from 'node:child_process'
import { endWithBench } from './end-with-bench.ts'
import { reporter } from './programs.ts'

/** CPU and memory of a process from its start to its end, over all threads. */
export type Usage = { readonly cpuSeconds: number; readonly peakMiB: number }

/** Runs a program to its end. Returns the JSON that it printed, and its usage. Throws when it fails. */
export async function runMeasured(
  program: string,
  args: readonly string[],
): Promise<Usage & { readonly printed: unknown }> {
  const { stdout, cpuSeconds, peakMiB } = await runForText(program, args)
  return { printed: JSON.parse(stdout), cpuSeconds, peakMiB }
}

/** The same for a program that does not print JSON. */
export function runForText(program: string, args: readonly string[]): Promise<Usage & { readonly stdout: string }> {
  const child = spawn(process.execPath, ['--import', reporter, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  endWithBench(child)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += chunk.toString()
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`${program} ${args.join(' ')} ended with ${code}: ${texts.stderr}`))
      const usage = JSON.parse(texts.stderr.trim().split('\n').at(-1) ?? '') as Usage
      resolve({ stdout: texts.stdout, ...usage })
    })
  })
}
