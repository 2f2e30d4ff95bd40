import { countText } from '../../lib/text/count-text.ts'
import type { StatusLines } from './status-lines.ts'

const shownEachMs = 200

/** Shows progress as one line on a terminal. */
export function showProgress(
  lines: StatusLines,
): (progress: { readonly what: string; readonly done: number; readonly of: number }) => void {
  let shownMs = Number.NEGATIVE_INFINITY
  return ({ what, done, of }) => {
    const nowMs = performance.now()
    if (done < of && nowMs - shownMs < shownEachMs) return
    shownMs = nowMs
    lines.show(done < of ? [`${what}: ${countText(done)} of ${countText(of)}`] : [])
  }
}
