import { reachStep } from '../lib/step.ts'
import type { Container, Slice, Unit } from '../model.ts'

/** Containers `[slice.from, slice.to)` of a unit, in order. */
export type Window = { readonly unit: Unit; readonly slice: Slice; readonly containers: readonly Container[] }

export type WindowSource = {
  /** Containers to ask for at once; may change as answers grow and shrink. */
  windowSize(): number
  /** Exactly the containers `[from, to)`. */
  window(from: number, to: number, signal?: AbortSignal): Promise<Container[]>
}

type Pending = { readonly unit: Unit; readonly slice: Slice; readonly answer: Promise<Container[]> }

/**
 * Fetches the slices of units in parallel and yields their windows in order, so that rows and commits keep the order of
 * the source whatever the order of answers. At most `ahead` windows are under way or waiting, which bounds the memory.
 * Ends early, without an error, when `stop` is aborted; what was not yielded is dropped.
 */
export async function* orderedWindows(
  source: WindowSource,
  units: readonly Unit[],
  options: { ahead: number; stop: AbortSignal },
): AsyncGenerator<Window, void, undefined> {
  const { ahead, stop } = options
  const cancel = new AbortController()
  const cancelRequests = () => cancel.abort()
  stop.addEventListener('abort', cancelRequests)
  const pending: Pending[] = []
  const slices = windowSlices(source, units)
  try {
    while (!stop.aborted) {
      while (pending.length < ahead) {
        const next = slices.next()
        if (next.done === true) break
        reachStep('fetch.before')
        const answer = source.window(next.value.slice.from, next.value.slice.to, cancel.signal)
        // The failure is seen where the window's turn comes; until then it must not count as unhandled.
        answer.catch(() => undefined)
        pending.push({ ...next.value, answer })
      }
      const first = pending.shift()
      if (first === undefined) return
      let containers: Container[]
      try {
        containers = await first.answer
      } catch (error) {
        if (stop.aborted) return
        throw error
      }
      reachStep('fetch.after')
      yield { unit: first.unit, slice: first.slice, containers }
    }
  } finally {
    stop.removeEventListener('abort', cancelRequests)
    cancel.abort()
  }
}

function* windowSlices(
  source: WindowSource,
  units: readonly Unit[],
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
