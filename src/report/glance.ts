import type { LakeStatus } from '../catalog/catalog.ts'
import { bytesText, counted, countText, shellText } from '../lib/text.ts'
import { lastRunOf } from '../run/status/lake-status.ts'
import type { coverageOf } from './coverage.ts'
import type { PageAnswer, PageCell, readLastVerify } from './page-data.ts'

/** The facts from which the first lines of a page are made. */
type Glance = {
  readonly nowMs: number
  readonly status: LakeStatus
  readonly coverage: ReturnType<typeof coverageOf>
  readonly totals: PageAnswer | undefined
  readonly newest: PageAnswer | undefined
  readonly verify: Awaited<ReturnType<typeof readLastVerify>>
}

export const dayMs = 86_400_000

/** What to act on, with the command to run. */
type Problem = { readonly title: string; readonly says: string; readonly command: string }

/** An answer to a question about the lake, and what to act on if it is bad: `command` without the lake. */
type Verdict = {
  readonly answer: string
  readonly why: string
  readonly mood: 'good' | 'bad' | 'plain'
  readonly problem?: Problem
}

/** The verdicts of the page: is the lake complete, fresh, growing and sound? */
export function verdictsOf(glance: Glance) {
  const verdicts = { 'Complete?': complete, 'Fresh?': fresh, 'Growing?': growing, 'Sound?': sound }
  return Object.entries(verdicts).map(([ask, judge]) => {
    const { answer, why, mood } = judge(glance)
    return { ask, answer, why, mood }
  })
}

/** What is wrong with a lake, the most serious first, each with the command to run next. */
export function problemsOf(glance: Glance, answers: readonly PageAnswer[], lakeDir: string): Problem[] {
  const failed = answers.filter(({ failure }) => failure !== null)
  const unreadable = {
    title: `${counted(failed.length, 'query', 'queries')} failed`,
    says: `A data file may be missing or damaged: verify names it. The first failure: ${failed[0]?.failure}`,
    command: 'chainlake verify',
  }
  const judged = [sound, complete, fresh].flatMap((judge) => judge(glance).problem ?? [])
  return [...(failed.length === 0 ? [] : [unreadable]), ...judged].map((problem) => ({
    ...problem,
    command: `${problem.command} --lake ${shellText(lakeDir)}`,
  }))
}

function complete({ coverage: { count, complete: whole, gaps, moreGaps } }: Glance): Verdict {
  const all = counted(count, 'stream')
  if (whole === count) return { answer: 'Yes', why: `All of ${all}, without a gap.`, mood: 'good' }
  const [open, known] = [count - whole, gaps.length + moreGaps]
  return {
    answer: 'Not yet',
    why: `${countText(open)} of ${all} ${open === 1 ? 'is' : 'are'} incomplete.`,
    mood: 'bad',
    problem: {
      title: `${counted(open, 'stream is', 'streams are')} incomplete`,
      says:
        known === 0
          ? 'The next run of their jobs continues them. Coverage lists them first.'
          : `${counted(known, 'gap is', 'gaps are')} known. Each row of the table under Coverage has the command that fills it.`,
      command: known === 0 ? 'chainlake status' : 'chainlake gaps',
    },
  }
}

/** Two questions: when did a run last look, and how old is the newest block that it found? */
function fresh({ coverage: { oldestReachedMs }, newest, nowMs }: Glance): Verdict {
  if (oldestReachedMs === null)
    return { answer: 'Not known', why: 'Not every stream was read to its head yet.', mood: 'plain' }
  const ageMs = Math.max(0, nowMs - oldestReachedMs)
  const stillMs = Math.max(0, ...newestTimes(newest).map((timeMs) => nowMs - timeMs))
  const blocks =
    stillMs === 0 ? '' : ` The newest block of the chain that is furthest behind is ${ageText(stillMs)} old.`
  const why = `Every stream was read to its head, the earliest ${ageText(ageMs)} ago.${blocks}`
  if (ageMs <= dayMs)
    return stillMs > dayMs
      ? { answer: 'As far as the nodes are', why, mood: 'plain' }
      : { answer: 'Yes', why, mood: 'good' }
  const problem = {
    title: `The lake is ${ageText(ageMs)} behind`,
    says: 'At least one stream was last read to its head that long ago. Run the jobs of your configuration again.',
    command: 'chainlake run --all',
  }
  return { answer: 'More than a day old', why, mood: 'bad', problem }
}

function growing({ totals }: Glance): Verdict {
  const rows = cellOf(totals, 'Rows within a day')
  if (rows === null) return { answer: 'Not known', why: 'Nothing is published yet.', mood: 'plain' }
  if (rows === 0) return { answer: 'No', why: 'No new rows within a day.', mood: 'plain' }
  return { answer: 'Yes', why: `${wholeText(rows)} new rows within a day.`, mood: 'good' }
}

