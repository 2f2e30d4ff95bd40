import type { Endpoint, Heads } from '../../define/index.ts'

/** Where a chain may announce its blocks: the URL that the job names, or the one that follows from the URL of its RPC. */
export function headsUrl(
  { route, url }: Heads,
  endpoint: Endpoint,
  nodeUrl: string,
): { readonly url: string; readonly origin: 'given' | 'derived' } {
  if (url !== null) return { url, origin: 'given' }
  const rpc = new URL(endpoint.url ?? nodeUrl)
  rpc.protocol = rpc.protocol === 'https:' ? 'wss:' : 'ws:'
  rpc.pathname = (rpc.pathname.replace(/\/+$/, '') + route).replace(/\/rpc$/, '/ws')
  return { url: rpc.href, origin: 'derived' }
}
