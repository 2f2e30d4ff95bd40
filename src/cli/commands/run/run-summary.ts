import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { durationText } from '../../../lib/text/duration-text.ts'
import type { Postponement } from '../../../run/job/postponement.ts'
import type { RunSummary } from '../../../run/jobs/run-options.ts'
import type { JobResult, Unanswered } from '../../../run/rows/job-result.ts'
import { textTable } from '../../terminal/text-table.ts'

export const nothingFetched = 'Stopped before anything was fetched.'

/** The result of each job of a run, for people. */
export function jobTexts(summary: RunSummary): string[] {
  return summary.jobs.map((job) => jobText(job, summary.network))
}

/** How the runs of a command ended; null when there was nothing new. */
export function closingText(
  summaries: readonly RunSummary[],
  lakeDir: string,
  ended: 'signal' | 'deadline' | null,
): string | null {
  if (ended === 'deadline') return 'Stopped at the deadline; the rows above are committed. Run again to resume.'
  if (ended === 'signal') return 'Stopped by a signal; the rows above are committed. Run again to resume.'
  return summaries.some(({ jobs }) => jobs.some((job) => !job.upToDate)) ? `Lake: ${lakeDir}` : null
}

/** Jobs that ended early and must be run again later. */
export type Postponed = { readonly names: readonly string[]; readonly postponement: Postponement }

/** One line per reason. */
export function postponedText(postponed: readonly Postponed[]): string | null {
  const reasons = new Map<string, Postponed>()
  for (const one of postponed) {
    const { resumeAt, reason } = one.postponement
    const names = [...(reasons.get(reason)?.names ?? []), ...one.names]
    // Consecutive jobs may get the same reason with times that differ by seconds: the last time counts.
    reasons.set(reason, { names, postponement: { ...one.postponement, resumeAt } })
  }
  const lines = [...reasons.values()].map(({ names, postponement: { resumeAt, reason, hint } }) => {
    const time = resumeAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')
    return `Resume after ${time} (${names.join(', ')}): ${reason}${hint === null ? '' : ` ${hint}`}`
  })
  return lines.length === 0 ? null : lines.join('\n')
}

function jobText(job: JobResult, network: string): string {
  if (job.kind === 'list') return listText(job)
  const stream = `${job.name === job.pipeline ? '' : `${job.name}: `}${job.pipeline} (${network}, ${job.stream})`
  if (job.head === null) {
    const empty = job.record === 'container' ? 'the index is empty' : `there is no ${job.record} yet`
    return job.postponed === null ? `${stream}: up to date: ${empty}.` : `${stream}: nothing yet.`
  }
  const head = countText(job.head)
  if (job.upToDate)
    return `${stream}: up to date at ${job.record === 'container' ? 'index' : job.record} ${head}: nothing new.`
  const rate = job.seconds > 0 ? `, ${countText(Math.round(job.records / job.seconds))}/s` : ''
  const summed = job.streams === 1 ? '' : `, summed over ${countText(job.streams)} streams,`
  const title = `${stream}: ${countText(job.records)} ${job.record}s${summed} in ${durationText(job.seconds)}${rate}, head ${head}`
  return `${title}\n${resultTable(job)}`
}

/** A job with its pipeline, if it has another name. */
export function namedJob(name: string, pipeline: string): string {
  return name === pipeline ? name : `${name} (${pipeline})`
}

function listText(job: Extract<JobResult, { kind: 'list' }>): string {
  return job.unanswered === undefined ? rowsText(job) : `${rowsText(job)}\n${unansweredText(job.unanswered)}`
}

/** Up to this many ids are printed; `--json` has all. */
const fewIds = 5

function unansweredText({ reason, hint, count, ids }: Unanswered): string {
  const more = count > fewIds ? ` and ${countText(count - fewIds)} more (all with --json)` : ''
  return `  ${countText(count)} without an answer: ${reason}: ${ids.slice(0, fewIds).join(', ')}${more}. ${hint}`
}

function rowsText(job: Extract<JobResult, { kind: 'list' }>): string {
  const named = namedJob(job.name, job.pipeline)
  const pages = `${countText(job.pages)} ${job.pages === 1 ? 'page' : 'pages'}`
  const streams = job.streams === 1 ? '' : ` of ${countText(job.streams)} streams`
  const rows = job.tables.reduce((sum, table) => sum + table.rows, 0)
  if (rows === 0) return `${named}: ${job.upToDate ? 'up to date: ' : ''}nothing new in ${pages}${streams}.`
  return `${named}: ${countText(rows)} ${rows === 1 ? 'row' : 'rows'} from ${pages}${streams} in ${durationText(job.seconds)}\n${resultTable(job)}`
}

/** The tables that a job wrote, with rows, files and bytes. */
function resultTable(job: Pick<JobResult, 'tables'>): string {
  return textTable(
    ['  table', '>rows', '>files', '>bytes'],
    job.tables.map(({ name, rows, files, bytes }) => [
      `  ${name}`,
      countText(rows),
      countText(files),
      bytesText(bytes),
    ]),
  )
}