function sound({ verify, status, nowMs }: Glance): Verdict {
  if (verify === null)
    return { answer: 'Not verified', why: 'No verification is recorded: run chainlake verify.', mood: 'plain' }
  const { findings, fast, snapshot } = verify
  const age = `${ageText(Math.max(0, nowMs - Date.parse(verify.endedAt)))} ago`
  const later = snapshot === null ? 0 : status.snapshotId - snapshot
  const since = later > 0 ? `, ${counted(later, 'commit')} since` : ''
  if (findings === 0)
    return {
      answer: 'Yes',
      why: `${fast ? 'verify --fast' : 'verify'} found nothing wrong ${age}${since}.`,
      mood: 'good',
    }
  const problem = {
    title: `verify found ${counted(findings, 'problem')}`,
    says: `That was ${age}. Run it again to see each finding and how to repair it.`,
    command: 'chainlake verify',
  }
  return { answer: 'No', why: `verify found ${counted(findings, 'thing')} ${age}${since}.`, mood: 'bad', problem }
}

/** A value as text. `timeMs`: a time that belongs to it, in milliseconds since 1970. */
type Fact = { readonly title: string; readonly value: string; readonly says: string; readonly timeMs?: number }

/** The numbers below the verdicts. */
export function factsOf({ totals, newest, coverage, status, verify, nowMs }: Glance): Fact[] {
  const [rows, bytes, files] = ['Rows', 'Size', 'Files'].map((column) => cellOf(totals, column))
  const time = cellOf(newest, 'Newest block')
  const chain = String(cellOf(newest, 'Chain')).split(' ')[0]
  const run = lastRunOf(status.streams)
  const at = (timeMs: number) => {
    const age = ageText(Math.abs(nowMs - timeMs))
    return { value: nowMs < timeMs ? `in ${age}` : `${age} ago`, timeMs }
  }
  return [
    {
      title: 'Streams complete',
      value: `${countText(coverage.complete)} of ${countText(coverage.count)}`,
      says: 'see Coverage',
    },
    ...(rows == null ? [] : [{ title: 'Rows', value: wholeText(rows), says: `in ${wholeText(files)} files` }]),
    ...(bytes == null
      ? []
      : [{ title: 'Size', value: bytesText(Number(bytes)), says: `${wholeText(bytes)} bytes of data` }]),
    ...(typeof time !== 'string'
      ? []
      : [
          {
            title: 'Newest block',
            says: `height ${wholeText(cellOf(newest, 'Highest'))}, ${chain} chain of ${cellOf(newest, 'Network')}`,
            ...at(Date.parse(`${time}Z`)),
          },
        ]),
    ...(run === null
      ? []
      : run.ended === null
        ? [{ title: 'Last run', value: run.state, says: 'has not ended', timeMs: run.started.getTime() }]
        : [{ title: 'Last run', says: `ended: ${run.state}`, ...at(run.ended.getTime()) }]),
    verify === null
      ? { title: 'Last verify', value: 'none recorded', says: 'chainlake verify' }
      : {
          title: 'Last verify',
          says: verify.findings === 0 ? 'found nothing wrong' : `found ${countText(verify.findings)}`,
          ...at(Date.parse(verify.endedAt)),
        },
  ]
}

/** The times of the newest blocks of chains, of one network or of all, in milliseconds since 1970 UTC. */
export function newestTimes(answer: PageAnswer | undefined, network?: string): number[] {
  const [of = -1, at = -1] = ['Network', 'Newest block'].map((column) =>
    answer?.columns.findIndex(({ name }) => name === column),
  )
  const rows = (answer?.rows ?? []).filter((row) => network === undefined || row[of] === network)
  return rows.flatMap((row) => (typeof row[at] === 'string' ? [Date.parse(`${row[at]}Z`)] : []))
}

/** A column of the first row. */
function cellOf(answer: PageAnswer | undefined, column: string): PageCell {
  if (answer === undefined) return null
  return answer.rows[0]?.[answer.columns.findIndex(({ name }) => name === column)] ?? null
}

function wholeText(cell: PageCell | undefined): string {
  return cell == null ? '' : countText(BigInt(String(cell)))
}

const steps = [
  { unit: 's', seconds: 1, below: 90 },
  { unit: 'min', seconds: 60, below: 90 * 60 },
  { unit: 'h', seconds: 3_600, below: 36 * 3_600 },
  { unit: 'days', seconds: 86_400, below: Number.POSITIVE_INFINITY },
] as const

/** An age in one rounded unit, such as `40 s`, `12 min` or `388 days`. */
export function ageText(milliseconds: number): string {
  const seconds = milliseconds / 1_000
  if (seconds < 1) return 'less than 1 s'
  const step = steps.find(({ below }) => seconds < below) ?? steps[3]
  return `${Math.round(seconds / step.seconds).toLocaleString('en-US')} ${step.unit}`
}
