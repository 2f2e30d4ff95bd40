import type { RangeSource } from '../../define/index.ts'
import { reachStep } from '../../lib/step.ts'
import type { Slice, Unit } from '../../model.ts'

/** Records `[slice.from, slice.to)` of a unit, in order, with what was made ready of them. */
export type Window<R, P> = {
  readonly unit: Unit
  readonly slice: Slice
  readonly records: readonly R[]
  readonly prepared: P
}

/** What of a source is needed to read it in windows. */
export type WindowSource<R> = Pick<RangeSource<R>, 'windowSize' | 'window' | 'release'>

type Answer<R, P> = { readonly records: readonly R[]; readonly prepared: P }
type Pending<R, P> = { readonly unit: Unit; readonly slice: Slice; readonly answer: Promise<Answer<R, P>> }

/**
 * Fetches the slices of units in parallel and yields their windows in order, so that rows and commits keep the order of
 * the source whatever the order of answers. `prepare` begins as soon as a window is there, before its turn. At most `ahead`
 * windows are under way or waiting, which bounds the memory. A window is the consumer's until it asks for the next one.
 * Ends early, without an error, when `stop` is aborted; what was not yielded is dropped.
 */
export async function* orderedWindows<R, P>(
  source: WindowSource<R>,
  units: Iterable<Unit>,
  options: {
    ahead: number
    stop: AbortSignal
    prepare: (unit: Unit, records: readonly R[]) => Promise<P>
  },
): AsyncGenerator<Window<R, P>, void, undefined> {
  const { ahead, stop, prepare } = options
  const cancel = new AbortController()
  const cancelRequests = () => cancel.abort()
  stop.addEventListener('abort', cancelRequests)
  const pending: Pending<R, P>[] = []
  const slices = windowSlices(source, units)
  try {
    while (!stop.aborted) {
      while (pending.length < ahead) {
        const next = slices.next()
        if (next.done === true) break
        reachStep('fetch.before')
        const { unit, slice } = next.value
        const answer = source
          .window(slice.from, slice.to, cancel.signal)
          .then(async (records) => ({ records, prepared: await prepare(unit, records) }))
        // The failure is seen where the window's turn comes; until then it must not count as unhandled.
        answer.catch(() => undefined)
        pending.push({ unit, slice, answer })
      }
      const first = pending.shift()
      if (first === undefined) return
      let answer: Answer<R, P>
      try {
        answer = await first.answer
      } catch (error) {
        if (stop.aborted) return
        throw error
      }
      reachStep('fetch.after')
      yield { unit: first.unit, slice: first.slice, ...answer }
      source.release?.(answer.records)
    }
  } finally {
    stop.removeEventListener('abort', cancelRequests)
    cancel.abort()
  }
}

function* windowSlices(
  source: Pick<WindowSource<unknown>, 'windowSize'>,
  units: Iterable<Unit>,
): Generator<{ unit: Unit; slice: Slice }, void, undefined> {
  for (const unit of units) {
    let from = unit.slice.from
    while (from < unit.slice.to) {
      const to = Math.min(unit.slice.to, from + source.windowSize())
      yield { unit, slice: { from, to } }
      from = to
    }
  }
}
