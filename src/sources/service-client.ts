import type { ServiceRequest } from '../define/index.ts'
import { createTransport, type Retry, type Transport } from '../fetch/transport.ts'
import { parseFastJson, parseLosslessJson } from '../lib/json.ts'
import type { ServiceProfile } from './service-profile.ts'

/** Asks the hosts of a service. */
export type ServiceClient = {
  /** The JSON of an answer, made a result by `parse`. Throws `TransportError` and what `parse` throws. */
  ask<T>(
    request: ServiceRequest,
    options: { readonly signal?: AbortSignal; readonly parse: (answer: unknown) => T },
  ): Promise<T>
  close(): Promise<void>
}

export type ServiceClientOptions = {
  readonly profile: ServiceProfile
  readonly concurrency?: number
  readonly timeoutMs?: number
  readonly tries?: number
  readonly onRetry?: (retry: Retry) => void
}

/** Whole numbers that a JavaScript number may not hold. */
const largeNumber = /[:[,\s]-?\d{16,}[\s,\]}]/

export function createServiceClient({ profile, ...options }: ServiceClientOptions): ServiceClient {
  const data = createTransport({ baseUrl: profile.dataUrl, ...options })
  const metrics =
    profile.metricsUrl === profile.dataUrl ? data : createTransport({ baseUrl: profile.metricsUrl, ...options })
  const transports: Readonly<Record<ServiceRequest['host'], Transport>> = { data, metrics }
  const key = profile.key === null ? {} : { [profile.keyHeader]: profile.key }
  return {
    ask({ host, method, path, query, body }, { signal, parse }) {
      return transports[host].request({
        method,
        path: path + queryText(query),
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(host === 'data' ? key : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
        parse: (answer) => {
          const text = answer.body.toString()
          return parse(largeNumber.test(text) ? parseLosslessJson(text) : parseFastJson(text))
        },
      })
    },
    async close() {
      await Promise.all([...new Set([data, metrics])].map((transport) => transport.close()))
    },
  }
}

function queryText(query: ServiceRequest['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
