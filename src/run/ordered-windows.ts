import { reachStep } from '../lib/step.ts'
import type { Container, Slice, Unit } from '../model.ts'

/** Containers `[slice.from, slice.to)` of a unit, in order, with what was made ready of them. */
export type Window<P> = {
  readonly unit: Unit
  readonly slice: Slice
  readonly containers: readonly Container[]
  readonly prepared: P
}

export type WindowSource = {
  /** Containers to ask for at once; may change as answers grow and shrink. */
  windowSize(): number
  /** Exactly the containers `[from, to)`. */
  window(from: number, to: number, signal?: AbortSignal): Promise<Container[]>
  /** Is told of windows that nobody looks at any more. */
  release?(containers: readonly Container[]): void
}

type Answer<P> = { readonly containers: readonly Container[]; readonly prepared: P }
type Pending<P> = { readonly unit: Unit; readonly slice: Slice; readonly answer: Promise<Answer<P>> }

/**
 * Fetches the slices of units in parallel and yields their windows in order, so that rows and commits keep the order of
 * the source whatever the order of answers. `prepare` begins as soon as a window is there, before its turn. At most `ahead`
 * windows are under way or waiting, which bounds the memory. A window is the consumer's until it asks for the next one.
 * Ends early, without an error, when `stop` is aborted; what was not yielded is dropped.
 */
export async function* orderedWindows<P>(
  source: WindowSource,
  units: Iterable<Unit>,
  options: {
    ahead: number
    stop: AbortSignal
    prepare: (unit: Unit, containers: readonly Container[]) => Promise<P>
  },
): AsyncGenerator<Window<P>, void, undefined> {
  const { ahead, stop, prepare } = options
  const cancel = new AbortController()
  const cancelRequests = () => cancel.abort()
  stop.addEventListener('abort', cancelRequests)
  const pending: Pending<P>[] = []
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
          .then(async (containers) => ({ containers, prepared: await prepare(unit, containers) }))
        // The failure is seen where the window's turn comes; until then it must not count as unhandled.
        answer.catch(() => undefined)
        pending.push({ unit, slice, answer })
      }
      const first = pending.shift()
      if (first === undefined) return
      let answer: Answer<P>
      try {
        answer = await first.answer
      } catch (error) {
        if (stop.aborted) return
        throw error
      }
      reachStep('fetch.after')
      yield { unit: first.unit, slice: first.slice, ...answer }
      source.release?.(answer.containers)
    }
  } finally {
    stop.removeEventListener('abort', cancelRequests)
    cancel.abort()
  }
}

function* windowSlices(
  source: WindowSource,
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
