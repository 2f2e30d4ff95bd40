import type { RangeSource } from '../../define/index.ts'
import { reachStep } from '../../lib/step.ts'
import type { Slice } from '../../model.ts'
import { isWindowTooLarge } from '../../sources/too-large.ts'

/** What of a source is needed to read it in windows. */
export type WindowSource<R> = Pick<RangeSource<R>, 'windowSize' | 'window' | 'release'>

/** A slice that is to be read of a source. */
export type Reading<R> = { readonly source: WindowSource<R>; readonly read: Slice }

/** Readings that come one after another: not all of them need to be known. */
export type Arriving<K> = {
  /** The next one; null while none is there. */
  next(): K | null
  /** Resolves to false when none comes any more, else to true when it is worth asking again. */
  more(): Promise<boolean>
}

/** Readings that are all known. */
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

/** Records of `slice`, which is a piece of `reading.read`, in order, with what was made ready of them. */
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
 * Fetches the windows of readings in parallel and yields them in order, so that rows and commits keep the order of the readings
 * whatever the order of answers. `prepare` begins as soon as a window is there, before its turn. At most `ahead` windows are under
 * way or waiting, which bounds the memory. A window is the consumer's until it asks for the next one. One that is too large to be
 * given or held is cut in two; windows of other sources that have begun wait meanwhile, and do not count. Ends early, without an error,
 * when `stop` is aborted; what was not yielded is dropped.
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
  stop.addEventListener('abort', cancelAll)
  try {
    while (!stop.aborted) {
      while (pending.length < ahead) {
        const next = spans.next()
        if (next === null) break
        reachStep('fetch.before')
        pending.push('answer' in next ? next : begin(next, prepare))
      }
      const [first] = pending
      if (first === undefined) {
        if (await arriving.more()) continue
        return
      }
      first.itsTurn()
      let answer: Answer<R, P>
      try {
        answer = await first.answer
      } catch (error) {
        if (stop.aborted) return
        const { from, to } = first.slice
        if (!isWindowTooLarge(error) || to - from === 1) throw error
        const { source } = first.reading
        const others = pending.slice(1)
        // Those of the same source were as long: they are asked for again, when it is known how much is given.
        drop([first, ...others.filter(({ reading }) => reading.source === source)])
        const middle = from + Math.floor((to - from) / 2)
        spans.again([
          { reading: first.reading, slice: { from, to: middle } },
          { reading: first.reading, slice: { from: middle, to } },
          ...others.map((one) => (one.reading.source === source ? { reading: one.reading, slice: one.slice } : one)),
        ])
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
  // The failure is seen where the window's turn comes; until then it must not count as unhandled.
  answer.catch(() => undefined)
  return { reading, slice, answer, itsTurn, cancel: () => cancel.abort() }
}

/** Ends windows that nobody waits for any more. */
function drop(windows: readonly Pick<Pending<unknown, unknown, unknown>, 'cancel' | 'itsTurn'>[]): void {
  for (const { cancel, itsTurn } of windows) {
    cancel()
    itsTurn()
  }
}

/** What is to be read, in order, cut to windows of the size that the source wants by then. */
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
    /** Puts windows before what has not been given. Those that have begun stay as they are. */
    again(windows: readonly (Span<K> | Pending<R, P, K>)[]): void {
      left = [...windows, ...left]
    },
    /** Windows that have begun and wait here. */
    begun: () => left.filter((span) => 'answer' in span),
  }
}
