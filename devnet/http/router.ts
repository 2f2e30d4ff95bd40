import { type Answer, notFound } from './answer.ts'
import type { DevnetRequest } from './request.ts'

/** Answers a request, or returns null so that the router tries the next route. */
export type Handler = (request: DevnetRequest) => Promise<Answer | null> | Answer | null

/** A handler for one path, or for any path when `path` is null. */
export type Route = { readonly path: string | null; readonly handle: Handler }

/** Tries the routes in order. If none answers, the response is the 404 of the node. */
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
