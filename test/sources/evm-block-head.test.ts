import { afterAll, expect, test } from 'vitest'
import { createTransport } from '../../src/fetch/transport.ts'
import { readEvmBlockHead } from '../../src/sources/evm-answers.ts'
import { startServer } from '../fetch/local-server.ts'

const open: { close: () => Promise<void> }[] = []
afterAll(async () => {
  for (const each of open) await each.close()
})

const hash = `0x${'Ab'.repeat(32)}`

/** A chain that gives this answer to eth_getBlockByNumber. */
async function answering(answer: object) {
  const requested: unknown[] = []
  const server = await startServer(({ body }) => {
    const { id, method, params } = JSON.parse(String(body))
    requested.push([method, ...params])
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, ...answer }) }
  })
  const transport = createTransport({ baseUrl: server.url, tries: 1 })
  open.push(server, transport)
  return { requested, read: (wanted: string) => readEvmBlockHead(transport, '/rpc', wanted) }
}

test('a block number or a tag resolves to the current block of that name', async () => {
  const seconds = await answering({ result: { number: '0x10', hash, timestamp: '0x64' } })
  expect(await seconds.read('16')).toEqual({ number: 16, hash: hash.toLowerCase(), time: 100_000_000n })
  expect(await seconds.read('finalized')).toMatchObject({ number: 16 })
  expect(seconds.requested).toEqual([
    ['eth_getBlockByNumber', '0x10', false],
    ['eth_getBlockByNumber', 'finalized', false],
  ])
  const fine = await answering({
    result: { number: '0x10', hash, timestamp: '0x64', timestampMilliseconds: '0x186a5' },
  })
  expect(await fine.read('16')).toMatchObject({ time: 100_005_000n })
})

test('a missing block is reported in the same words, whatever the answer of the node', async () => {
  const unfinalized = { error: { code: -32000, message: 'cannot query unfinalized data' } }
  for (const answer of [{ result: null }, unfinalized])
    await expect((await answering(answer)).read('9')).rejects.toThrow('The chain has no block 9 yet.')
  const closed = await answering({ error: { code: -32000, message: 'database closed' } })
  await expect(closed.read('9')).rejects.toThrow('database closed')
})

test.each([
  {},
  { number: '0x1', hash },
  { number: 'one', hash, timestamp: '0x1' },
  { number: '0x1', timestamp: '0x1' },
])('an answer that is no block is refused: %j', async (result) => {
  await expect((await answering({ result })).read('latest')).rejects.toThrow(
    'The answer to eth_getBlockByNumber of latest is not a block.',
  )
})
