import type { ListEvent } from './list-pages.ts'

/** Something that is read as a list: a window, or one list of an observation. */
export type ListTask<K> = {
  readonly about: K
  readonly pages: (signal: AbortSignal) => AsyncGenerator<ListEvent, void, undefined>
}

/** An event of the first task that is not at its end, or word of its end. */
export type OrderedEvent<K> = { readonly about: K } & (ListEvent | { readonly ended: true })

type Started<K> = {
  readonly about: K
  readonly events: (ListEvent | { readonly ended: true } | { readonly failure: unknown })[]
  /** Called when there is a new event. */
  told: () => void
  /** Called when the reader may go on. */
  taken: () => void
}

/** Pages of a list that wait for the lists before it, and items of them: pages have from one to some thousands. */
const mostPages = 40
const mostItems = 8192

/**
 * Reads lists in parallel, at most `atOnce`, and yields their pages in the order of the lists, whatever the order of answers. A
 * list whose turn has not come reads ahead a bounded number of pages. Tasks are taken when one can begin, so that a generator
 * can learn from what came before. Leaving the loop ends all requests.
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
          first.told = resolve
        })
        continue
      }
      first.taken()
      if ('failure' in event) throw event.failure
      if ('ended' in event) started.shift()
      yield { about: first.about, ...event }
    }
  } finally {
    stop.removeEventListener('abort', onStop)
    cancel.abort()
    for (const task of started) task.taken()
  }
}

function start<K>(task: ListTask<K>, signal: AbortSignal): Started<K> {
  const state: Started<K> = { about: task.about, events: [], told: () => undefined, taken: () => undefined }
  const tell = (event: Started<K>['events'][number]): void => {
    state.events.push(event)
    state.told()
  }
  const read = async (): Promise<void> => {
    for await (const event of task.pages(signal)) {
      tell(event)
      while (isFarAhead(state) && !signal.aborted)
        await new Promise<void>((resolve) => {
          state.taken = resolve
        })
      if (signal.aborted) return
    }
    tell({ ended: true })
  }
  read().catch((failure: unknown) => tell({ failure }))
  return state
}

function isFarAhead<K>({ events }: Started<K>): boolean {
  const items = events.reduce((sum, event) => sum + ('page' in event ? event.page.items.length : 0), 0)
  return events.length >= mostPages || items >= mostItems
}
