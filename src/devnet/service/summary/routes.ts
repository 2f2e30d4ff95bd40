import { jsonAnswer, textAnswer } from '../../http/answer.ts'
import type { Route } from '../../http/router.ts'
import type { Summary } from '../plumbing/totals.ts'

/** What the routes of the summary are made of; each list is of the present head. */
export type SummarySource = {
  readonly summary: () => Promise<Summary>
  /** Texts by what they are: addresses, nodes, transactions. */
  readonly lists: Readonly<Record<string, () => Promise<readonly string[]>>>
}

/**
 * `GET /devnet/summary`: what an export at the present head has to come to. `GET /devnet/addresses?of=…`: what exists, a text a
 * line, so that jobs can name it all. No fault touches them.
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
