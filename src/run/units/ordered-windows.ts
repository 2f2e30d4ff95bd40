import type { WindowSource } from '../../define/index.ts'
import { reachStep } from '../../lib/step.ts'
import type { Slice } from '../../model.ts'
import { isWindowTooLarge } from '../../sources/window-size.ts'

/** A slice of a source that is to be read. */
export type Reading<R> = {
  readonly source: WindowSource<R>
  readonly read: Slice
  /** The request of the reading before it serves this one, too: it does not count as another one. */
  readonly sharesRequest?: boolean
}

/** Readings that arrive one after another. */
export type Arriving<K> = {
  /** The next reading; null while there is none. */
  next(): K | null
  /** Resolves to true when there may be a next reading, and to false when no more readings arrive. */
  more(): Promise<boolean>
}

/** Turns a list of readings into arriving ones. */
function known<K>(readings: Iterable<K>): Arriving<K> {
  const iterator = readings[Symbol.iterator]()
  return {
    next() {
      const { done, value } = iterator.next()
      return done === true ? null : value
    },
    more: async () => false,
  }
}

/** The records of `slice`, a part of `reading.read`, in order, with the result of `prepare`. */
export type Window<R, P, K> = {
  readonly reading: K
  readonly slice: Slice
  readonly records: readonly R[]
  readonly prepared: P
}

type Answer<R, P> = { readonly records: readonly R[]; readonly prepared: P }
type Span<K> = { readonly reading: K; readonly slice: Slice }
type Pending<R, P, K> = Span<K> & {
  readonly answer: Promise<Answer<R, P>>
  readonly itsTurn: () => void
  readonly cancel: () => void
}

/**
 * Fetches the windows of readings in parallel and yields them in order, so that rows and commits have the order of the readings, whatever
 * the order of the responses. `prepare` begins as soon as a window has arrived, before its turn. At most `ahead` windows are in progress or
 * waiting, which bounds the memory. A window belongs to the consumer until it requests the next one. A window that is too large is cut in
 * two; pending windows of other sources wait meanwhile and do not count. When `stop` is aborted, the generator ends without an error, and
 * windows that were not yielded are dropped.
 */
export async function* orderedWindows<R, P, K extends Reading<R>>(
  readings: Iterable<K & Reading<R>> | Arriving<K & Reading<R>>,
  options: {
    ahead: number
    stop: AbortSignal
    prepare: (reading: K, records: readonly R[]) => Promise<P>
  },
): AsyncGenerator<Window<R, P, K>, void, undefined> {
  const { ahead, stop, prepare } = options
  const arriving: Arriving<K> = Symbol.iterator in readings ? known<K>(readings) : readings
  const spans = createSpans<R, P, K>(arriving)
  let pending: Pending<R, P, K>[] = []
  const cancelAll = () => drop([...pending, ...spans.begun()])
  const fill = (): void => {
    let requests = pending.filter(isRequest).length
    while (requests < ahead) {
      const next = spans.next()
      if (next === null) return
      if (isRequest(next)) requests++
      reachStep('fetch.before')
      pending.push('answer' in next ? next : begin(next, prepare))
    }
  }
  stop.addEventListener('abort', cancelAll)
  try {
    while (!stop.aborted) {
      fill()
      const [first] = pending
      if (first === undefined) {
        if (await arriving.more()) continue
        return
      }
      first.itsTurn()
      const answer = await first.answer.catch((error: unknown) => {
        if (!stop.aborted && !isDivisible(first.slice, error)) throw error
        return null
      })
      if (answer === null) {
        if (stop.aborted) return
        spans.again(withHalves(first, pending.slice(1)))
        pending = []
        continue
      }
      pending.shift()
      reachStep('fetch.after')
      const { reading, slice } = first
      yield { reading, slice, ...answer }
      reading.source.release?.(answer.records)
    }
  } finally {
    stop.removeEventListener('abort', cancelAll)
    cancelAll()
  }
}

function isRequest({ reading }: { readonly reading: Pick<Reading<unknown>, 'sharesRequest'> }): boolean {
  return reading.sharesRequest !== true
}

function isDivisible({ from, to }: Slice, error: unknown): boolean {
  return isWindowTooLarge(error) && to - from > 1
}

/**
 * The windows to request instead of a window that was too large: its halves, then the other pending ones. Windows of the same source were as
 * long: they are cancelled and requested again with the new window size.
 */
function withHalves<R, P, K extends Reading<R>>(
  tooLarge: Pending<R, P, K>,
  others: readonly Pending<R, P, K>[],
): (Span<K> | Pending<R, P, K>)[] {
  const { reading, slice } = tooLarge
  const isOfSource = (other: Pending<R, P, K>): boolean => other.reading.source === reading.source
  drop([tooLarge, ...others.filter(isOfSource)])
  const middle = slice.from + Math.floor((slice.to - slice.from) / 2)
  return [
    { reading, slice: { from: slice.from, to: middle } },
    { reading, slice: { from: middle, to: slice.to } },
    ...others.map((other) => (isOfSource(other) ? { reading: other.reading, slice: other.slice } : other)),
  ]
}

function begin<R, P, K extends Reading<R>>(
  { reading, slice }: Span<K>,
  prepare: (reading: K, records: readonly R[]) => Promise<P>,
): Pending<R, P, K> {
  const cancel = new AbortController()
  let itsTurn: () => void = () => undefined
  const turn = new Promise<void>((resolve) => {
    itsTurn = resolve
  })
  const answer = reading.source
    .window(slice.from, slice.to, cancel.signal, turn)
    .then(async (records) => ({ records, prepared: await prepare(reading, records) }))
  // The failure is handled at the turn of the window. Until then it must not count as unhandled.
  answer.catch(() => undefined)
  return { reading, slice, answer, itsTurn, cancel: () => cancel.abort() }
}

/** Cancels windows that are no longer needed. */
function drop(windows: readonly Pick<Pending<unknown, unknown, unknown>, 'cancel' | 'itsTurn'>[]): void {
  for (const { cancel, itsTurn } of windows) {
    cancel()
    itsTurn()
  }
}

/** The slices that are left to read, in order, cut to windows of the current size of their source. */
function createSpans<R, P, K extends Reading<R>>(arriving: Pick<Arriving<K>, 'next'>) {
  let left: (Span<K> | Pending<R, P, K>)[] = []
  return {
    next(): Span<K> | Pending<R, P, K> | null {
      let span = left.shift()
      while (span === undefined) {
        const reading = arriving.next()
        if (reading === null) return null
        if (reading.read.from < reading.read.to) span = { reading, slice: reading.read }
      }
      if ('answer' in span) return span
      const { reading, slice } = span
      const to = Math.min(slice.to, slice.from + reading.source.windowSize())
      if (to < slice.to) left.unshift({ reading, slice: { from: to, to: slice.to } })
      return { reading, slice: { from: slice.from, to } }
    },
    /** Puts windows before all others. Windows in progress stay in progress. */
    again(windows: readonly (Span<K> | Pending<R, P, K>)[]): void {
      left = [...windows, ...left]
    },
    /** Windows in progress that wait here. */
    begun: () => left.filter((span) => 'answer' in span),
  }
}
