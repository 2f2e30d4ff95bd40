import { formatCount } from './format.ts'

const shownEachMs = 200

/** Shows progress as one line on a terminal. */
export function showProgress(): (progress: {
  readonly what: string
  readonly done: number
  readonly of: number
}) => void {
  let shownMs = 0
  return ({ what, done, of }) => {
    const nowMs = performance.now()
    if (done < of && nowMs - shownMs < shownEachMs) return
    shownMs = nowMs
    process.stderr.write(`\r\u001b[K${done < of ? `${what}: ${formatCount(done)} of ${formatCount(of)}` : ''}`)
  }
}
