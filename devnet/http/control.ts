import { jsonAnswer } from './answer.ts'
import type { RequestCounts } from './counts.ts'
import type { Route } from './router.ts'

type Control = {
  readonly counts: RequestCounts
  /** Accepts this many containers at once and returns the total number of accepted containers. */
  readonly grow: (containers: number) => Promise<number>
}

/** Control routes for tests and demonstrations. Real nodes do not have them, and faults do not affect them. */
export function controlRoutes({ counts, grow }: Control): Route[] {
  return [
    {
      path: '/devnet/requests',
      handle: ({ method }) => {
        const answer = jsonAnswer(200, [JSON.stringify(counts.read())])
        if (method === 'DELETE') counts.reset()
        return answer
      },
    },
    {
      path: '/devnet/grow',
      handle: async ({ method, query }) => {
        const containers = Number(query.get('containers') ?? '1')
        if (method !== 'POST' || !Number.isSafeInteger(containers) || containers < 0) return null
        return jsonAnswer(200, [JSON.stringify({ accepted: await grow(containers) })])
      },
    },
  ]
}
