import { formatBytes, formatCount, formatSeconds } from './format.ts'

export type ProgressState = { done: number; total: number; rows: number; bytes: number }

/** One line at the bottom of a terminal. */
export type Progress = {
  update(name: string, state: ProgressState): void
  /** Prints a line above the progress line. */
  above(line: string): void
  /** Clears the line and all pipelines on it. */
  end(): void
}

const redrawMs = 100
/** The rate covers this last period, so that the time left follows the present speed of the node. */
const windowMs = 15_000

type Sample = { at: number; done: number }
type Line = { state: ProgressState; samples: Sample[] }

type ProgressOptions = { write?: (text: string) => void; width?: () => number; now?: () => number }

/** Progress on a terminal. Several pipelines share one line; the pipeline that moved last comes first. */
export function createProgress(options: ProgressOptions = {}): Progress {
  const write = options.write ?? ((text: string) => process.stderr.write(text))
  // A terminal of unknown width reports 0.
  const width = options.width ?? (() => process.stderr.columns || 80)
  const now = options.now ?? (() => performance.now())
  const lines = new Map<string, Line>()
  let drawnAt = Number.NEGATIVE_INFINITY
  let drawn = false
  const clear = (): void => {
    if (drawn) write('\r\u001b[2K')
    drawn = false
  }
  const draw = (): void => {
    const texts = [...lines].map(([name, line]) => progressText(name, line.state, rateOf(line.samples)))
    const text = texts.reverse().join(' | ')
    clear()
    write(text.slice(0, Math.max(0, width() - 1)))
    drawn = true
    drawnAt = now()
  }
  return {
    update(name, state) {
      const at = now()
      const line = lines.get(name) ?? { state, samples: [] }
      // The next list of a job begins at 0 again.
      if (state.done < line.state.done) line.samples = []
      line.state = state
      line.samples.push({ at, done: state.done })
      while (line.samples.length > 2 && (line.samples[0]?.at ?? at) < at - windowMs) line.samples.shift()
      lines.delete(name)
      lines.set(name, line)
      if (at - drawnAt >= redrawMs) draw()
    },
    above(text) {
      const again = drawn
      clear()
      write(`${text}\n`)
      if (again) draw()
    },
    end() {
      clear()
      lines.clear()
    },
  }
}

/** Records or items per second; undefined until two samples are at least a second apart. */
function rateOf(samples: readonly Sample[]): number | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (first === undefined || last === undefined || last.at - first.at < 1_000) return undefined
  return ((last.done - first.done) / (last.at - first.at)) * 1_000
}

/**
 * `p-blocks  41%  1,234 of 4,672  12,345/s  3.1 MB  12 s left`; the time left is shown once the rate is known. A list of unknown
 * length has the total 0: `rest-transactions  1,234 so far  56/s  1,230 rows`.
 */
export function progressText(name: string, state: ProgressState, rate: number | undefined): string {
  const { done, total, rows, bytes } = state
  const percent = total === 0 ? [] : [`${Math.floor((done / total) * 100)}%`]
  const parts = [
    name,
    ...percent,
    total === 0 ? `${formatCount(done)} so far` : `${formatCount(done)} of ${formatCount(total)}`,
  ]
  if (rate !== undefined) parts.push(rateText(rate))
  // Service answers are counted in rows, not in bytes.
  parts.push(bytes > 0 ? formatBytes(bytes) : `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`)
  if (rate !== undefined && rate > 0 && done < total) parts.push(`${formatSeconds((total - done) / rate)} left`)
  return parts.join('  ')
}

/** A stream of a service may take seconds: `0.4/s`. */
function rateText(rate: number): string {
  return `${rate >= 10 || rate === 0 ? formatCount(Math.round(rate)) : rate.toFixed(1)}/s`
}
