import type { FaultKind } from '../../../devnet/serve.ts'
import { createLimits, type LimitOptions } from '../../../devnet/service/plumbing/limits.ts'
import { createPager, createTokens } from '../../../devnet/service/plumbing/pages.ts'
import type { ServiceRoute } from '../../../devnet/service/plumbing/route.ts'
import { serveRoutes } from '../../../devnet/service/plumbing/serve.ts'
import { type ServiceOptions, serviceDefaults } from '../../../devnet/service/service.ts'

export type Requested = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: any
  readonly text: string
}
type Details = { fault?: FaultKind; headers?: Record<string, string>; method?: string; body?: unknown }
export type Ask = (url: string, details?: Details) => Promise<Requested>

/** Sends requests to routes without a server; `clock` is the current time of the routes in milliseconds. */
export function asking(
  routes: readonly ServiceRoute[],
  options: ServiceOptions & { service?: LimitOptions } = {},
  clock: { now: number } = { now: 0 },
): Ask {
  const { limits, lifeMs, tokenEnd, settings } = serviceDefaults(options)
  const { handle } = serveRoutes(routes, {
    settings,
    limits: createLimits(limits, () => clock.now),
    pager: createPager(createTokens(lifeMs, () => clock.now)),
    tokenEnd,
  })
  return async (url, { fault, headers = {}, method = 'GET', body } = {}) => {
    const address = new URL(url, 'http://localhost')
    const answer = await handle({
      method,
      path: address.pathname,
      query: address.searchParams,
      url,
      headers,
      body: Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)),
      fault: fault ?? null,
    })
    if (answer === null) throw new Error(`nothing answers ${url}`)
    const text = answer.body.join('')
    return { status: answer.status, headers: { ...answer.headers }, body: JSON.parse(text), text }
  }
}

/** Reads a list to its end; `faultOf` returns the fault of each request. Returns all received items, page by page. */
export async function readAll(
  ask: Ask,
  url: string,
  items: string,
  faultOf: (request: number) => FaultKind | null = () => null,
): Promise<any[][]> {
  const pages: any[][] = []
  let token: string | undefined
  for (let request = 0; request < 1_000; request += 1) {
    const fault = faultOf(request)
    const answer = await ask(
      `${url}${token === undefined ? '' : `&pageToken=${token}`}`,
      fault === null ? {} : { fault },
    )
    if (answer.status === 400) {
      token = undefined
      continue
    }
    pages.push(answer.body[items])
    token = answer.body.nextPageToken
    if (token === undefined || token === '') return pages
  }
  throw new Error('the list has no end')
}
