import { getOrCreate } from '../../lib/arrays.ts'
import { bytesText, counted, countText, durationText } from '../../lib/text.ts'
import type { RunEvent } from '../../run/events.ts'
import { createStatusLines, cutText } from './status-lines.ts'

/** Ages and waits change without events. */
const redrawMs = 250
const mostLines = 8

/** A wait from this length on is shown. */
const longWaitMs = 2_000

type ProgressOptions = Parameters<typeof createStatusLines>[0] & {
  /** Lines of the terminal. */
  readonly height?: () => number
  readonly now?: () => number
  readonly wallMs?: () => number
}

/** Shows the progress of jobs on a terminal, in one line for each, and draws it at most four times per second. */
export function createProgress(options: ProgressOptions = {}) {
  const { now = () => performance.now(), wallMs = () => Date.now() } = options
  const height = options.height ?? (() => process.stderr.rows || 24)
  const lines = createStatusLines(options)
  const states = createJobStates(now)
  let drawnMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  /** When a source is tried again, by its origin. */
  const retries = new Map<string, number>()
  const draw = (): void => {
    drawnMs = now()
    const most = Math.max(1, Math.min(mostLines, Math.floor(height() / 3)))
    const jobs = progressLines(states.all(), { nowMs: drawnMs, wallMs: wallMs() }, { width: lines.width(), most })
    lines.show([...jobs, ...retryLines(retries, drawnMs)])
  }
  const drawWhenDue = (): void => {
    timer ??= setInterval(draw, redrawMs).unref()
    if (now() - drawnMs >= redrawMs) draw()
  }
  return {
    /** Shows jobs that are about to begin. */
    begin(names: readonly string[]): void {
      states.start(names)
      drawWhenDue()
    },
    onEvent(event: RunEvent): void {
      if (event.kind === 'retry' && event.waitMs >= longWaitMs)
        retries.set(new URL(event.url).origin, now() + event.waitMs)
      if (event.kind === 'progress') retries.clear()
      if (states.onEvent(event) !== null) drawWhenDue()
    },
    /** Prints a line above the progress. */
    above: lines.above,
    /** Forgets these jobs, and clears the progress so that their results can be printed; other jobs appear again at the next drawing. */
    forget(names: readonly string[]): void {
      states.remove(names)
      lines.clear()
    },
    /** Clears the progress for good. */
    end(): void {
      clearInterval(timer)
      timer = undefined
      states.remove(states.all().map(({ name }) => name))
      lines.clear()
    },
  }
}

/** A run that waits for a source must not look as if it hangs. */
function retryLines(retries: ReadonlyMap<string, number>, nowMs: number): string[] {
  return [...retries].flatMap(([origin, atMs]) =>
    atMs > nowMs ? [`next try at ${origin} in ${durationText(Math.ceil((atMs - nowMs) / 1_000))}`] : [],
  )
}

/** A fact of a line, if there is one. Where the line is too long, the facts with the highest rank are left out. */
type Fact = readonly [rank: number, text: string | null]

/** Times that the texts refer to: `nowMs` of the clock of the states, `wallMs` in milliseconds since 1970 UTC. */
type Now = { readonly nowMs: number; readonly wallMs: number }

/** The progress of jobs as lines of at most `width` letters, one for each job; jobs beyond `most` lines are counted in the last line. */
function progressLines(
  states: readonly JobState[],
  now: Now,
  { width, most }: { readonly width: number; readonly most: number },
): string[] {
  const starting = states.filter(({ phase }) => phase === 'starting')
  const begun = states.filter(({ phase }) => phase !== 'queued' && (phase !== 'starting' || starting.length === 1))
  const startText = `starting ${countText(starting.length)} jobs${elapsed(starting[0], now)}`
  const rest = starting.length > 1 ? [startText] : []
  const room = Math.max(1, most - rest.length - Number(states.length > begun.length || begun.length > most))
  const shown = begun.length <= room ? begun : inUse(begun, room)
  const names = Math.min(Math.max(0, ...shown.map(({ name }) => name.length)), Math.max(12, Math.floor(width / 3)))
  const lines = shown.map((state) => fitted(shortName(state.name, names), factsOf(state, now), width))
  const others = states.filter((state) => !shown.includes(state) && !(starting.length > 1 && starting.includes(state)))
  if (others.length > 0) rest.push(othersText(others))
  return [...lines, ...rest.map((text) => cutText(text, width))].slice(0, most)
}

/** The jobs that moved last, in the order of all. */
function inUse(states: readonly JobState[], most: number): JobState[] {
  const active = ({ phase }: JobState): number => Number(phase === 'reading' || phase === 'checking')
  const chosen = new Set([...states].sort((a, b) => active(b) - active(a) || b.touchedMs - a.touchedMs).slice(0, most))
  return states.filter((state) => chosen.has(state))
}

