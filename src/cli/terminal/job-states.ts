import type { RunEvent } from '../../run/job/events.ts'

type ProgressEvent = Extract<RunEvent, { kind: 'progress' }>

/** What a job has read of its present range or list. */
export type JobReading = Omit<ProgressEvent, 'kind' | 'pipeline'>

/** What a job does, as far as its events say. Times are milliseconds of the clock that `createJobStates` was given. */
export type JobState = {
  readonly name: string
  readonly beganMs: number
  /** When the job started, or its present round began. */
  roundMs: number
  /** `queued`: not begun; `starting`: with its group; `checking`: looks for what is new; `reading`; `waiting`: for the next check; `done`. */
  phase: 'queued' | 'starting' | 'checking' | 'reading' | 'waiting' | 'done'
  /** Whether the job has caught up with its source before, so that it follows it. */
  follows: boolean
  /** Name of a record, such as `block`; null for a list. */
  record: string | null
  /** Number of the last final record; null: unknown, or a list. */
  head: number | null
  reading: JobReading | null
  /** The reading at earlier times, of the last 15 seconds. */
  samples: readonly ReadingSample[]
  /** What samples add to the items of the current list, so that the count does not start again with each list. */
  offset: number
  /** Committed rows since the command began, and the commits of the last minute. */
  rows: number
  commits: readonly { readonly atMs: number; readonly rows: number }[]
  committedMs: number | null
  /** The latest time of a committed row, in milliseconds since 1970 UTC; null: unknown. */
  newestMs: number | null
  nextMs: number | null
  touchedMs: number
}

type ReadingSample = {
  readonly atMs: number
  readonly done: number
  readonly pages: number
  readonly at: number | null
}

type JobStates = {
  /** Adds jobs that start now; others that have not begun are queued. */
  readonly start: (names: readonly string[]) => void
  /** The job that the event changed; null: it changed none. */
  readonly onEvent: (event: RunEvent) => JobState | null
  readonly all: () => readonly JobState[]
  readonly remove: (names: readonly string[]) => void
}

/** Rates of a reading cover this last period, so that the time left follows the present speed of the source. */
const samplesMs = 15_000
/** Commits of a job that follows its source are rarer. */
const commitsMs = 60_000

export function createJobStates(now: () => number): JobStates {
  const states = new Map<string, JobState>()
  const stateOf = (name: string): JobState => {
    const state = states.get(name) ?? newState(name, now())
    states.set(name, state)
    return state
  }
  const queueOthers = (names: readonly string[]): void => {
    for (const state of states.values())
      if (state.phase === 'starting' && !names.includes(state.name)) state.phase = 'queued'
  }
  return {
    start(names) {
      for (const name of names) Object.assign(stateOf(name), { phase: 'starting', roundMs: now() })
      queueOthers(names)
    },
    onEvent(event) {
      if (!('pipeline' in event)) return null
      // Commits of tables that no job has are of no interest.
      if (event.kind === 'committed' && !states.has(event.pipeline)) return null
      const state = stateOf(event.pipeline)
      change(state, event, now())
      // The jobs of a group run one after another.
      if (event.kind === 'round') queueOthers([])
      return state
    },
    all: () => [...states.values()],
    remove(names) {
      for (const name of names) states.delete(name)
    },
  }
}

function newState(name: string, nowMs: number): JobState {
  return {
    name,
    beganMs: nowMs,
    roundMs: nowMs,
    phase: 'queued',
    follows: false,
    record: null,
    head: null,
    reading: null,
    samples: [],
    offset: 0,
    rows: 0,
    commits: [],
    committedMs: null,
    newestMs: null,
    nextMs: null,
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
  const kept = isNext ? state.samples.map((sample) => ({ ...sample, at: null })) : state.samples
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
export function hasLength({ total, pages }: Pick<JobReading, 'total' | 'pages'>): boolean {
  return total > 1 || (total === 1 && (pages ?? 0) === 0)
}

/** Rows that were committed within the last minute. */
export function rowsOfMinute({ commits }: JobState, nowMs: number): number {
  return commits.reduce((sum, commit) => (commit.atMs > nowMs - commitsMs ? sum + commit.rows : sum), 0)
}
