import fc from 'fast-check'
import type { StreamDeclaration } from '../../../src/define/index.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import { createListService, type Item, type ListService } from './list-service.ts'

export const itemAt = (position: number): Item => ({ id: `item-${position}`, time: 1000 + position })

export function newestFirst(count: number): Item[] {
  return Array.from({ length: count }, (_, index) => itemAt(count - 1 - index))
}

export async function idsOf(lake: string): Promise<string[]> {
  const rows = (await rowsOf(lake, items)) as { item_id: string }[]
  return rows.map(({ item_id }) => item_id)
}

const event = fc.record({
  grow: fc.nat(30),
  stopAfter: fc.integer({ min: 1, max: 25 }),
  tokenEnd: fc.constantFrom('refuse', 'restart'),
  killBefore: fc.boolean(),
  /** Requests before which an item is added, or all tokens expire. */
  during: fc.array(fc.tuple(fc.nat(15), fc.constantFrom('grow', 'kill')), { maxLength: 3 }),
})

/**
 * Runs a stream several times on a list that grows while tokens expire and runs are stopped, then once undisturbed. Calls `afterRun` after
 * each disturbed run and `atEnd` after the last.
 */
export async function runOnChangingLists(
  stream: StreamDeclaration,
  numRuns: number,
  {
    afterRun,
    atEnd,
  }: {
    readonly afterRun?: (lake: string, service: ListService) => Promise<unknown>
    readonly atEnd: (lake: string, service: ListService) => Promise<void>
  },
): Promise<void> {
  const histories = fc.array(event, { minLength: 1, maxLength: 4 })
  const check = async (
    events: readonly (typeof event extends fc.Arbitrary<infer E> ? E : never)[],
    pageSize: number,
  ) => {
    const lake = newItemLake()
    let count = 40
    const service = createListService(newestFirst(count), pageSize)
    const grow = () => service.items.unshift(itemAt(count++))
    for (const { grow: more, stopAfter, tokenEnd, killBefore, during } of events) {
      for (let each = 0; each < more; each++) grow()
      service.tokenEnd = tokenEnd
      if (killBefore) service.killTokens()
      const stop = new AbortController()
      const first = service.requests
      service.before = (requests) => {
        for (const [at, change] of during)
          if (requests - first === at) {
            if (change === 'grow') grow()
            else service.killTokens()
          }
        if (requests - first === stopAfter) stop.abort(new Error('stopped'))
      }
      await runStream(lake, stream, service.client, { stop: stop.signal })
      service.before = () => undefined
      await afterRun?.(lake, service)
    }
    await runStream(lake, stream, service.client)
    await atEnd(lake, service)
  }
  await fc.assert(fc.asyncProperty(histories, fc.integer({ min: 1, max: 7 }), check), { numRuns })
}
