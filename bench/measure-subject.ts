import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunSummary } from '../src/run/jobs/start-jobs.ts'
import type { FloorResult, FloorTask } from './floor.ts'
import { runMeasured } from './measured-process.ts'
import { leastOf, type Measurement } from './multiple.ts'
import { programs } from './programs.ts'
import type { Serving, Subject } from './subject.ts'

type Job = RunSummary['jobs'][number]

/** How often each size is measured. */
const rounds = 2

/** Measures one size of a subject and its floor. Throws when the floor copied another number of rows than the run wrote. */
export async function measureSubject(subject: Subject, size: number): Promise<Measurement> {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  const serving = await subject.serve(size)
  try {
    if (serving.rendersFirst) await exportTo(join(folder, 'first'), serving)
    const measured: Measurement[] = []
    while (measured.length < rounds)
      measured.push(await measureRound(subject, serving, mkdtempSync(join(folder, 'round-'))))
    return leastOf(measured)
  } finally {
    serving.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Exports into a new lake in the folder, then runs the floor for the same rows. */
async function measureRound({ name, answers }: Subject, serving: Serving, folder: string): Promise<Measurement> {
  const lake = join(folder, 'lake')
  const { printed, cpuSeconds, peakMiB } = await exportTo(lake, serving)
  const job = onlyJob(printed as RunSummary)
  const written = job.tables.filter(({ rows }) => rows > 0)
  const rows = written.reduce((sum, table) => sum + table.rows, 0)
  const tables = written.map((table) => table.name)
  const questions = await serving.questions()
  const floor = await measureFloor({ url: serving.url, questions, answers, lake, tables, folder })
  if (floor.rows !== rows) throw new Error(`${name}: ${rows} rows, but ${floor.rows} were copied.`)
  const items = job.kind === 'range' ? job.records : rows
  return { items, rows, seconds: job.seconds, cpuSeconds, peakMiB, floorSeconds: floor.cpuSeconds }
}

function exportTo(lake: string, { args }: Serving) {
  return runMeasured(programs.chainlake, ['run', ...args, '--lake', lake, '--json', '--log-level', 'error'])
}

function onlyJob({ jobs }: RunSummary): Job {
  const [job, ...others] = jobs
  if (job === undefined || others.length > 0) throw new Error(`A run had ${jobs.length} jobs where one is measured.`)
  return job
}

async function measureFloor(task: FloorTask): Promise<{ readonly rows: number; readonly cpuSeconds: number }> {
  const file = join(task.folder, 'floor.json')
  writeFileSync(file, JSON.stringify(task))
  const { printed, cpuSeconds } = await runMeasured(programs.floor, [file])
  return { rows: (printed as FloorResult).rows, cpuSeconds }
}
