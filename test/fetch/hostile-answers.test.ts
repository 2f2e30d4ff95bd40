import { afterEach, expect, test } from 'vitest'
import { humanLine } from '../../src/cli/terminal/run-events.ts'
import { errorText } from '../../src/cli/terminal/terminal.ts'
import { callRpc } from '../../src/fetch/json-rpc.ts'
import { createTransport, type Retry, type Transport } from '../../src/fetch/transport.ts'
import { type LocalServer, quick, type Reply, startServer } from './local-server.ts'

let server: LocalServer
let transport: Transport
let retries: Retry[] = []
afterEach(async () => {
  await transport.close()
  await server.close()
})

/** The error of a request that the service answers with `reply`, or null. */
async function failureOf(reply: (id: number) => Reply): Promise<unknown> {
  server = await startServer(({ body }) => reply((JSON.parse(body) as { id: number }).id))
  retries = []
  transport = createTransport({ baseUrl: server.url, ...quick, tries: 2, onRetry: (retry) => retries.push(retry) })
  return callRpc(transport, '/ext/index/P/block', 'index.getLastAccepted', {}).then(
    () => null,
    (error: unknown) => error,
  )
}

test('JSON that is nested too deep is refused with a reason and is not requested again', async () => {
  const error = await failureOf(() => ({ body: `{"result":${'['.repeat(100_000)}${']'.repeat(100_000)}}` }))
  expect(error).toMatchObject({
    exitCode: 3,
    code: 'transport.unreadable',
    retryable: false,
    message: expect.stringContaining('cannot be read: its JSON is nested deeper than 1,000 levels.'),
    hint: expect.stringMatching(/./),
  })
  expect(server.received).toHaveLength(1)
})

const steering = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r\n\u202e'
// biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested.
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

test.each<[string, (id: number) => Reply]>([
  ['a body that is no JSON', () => ({ body: `<html>${steering}</html>` })],
  ['a text of a status', () => ({ status: 404, body: `no such ${steering} thing` })],
  ['a message of a status', () => ({ status: 400, body: JSON.stringify({ message: [steering, 'two'] }) })],
  ['an error of JSON-RPC', (id) => ({ body: JSON.stringify({ id, error: { code: 1, message: `bad ${steering}` } }) })],
])('%s cannot send control characters to the terminal', async (_, reply) => {
  const error = await failureOf(reply)
  expect(errorText(error)).toContain('\\u001b[2J\\u001b]0;owned\\u0007\\u009b31m')
  expect(errorText(error)).not.toMatch(controls)
  for (const retry of retries)
    expect(humanLine(JSON.stringify({ level: 'warn', time: '', msg: 'retry', ...retry }))).not.toMatch(controls)
})
