import { afterEach, expect, test } from 'vitest'
import { createTransport } from '../../../src/fetch/transport.ts'
import { nodeQuestions } from '../../../src/verify/source/sample.ts'
import { utxosOfNode } from '../../../src/verify/source/utxos.ts'
import { recordedCalls } from '../../decode/node/calls.ts'
import { quick, startServer } from '../../fetch/local-server.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

test('UTXOs of a node with pages that lead to one another are read once', async () => {
  const pages = recordedCalls('platform.getUTXOs')
    .filter(({ recording, params, refusal }) => recording === 'live' && params.limit === 5 && refusal === null)
    .slice(0, 2)
    .map(({ result }) => result)
  const server = await startServer(({ body }, count) => {
    const { id } = JSON.parse(body)
    return { body: JSON.stringify({ jsonrpc: '2.0', id, result: pages[count % 2] }) }
  })
  const connection = createTransport({ baseUrl: server.url, ...quick })
  cleanups.push(server.close, connection.close)
  const chain = { network: 'local', name: 'P', blockchainId: '', state: { namespace: 'platform' } }
  const asked = {
    connection,
    identity: { hrp: 'local' },
    stop: new AbortController().signal,
    questions: nodeQuestions(),
  }
  const outcome = await utxosOfNode(chain as never, 'local1', asked as never)
  expect(outcome).toMatchObject({ answer: { length: 10 } })
  expect(server.received).toHaveLength(3)
})
