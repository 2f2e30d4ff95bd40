import { formatCount } from './format.ts'

const shownEachMs = 200

/** One line on a terminal that says how far it is. */
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