/** `2 more jobs queued`, or `40 more jobs: 12 up to date, 28 queued`. */
function othersText(states: readonly JobState[]): string {
  const phases = [...new Set(states.map(phaseText))]
  const jobs = counted(states.length, 'more job')
  if (phases.length === 1) return `${jobs} ${phases[0]}`
  const countOf = (text: string): number => states.filter((state) => phaseText(state) === text).length
  return `${jobs}: ${phases.map((text) => `${countText(countOf(text))} ${text}`).join(', ')}`
}

function phaseText({ phase }: JobState): string {
  return phase === 'waiting' ? 'up to date' : phase
}

function shortName(name: string, length: number): string {
  return name.length <= length ? name.padEnd(length) : `${name.slice(0, Math.max(0, length - 1))}…`
}

function fitted(name: string, facts: readonly Fact[], width: number): string {
  const kept = facts.filter(([, text]) => text !== null)
  const text = (): string => [name, ...kept.map((fact) => fact[1])].join('  ').trimEnd()
  while (kept.length > 1 && text().length > width) {
    const worst = Math.max(...kept.map(([rank]) => rank))
    kept.splice(
      kept.findLastIndex(([rank]) => rank === worst),
      1,
    )
  }
  return text()
}

function factsOf(state: JobState, now: Now): Fact[] {
  const { phase, reading } = state
  const rows = counted(state.rows, 'row')
  if (phase === 'starting') return [[0, `starting${elapsed(state, now)}`]]
  if (state.follows) return followFacts(state, now)
  const end: Fact[] = [
    [0, 'done'],
    [2, rows],
  ]
  if (phase === 'done') return reading === null ? end : [[1, headText(state)], ...end.reverse()]
  if (reading === null) return [[0, `checking${elapsed(state, now)}`]]
  return [
    ...readingFacts(state, reading, now),
    [7, headText(state)],
    [6, newestText(state, now)],
    [8, commitText(state, now)],
  ]
}

/** `41%  1,234 of 4,672 containers  12,345/s  3.1 MB  12 s left`, or `1,200 items  2.5/s  1,190 rows  12 pages  0.3 pages/s`. */
function readingFacts(state: JobState, reading: JobReading, { nowMs }: Now): Fact[] {
  const { done, total, rows, bytes, pages = 0, stream } = reading
  const rates = ratesOf(state)
  const { part, seconds } = remaining(state, nowMs)
  const isKnown = hasLength(reading)
  const hasPages = !isKnown && pages > 0
  const about = isKnown && stream === undefined ? '' : '~'
  const items = total === 0 ? `${countText(done)} items` : null
  const things = state.record === null ? '' : ` ${state.record}s`
  return [
    [1, part === undefined ? null : `${about}${Math.floor(part * 100)}%`],
    [2, stream === undefined ? null : `stream ${countText(stream.number)} of ${countText(stream.of)}`],
    [2, isKnown ? `${countText(done)} of ${countText(total)}${things}` : items],
    [4, total === 1 ? null : rateText(rates?.perSecond)],
    // Service answers are counted in rows, not in bytes.
    [5, bytes > 0 && state.record !== null ? bytesText(bytes) : counted(rows, 'row')],
    [6, hasPages ? counted(pages, 'page') : null],
    [6, hasPages ? rateText(rates?.pagesPerSecond, ' pages') : null],
    [3, seconds === undefined ? null : `${about}${durationText(seconds)} left`],
  ]
}

/** `head 4,672  lag 0 blocks  newest 3 s old  1,234 rows  12 rows/min  last commit 4 s ago  next check in 2 s`. */
function followFacts(state: JobState, now: Now): Fact[] {
  const { head, record, reading, phase, rows } = state
  const left = reading === null ? 0 : Math.max(0, reading.total - reading.done)
  const upToDate = phase === 'waiting' ? 'up to date' : null
  return [
    [1, headText(state)],
    [2, head === null ? upToDate : `lag ${counted(left, record ?? 'record')}`],
    [6, newestText(state, now)],
    [4, counted(rows, 'row')],
    [7, `${countText(rowsOfMinute(state, now.nowMs))} rows/min`],
    [8, commitText(state, now)],
    [3, nextText(state, now)],
  ]
}

function nextText(state: JobState, { nowMs }: Now): string {
  const { seconds } = remaining(state, nowMs)
  if (state.phase === 'reading') return seconds === undefined ? 'reading' : `reading, ${durationText(seconds)} left`
  const waitMs = (state.nextMs ?? nowMs) - nowMs
  return state.phase === 'waiting' && waitMs > 0
    ? `next check in ${wholeSeconds(Math.ceil(waitMs / 1_000) * 1_000)}`
    : 'checking'
}

function headText({ head }: JobState): string | null {
  return head === null ? null : `head ${countText(head)}`
}

