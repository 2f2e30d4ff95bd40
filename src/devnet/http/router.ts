import { type Answer, notFound } from './answer.ts'
import type { DevnetRequest } from './request.ts'

/** Answers a request, or gives null so that the next route is asked. */
export type Handler = (request: DevnetRequest) => Promise<Answer | null> | Answer | null

/** A handler for one path, or for any path when `path` is null. */
export type Route = { readonly path: string | null; readonly handle: Handler }

/** Asks the routes in order; what none of them answers is the node's 404. */
export function createRouter(routes: readonly Route[]): (request: DevnetRequest) => Promise<Answer> {
  return async (request) => {
    for (const route of routes) {
      if (route.path !== null && route.path !== request.path) continue
      const answer = await route.handle(request)
      if (answer !== null) return answer
    }
    return notFound
  }
}
