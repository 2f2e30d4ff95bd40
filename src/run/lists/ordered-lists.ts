import type { ListEvent } from './list-pages.ts'

/** A list to read: a window, or one list of an observation. */
export type ListTask<K> = {
  readonly about: K
  readonly pages: (signal: AbortSignal) => AsyncGenerator<ListEvent, void, undefined>
}

/** An event of the first unfinished task, or its end. */
export type OrderedEvent<K> = { readonly about: K } & (ListEvent | { readonly ended: true })

type Started<K> = {
  readonly about: K
  readonly events: (ListEvent | { readonly ended: true } | { readonly failure: unknown })[]
  /** Called when there is a new event. */
  onEvent: () => void
  /** Called when an event was taken, so that the reader may continue. */
  onTaken: () => void
}

/** Maximum number of pages, and of their items, that wait for earlier lists. A page has from one to some thousand items. */
const mostPages = 40
const mostItems = 8192

/**
 * Reads lists in parallel, at most `atOnce`, and yields their pages in the order of the lists, whatever the order of the responses. A list
 * reads a bounded number of pages before its turn. A task is taken when it can begin, so that a generator of tasks can use earlier results.
 * Leaving the loop cancels all requests.
 */
export async function* orderedLists<K>(
  tasks: Iterator<ListTask<K>>,
  { atOnce, stop }: { readonly atOnce: number; readonly stop: AbortSignal },
): AsyncGenerator<OrderedEvent<K>, void, undefined> {
  const cancel = new AbortController()
  const onStop = () => cancel.abort(stop.reason)
  stop.addEventListener('abort', onStop, { once: true })
  const started: Started<K>[] = []
  const startMore = (): void => {
    while (started.length < atOnce && !cancel.signal.aborted) {
      const next = tasks.next()
      if (next.done === true) return
      started.push(start(next.value, cancel.signal))
    }
  }
  try {
    for (;;) {
      stop.throwIfAborted()
      startMore()
      const [first] = started
      if (first === undefined) return
      const event = first.events.shift()
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          first.onEvent = resolve
        })
        continue
      }
      first.onTaken()
      if ('failure' in event) throw event.failure
      if ('ended' in event) started.shift()
      yield { about: first.about, ...event }
    }
  } finally {
    stop.removeEventListener('abort', onStop)
    cancel.abort()
    for (const task of started) task.onTaken()
  }
}

function start<K>(task: ListTask<K>, signal: AbortSignal): Started<K> {
  const state: Started<K> = { about: task.about, events: [], onEvent: () => undefined, onTaken: () => undefined }
  const push = (event: Started<K>['events'][number]): void => {
    state.events.push(event)
    state.onEvent()
  }
  const read = async (): Promise<void> => {
    for await (const event of task.pages(signal)) {
      push(event)
      while (isFarAhead(state) && !signal.aborted)
        await new Promise<void>((resolve) => {
          state.onTaken = resolve
        })
      if (signal.aborted) return
    }
    push({ ended: true })
  }
  read().catch((failure: unknown) => push({ failure }))
  return state
}

function isFarAhead<K>({ events }: Started<K>): boolean {
  const items = events.reduce((sum, event) => sum + ('page' in event ? event.page.items.length : 0), 0)
  return events.length >= mostPages || items >= mostItems
}