function commitText({ committedMs }: JobState, { nowMs }: Now): string | null {
  return committedMs === null ? null : `last commit ${wholeSeconds(nowMs - committedMs)} ago`
}

function newestText({ newestMs }: JobState, { wallMs }: Now): string | null {
  return newestMs === null ? null : `newest ${wholeSeconds(wallMs - newestMs)} old`
}

function elapsed(state: JobState | undefined, { nowMs }: Now): string {
  const ms = state === undefined ? 0 : nowMs - state.roundMs
  return ms < 1_000 ? '' : `, ${wholeSeconds(ms)}`
}

/** Tenths of a second would change with every drawing. */
function wholeSeconds(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  return seconds < 60 ? `${seconds} s` : durationText(seconds)
}

/** A stream of a service may take seconds: `0.4/s`. */
function rateText(rate: number | undefined, of = ''): string | null {
  if (rate === undefined) return null
  return `${rate >= 10 || rate === 0 ? countText(Math.round(rate)) : rate.toFixed(1)}${of}/s`
}

type ProgressEvent = Extract<RunEvent, { kind: 'progress' }>

/** What a job has read of its present range or list. */
type JobReading = Omit<ProgressEvent, 'kind' | 'pipeline'>

/** What a job does, as far as its events say. Times are milliseconds of the clock that `createJobStates` was given. */
export type JobState = ReturnType<typeof newState>

type ReadingSample = {
  readonly atMs: number
  readonly done: number
  readonly pages: number
  readonly at: number | null
}

/** Rates of a reading cover this last period, so that the time left follows the present speed of the source. */
const samplesMs = 15_000
/** A fast source answers hundreds of times a second: a new sample replaces the last one if that came this soon after the one before it. */
const sampleMs = 100
/** Commits of a job that follows its source are rarer. */
const commitsMs = 60_000

export function createJobStates(now: () => number) {
  const states = new Map<string, JobState>()
  const stateOf = (name: string) => getOrCreate(states, name, () => newState(name, now()))
  const queueOthers = (names: readonly string[]): void => {
    for (const state of states.values())
      if (state.phase === 'starting' && !names.includes(state.name)) state.phase = 'queued'
  }
  return {
    /** Adds jobs that start now; others that have not begun are queued. */
    start(names: readonly string[]): void {
      for (const name of names) Object.assign(stateOf(name), { phase: 'starting', roundMs: now() })
      queueOthers(names)
    },
    /** The job that the event changed; null: it changed none. */
    onEvent(event: RunEvent): JobState | null {
      if (!('pipeline' in event)) return null
      // Commits of tables that no job has are of no interest.
      if (event.kind === 'committed' && !states.has(event.pipeline)) return null
      const state = stateOf(event.pipeline)
      change(state, event, now())
      // The jobs of a group run one after another.
      if (event.kind === 'round') queueOthers([])
      return state
    },
    all: (): readonly JobState[] => [...states.values()],
    remove(names: readonly string[]): void {
      for (const name of names) states.delete(name)
    },
  }
}

function newState(name: string, nowMs: number) {
  return {
    name,
    beganMs: nowMs,
    /** When the job started, or its present round began. */
    roundMs: nowMs,
    /** `queued`: not begun; `starting`: with its group; `checking`: looks for what is new; `reading`; `waiting`: for the next check; `done`. */
    phase: 'queued' as 'queued' | 'starting' | 'checking' | 'reading' | 'waiting' | 'done',
    /** Whether the job has caught up with its source before, so that it follows it. */
    follows: false,
    /** Name of a record, such as `block`; null for a list. */
    record: null as string | null,
    /** Number of the last final record; null: unknown, or a list. */
    head: null as number | null,
    reading: null as JobReading | null,
    /** The reading at earlier times, of the last 15 seconds. */
    samples: [] as readonly ReadingSample[],
    /** What samples add to the items of the current list, so that the count does not start again with each list. */
    offset: 0,
    /** Committed rows since the command began, and the commits of the last minute. */
    rows: 0,
    commits: [] as readonly { readonly atMs: number; readonly rows: number }[],
    committedMs: null as number | null,
    /** The latest time of a committed row, in milliseconds since 1970 UTC; null: unknown. */
    newestMs: null as number | null,
    nextMs: null as number | null,
    touchedMs: nowMs,
  }
}

