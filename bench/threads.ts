import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunSummary } from '../src/run/jobs/start-jobs.ts'
import { containerSubjects } from './containers.ts'
import { runMeasured } from './measured-process.ts'
import { programs } from './programs.ts'
import type { Serving } from './subject.ts'

const rounds = 2
/** Two threads with their encoders and the server need this many processors. With fewer, times are not compared. */
const leastProcessors = 4

/** The cost of two threads compared with one, at the large size of each range of containers. Rounds alternate; the smallest values count. */
export async function threadLines(): Promise<string[]> {
  const lines: string[] = []
  for (const { name, sizes, serve } of containerSubjects) {
    const serving = await serve(sizes[1])
    try {
      const runs: { one: Run; two: Run }[] = []
      while (runs.length < rounds) runs.push({ one: await exportIn(1, serving), two: await exportIn(2, serving) })
      lines.push(lineOf(name, leastOf(runs.map(({ one }) => one)), leastOf(runs.map(({ two }) => two))))
    } finally {
      serving.close()
    }
  }
  return lines
}

type Run = { readonly seconds: number; readonly cpuSeconds: number; readonly peakMiB: number }

async function exportIn(threads: number, { args }: Serving): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  try {
    const all = ['run', ...args, '--lake', join(folder, 'lake'), '--threads', String(threads)]
    const { printed, ...usage } = await runMeasured(programs.chainlake, [...all, '--json', '--log-level', 'error'])
    return { ...usage, seconds: (printed as RunSummary).jobs[0]!.seconds }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function leastOf(runs: readonly Run[]): Run {
  const least = (of: (run: Run) => number) => Math.min(...runs.map(of))
  return {
    seconds: least(({ seconds }) => seconds),
    cpuSeconds: least(({ cpuSeconds }) => cpuSeconds),
    peakMiB: least(({ peakMiB }) => peakMiB),
  }
}

function lineOf(name: string, one: Run, two: Run): string {
  const cpu = `${(two.cpuSeconds / one.cpuSeconds).toFixed(2)} × the CPU (${two.cpuSeconds.toFixed(1)} s)`
  const memory = `${(two.peakMiB - one.peakMiB).toFixed(0)} MiB more`
  const processors = availableParallelism()
  const time =
    processors < leastProcessors
      ? `time not compared on ${processors} processors`
      : `${(one.seconds / two.seconds).toFixed(2)} × as fast`
  return `${name} in two threads: ${cpu}, ${memory}, ${time}`
}
