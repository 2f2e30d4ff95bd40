// A process that sends requests to a service as fast as its lake allows. It runs the built code, because it cannot load TypeScript.

import { createSharedLimits } from '../../../dist/src/catalog/limits.js'
import { openPostgres } from '../../../dist/src/catalog/postgres/postgres-backend.js'
import { openServer } from '../../../dist/src/catalog/postgres/server.js'
import { createServiceAccounts } from '../../../dist/src/run/connections/connections.js'
import { createServiceClient } from '../../../dist/src/sources/service-client.js'
import { hostsOf } from '../../../dist/src/sources/service-profile.js'

const { catalog, profile, seconds } = JSON.parse(process.argv[2])
const backend = openPostgres(await openServer(catalog), { waitMs: 10_000 })
const hosts = hostsOf(profile)
const accounts = createServiceAccounts(hosts)
accounts.countIn({ limits: createSharedLimits(backend.shared), units: null })
const counts = { answers: 0, refused429: 0 }
const rateLimit = (host, options) => {
  const limit = accounts.rateLimit(host, options)
  const report = (grant, answer) => {
    if (answer !== null) counts.answers += 1
    if (answer?.status === 429) counts.refused429 += 1
    limit.report(grant, answer)
  }
  return { ...limit, report }
}
const client = createServiceClient({ hosts, rateLimit, concurrency: 2 })
const request = { host: 'data', method: 'GET', path: '/v1/chains', query: {}, weight: 'free' }
const beganMs = Date.now()
const endMs = performance.now() + seconds * 1000
const ask = async () => {
  while (performance.now() < endMs) await client.ask(request, { parse: (answer) => answer })
}
await Promise.all([ask(), ask(), ask()])
const endedMs = Date.now()
await accounts.settle()
process.stdout.write(JSON.stringify({ ...counts, beganMs, endedMs }))
await client.close()