function change(state: JobState, event: Extract<RunEvent, { pipeline: string }>, nowMs: number): void {
  state.touchedMs = nowMs
  switch (event.kind) {
    case 'round':
      state.phase = event.is === 'begun' ? 'checking' : 'done'
      if (event.is === 'begun') state.roundMs = nowMs
      break
    case 'planned':
      plan(state, event)
      break
    case 'progress':
      read(state, event, nowMs)
      break
    case 'committed':
      state.rows += event.rows
      state.committedMs = nowMs
      state.commits = [
        ...state.commits.filter(({ atMs }) => atMs > nowMs - commitsMs),
        { atMs: nowMs, rows: event.rows },
      ]
      if (event.newest !== undefined) state.newestMs = Math.max(state.newestMs ?? 0, Date.parse(event.newest))
      break
    case 'waiting':
      state.phase = 'waiting'
      state.follows = true
      state.record = event.record ?? null
      state.head = event.head
      state.reading = null
      state.samples = []
      state.nextMs = nowMs + event.nextMs
  }
}

function plan(state: JobState, event: Extract<RunEvent, { kind: 'planned' }>): void {
  state.record = event.record
  state.head = event.head
  // Each stream of a job is planned before the first one is read.
  const planned = state.phase === 'reading' && state.reading?.done === 0 ? state.reading.total : 0
  state.phase = 'reading'
  state.reading = { done: 0, total: planned + event.records, rows: 0, bytes: 0 }
  state.samples = []
  state.offset = 0
}

function read(state: JobState, { kind: _, pipeline: __, ...reading }: ProgressEvent, nowMs: number): void {
  const before = state.reading
  state.phase = 'reading'
  state.reading = reading
  const { done, pages = 0, span, stream } = reading
  const last = state.samples.at(-1)
  // The next list of a job counts from a beginning of its own.
  const isNext = before !== null && (done < before.done || stream?.number !== before.stream?.number)
  if (isNext) state.offset = (last?.done ?? 0) - done
  const beforeLast = state.samples.at(-2)
  const isClose = last !== undefined && beforeLast !== undefined && last.atMs - beforeLast.atMs < sampleMs
  const apart = isClose ? state.samples.slice(0, -1) : state.samples
  const kept = isNext ? apart.map((sample) => ({ ...sample, at: null })) : apart
  const young = kept.filter(({ atMs }) => atMs >= nowMs - samplesMs)
  // Two samples give a rate, however rare they are.
  const earlier = young.length === 0 ? kept.slice(-1) : young
  state.samples = [...earlier, { atMs: nowMs, done: state.offset + done, pages, at: span?.at ?? null }]
}

/** Rates of a reading; undefined until two samples are at least a second apart. */
export function ratesOf({ samples }: Pick<JobState, 'samples'>) {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.atMs - first.atMs < 1_000) return undefined
  const seconds = (last.atMs - first.atMs) / 1_000
  return {
    perSecond: (last.done - first.done) / seconds,
    pagesPerSecond: (last.pages - first.pages) / seconds,
    /** Seconds of the chain per second. */
    spanPerSecond: first.at === null || last.at === null ? 0 : Math.abs(last.at - first.at) / seconds,
  }
}

/** The part of a reading that is done, from 0 to 1, and the seconds left; undefined where they are unknown. */
type Remaining = { readonly part: number | undefined; readonly seconds: number | undefined }

/** How much of a reading remains: by its length, by the times of its items, or by the streams that are left. */
export function remaining(state: Pick<JobState, 'reading' | 'samples' | 'roundMs'>, nowMs: number): Remaining {
  const { reading } = state
  if (reading === null) return { part: undefined, seconds: undefined }
  const rates = ratesOf(state)
  const { done, total, span, stream } = reading
  if (stream !== undefined) return ofStreams(stream, (nowMs - state.roundMs) / 1_000)
  if (hasLength(reading)) return { part: done / total, seconds: secondsLeft(total - done, rates?.perSecond) }
  if (span === undefined || span.from === span.to) return { part: undefined, seconds: undefined }
  const part = Math.min(1, Math.max(0, (span.at - span.from) / (span.to - span.from)))
  return { part, seconds: secondsLeft(part < 1 ? Math.abs(span.to - span.at) : 0, rates?.spanPerSecond) }
}

/** Streams may differ in length, but those that are done are the best estimate for those that are left. */
function ofStreams({ number, of }: { readonly number: number; readonly of: number }, seconds: number): Remaining {
  const done = number - 1
  return { part: done / of, seconds: done === 0 || seconds < 1 ? undefined : (seconds / done) * (of - done) }
}

function secondsLeft(left: number, perSecond = 0): number | undefined {
  return left > 0 && perSecond > 0 ? left / perSecond : undefined
}

/** Whether `total` is a length. A job with a single list has a total of 1 while it reads pages of unknown number. */
function hasLength({ total, pages }: Pick<JobReading, 'total' | 'pages'>): boolean {
  return total > 1 || (total === 1 && (pages ?? 0) === 0)
}

/** Rows that were committed within the last minute. */
function rowsOfMinute({ commits }: JobState, nowMs: number): number {
  return commits.reduce((sum, commit) => (commit.atMs > nowMs - commitsMs ? sum + commit.rows : sum), 0)
}
