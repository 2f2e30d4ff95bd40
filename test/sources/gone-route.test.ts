import { afterEach, expect, test } from 'vitest'
import { holdersPipeline, holdersRoute } from '../../pipelines/holders.ts'
import { tpsPipeline, tpsRoute } from '../../pipelines/tps.ts'
import { pipelineText } from '../../src/cli/commands/pipeline-description.ts'
import type { Observation } from '../../src/define/index.ts'
import type { HttpError } from '../../src/errors.ts'
import { createServiceClient } from '../../src/sources/service-client.ts'
import { hostsOf, serviceSettings } from '../../src/sources/service-profile.ts'
import { requestOf } from '../../src/sources/service-routes.ts'
import { documents } from '../../tools/docs/documents.ts'
import { type Reply, startServer } from '../fetch/local-server.ts'
import { ofService } from '../pipelines/of-service.ts'
import { streamsOf } from '../pipelines/streams-of.ts'
import { profileAt } from './service-profile-at.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const { gone } = holdersRoute

async function clientOf(reply: Reply) {
  const server = await startServer(() => reply)
  const profile = profileAt(server.url, server.url)
  const client = createServiceClient({ hosts: hostsOf(profile), tries: 1 })
  cleanups.push(server.close, client.close)
  return { client, settings: serviceSettings(profile) }
}

const notFound: Reply = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Cannot GET","statusCode":404,"error":"Not Found"}',
}

test('the hint of a 404 reports that a route is gone, but not for other routes', async () => {
  const { client, settings } = await clientOf(notFound)
  const values = {
    'start-timestamp': undefined,
    'end-timestamp': undefined,
    'page-size': undefined,
    network: 'mainnet',
    'chain-id': '43114',
    threshold: '1',
    contracts: [`0x${'a'.repeat(40)}`],
  }
  const [stream] = streamsOf(holdersPipeline, values, settings)
  const holders = ofService((stream!.walk as Observation).subjects[0]!.lists[0]!.request(null))
  const failure = (requested: typeof holders) =>
    client.ask(requested, { parse: () => null }).catch((error: HttpError) => error)
  const error = (await failure(holders)) as HttpError
  expect(error).toMatchObject({ code: 'transport.not-found', status: 404, details: { answer: 'Cannot GET' } })
  expect(error.hint).toBe(
    `${gone} Remove the job, or use --metrics-url to name a service that has the route, and check the ids of the job.`,
  )
  const tps = (await failure(requestOf(tpsRoute, { chainId: '1' }))) as HttpError
  expect(tps.hint).toMatch(/^The service no longer has this route, or it does not know an id/)
})

test('describe and the reference of pipelines report that the route is gone', () => {
  expect(gone).toMatch(/public API no longer has this route/)
  expect(pipelineText(holdersPipeline, 1_000).split('\n')[0]).toContain(gone)
  expect(pipelineText(tpsPipeline, 1_000)).not.toContain(gone)
  const text = documents().find(({ path }) => path === 'docs/reference/pipelines.md')?.text ?? ''
  expect(text.slice(text.indexOf('### holders'), text.indexOf('### tps')).replaceAll(/\s+/g, ' ')).toContain(gone)
})
