import { bytesText } from '../../lib/text/bytes-text.ts'
import { countText } from '../../lib/text/count-text.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import { hasLength, type JobReading, type JobState, ratesOf, remaining, rowsOfMinute } from './job-states.ts'
import { cutText } from './text-width.ts'

/** A fact of a line. Where the line is too long, the facts with the highest `rank` are left out. */
type Fact = { readonly text: string; readonly rank: number }

/** Times that the texts refer to: `nowMs` of the clock of the states, `wallMs` in milliseconds since 1970 UTC. */
type Now = { readonly nowMs: number; readonly wallMs: number }

/** The progress of jobs as lines of at most `width` letters, one for each job; jobs beyond `most` lines are counted in the last line. */
export function progressLines(
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
  const jobs = `${countText(states.length)} more ${states.length === 1 ? 'job' : 'jobs'}`
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
  const kept = [...facts]
  const text = (): string => [name, ...kept.map((fact) => fact.text)].join('  ').trimEnd()
  while (kept.length > 1 && text().length > width) {
    const worst = Math.max(...kept.map(({ rank }) => rank))
    kept.splice(
      kept.findLastIndex(({ rank }) => rank === worst),
      1,
    )
  }
  return text()
}

function factsOf(state: JobState, now: Now): Fact[] {
  if (state.phase === 'starting') return [{ text: `starting${elapsed(state, now)}`, rank: 0 }]
  if (state.follows) return followFacts(state, now)
  const { phase, reading, rows } = state
  if (reading === null)
    return [
      { text: phase === 'done' ? 'done' : `checking${elapsed(state, now)}`, rank: 0 },
      ...(phase === 'done' ? [{ text: rowsText(rows), rank: 1 }] : []),
    ]
  if (phase === 'done') return [...headFacts(state, 1), { text: rowsText(rows), rank: 2 }, { text: 'done', rank: 0 }]
  return [
    ...readingFacts(state, reading, now),
    ...headFacts(state, 7),
    ...newestFacts(state, now),
    ...commitFacts(state, now),
  ]
}

/** `41%  1,234 of 4,672 containers  12,345/s  3.1 MB  12 s left`, or `1,200 items  2.5/s  1,190 rows  12 pages  0.3 pages/s`. */
function readingFacts(state: JobState, reading: JobReading, { nowMs }: Now): Fact[] {
  const { done, total, rows, bytes, pages = 0, stream } = reading
  const rates = ratesOf(state)
  const { part, seconds } = remaining(state, nowMs)
  const isKnown = hasLength(reading)
  const about = isKnown && stream === undefined ? '' : '~'
  const counted = total === 0 ? `${countText(done)} items` : null
  const things = state.record === null ? '' : ` ${state.record}s`
  return [
    ...optional(part, (value) => ({ text: `${about}${Math.floor(value * 100)}%`, rank: 1 })),
    ...optional(stream, ({ number, of }) => ({ text: `stream ${countText(number)} of ${countText(of)}`, rank: 2 })),
    ...optional(isKnown ? `${countText(done)} of ${countText(total)}${things}` : counted, (text) => ({
      text,
      rank: 2,
    })),
    ...optional(rates && total !== 1 ? rates.perSecond : undefined, (rate) => ({ text: rateText(rate), rank: 4 })),
    // Service answers are counted in rows, not in bytes.
    { text: bytes > 0 && state.record !== null ? bytesText(bytes) : rowsText(rows), rank: 5 },
    ...(isKnown || pages === 0
      ? []
      : [
          { text: `${countText(pages)} ${pages === 1 ? 'page' : 'pages'}`, rank: 6 },
          ...optional(rates?.pagesPerSecond, (rate) => ({ text: rateText(rate, ' pages'), rank: 6 })),
        ]),
    ...optional(seconds, (left) => ({ text: `${about}${durationText(left)} left`, rank: 3 })),
  ]
}

/** `head 4,672  lag 0 blocks  newest 3 s old  1,234 rows  12 rows/min  last commit 4 s ago  next check in 2 s`. */
function followFacts(state: JobState, now: Now): Fact[] {
  const { head, record, reading, phase, rows } = state
  const left = reading === null ? 0 : Math.max(0, reading.total - reading.done)
  const lag = `lag ${countText(left)} ${record ?? 'record'}${left === 1 ? '' : 's'}`
  return [
    ...headFacts(state, 1),
    ...(head === null ? [] : [{ text: lag, rank: 2 }]),
    ...(head === null && phase === 'waiting' ? [{ text: 'up to date', rank: 2 }] : []),
    ...newestFacts(state, now),
    { text: rowsText(rows), rank: 4 },
    { text: `${countText(rowsOfMinute(state, now.nowMs))} rows/min`, rank: 7 },
    ...commitFacts(state, now),
    { text: nextText(state, now), rank: 3 },
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

function headFacts({ head }: JobState, rank: number): Fact[] {
  return optional(head, (number) => ({ text: `head ${countText(number)}`, rank }))
}

function commitFacts({ committedMs }: JobState, { nowMs }: Now): Fact[] {
  return optional(committedMs, (at) => ({ text: `last commit ${wholeSeconds(nowMs - at)} ago`, rank: 8 }))
}

function newestFacts({ newestMs }: JobState, { wallMs }: Now): Fact[] {
  return optional(newestMs, (at) => ({ text: `newest ${wholeSeconds(wallMs - at)} old`, rank: 6 }))
}

function optional<T>(value: T | null | undefined, fact: (value: T) => Fact): Fact[] {
  return value === null || value === undefined ? [] : [fact(value)]
}

function elapsed(state: JobState | undefined, { nowMs }: Now): string {
  const ms = state === undefined ? 0 : nowMs - state.roundMs
  return ms < 1_000 ? '' : `, ${wholeSeconds(ms)}`
}

function rowsText(rows: number): string {
  return `${countText(rows)} ${rows === 1 ? 'row' : 'rows'}`
}

/** Tenths of a second would change with every drawing. */
function wholeSeconds(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  return seconds < 60 ? `${seconds} s` : durationText(seconds)
}

/** A stream of a service may take seconds: `0.4/s`. */
function rateText(rate: number, of = ''): string {
  return `${rate >= 10 || rate === 0 ? countText(Math.round(rate)) : rate.toFixed(1)}${of}/s`
}
