import { jsonAnswer, textAnswer } from '../../http/answer.ts'
import type { Route } from '../../http/router.ts'
import type { Summary } from '../plumbing/totals.ts'

/** The data of the summary routes; each list describes the current head. */
type SummarySource = {
  readonly summary: () => Promise<Summary>
  /** Lists of texts by name, such as addresses, nodes and transactions. */
  readonly lists: Readonly<Record<string, () => Promise<readonly string[]>>>
}

/**
 * `GET /devnet/summary`: the expected totals of an export at the current head. `GET /devnet/addresses?of=…`: a list of existing objects
 * with one text per line, so that jobs can name them all. Faults do not affect these routes.
 */
export function summaryRoutes({ summary, lists }: SummarySource): Route[] {
  return [
    {
      path: '/devnet/summary',
      handle: async ({ method }) => (method === 'GET' ? jsonAnswer(200, [JSON.stringify(await summary())]) : null),
    },
    {
      path: '/devnet/addresses',
      handle: async ({ query }) => {
        const list = own(lists, query.get('of') ?? '')
        if (list === undefined) return textAnswer(400, `of must be one of ${Object.keys(lists).join(', ')}\n`)
        return textAnswer(200, (await list()).map((each) => `${each}\n`).join(''))
      },
    },
  ]
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
