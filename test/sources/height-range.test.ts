import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { wrapperColumns } from '../../schemas/shared/block-columns.ts'
import { decodePContainer } from '../../src/decode/p/rows.ts'
import { decodeXContainer } from '../../src/decode/x/rows.ts'
import { createTransport, type Transport } from '../../src/fetch/transport.ts'
import type { ChainContext } from '../../src/model.ts'
import { createHeightRange } from '../../src/sources/node-index.ts'
import { contextOf } from '../decode/recordings.ts'
import { type LocalServer, startServer } from '../fetch/local-server.ts'
import { recordedContainers, recordingFolder } from '../recorded.ts'

const sides = {
  P: { namespace: 'platform', decode: decodePContainer },
  X: { namespace: 'xvm', decode: decodeXContainer },
} as const
const withoutWrapper = Object.fromEntries(Object.keys(wrapperColumns).map((name) => [name, null]))

describe('blocks by height of a recorded node', () => {
  let node: Devnet
  let transport: Transport
  beforeAll(async () => {
    node = await startDevnet({
      replay: recordingFolder('granite'),
      slowMs: 20,
      faults: { kinds: transientFaults, every: 25 },
    })
    transport = createTransport({ baseUrl: node.url, backoff: { baseMs: 2, maxMs: 10 }, concurrency: 8 })
  })
  afterAll(async () => {
    await transport.close()
    await node.close()
  })

  test.each(['P', 'X'] as const)(
    'of the %s-Chain have the same rows as containers, except columns that only a wrapper has',
    async (chain) => {
      const { namespace, decode } = sides[chain]
      const expected = recordedContainers(`granite/${chain.toLowerCase()}-containers`)
      const range = createHeightRange(transport, { chain, namespace, underWay: 4, waitMs: 2 })
      expect(await range.head()).toBe(expected.length)
      const context: ChainContext = contextOf('granite', chain)
      for (const from of [0, 2_000, expected.length - 40]) {
        const blocks = await range.window(from + 1, from + 41)
        expect(blocks.map(range.at)).toEqual(expected.slice(from, from + 40).map(({ index }) => index + 1))
        for (const [at, block] of blocks.entries()) {
          const { blocks: heads, ...others } = decode(expected[from + at]!, context)
          const wanted = {
            ...others,
            ...('transactions' in others && chain === 'X' ? { transactions: withoutIndex(others.transactions) } : {}),
            blocks: heads.map((head) => ({ ...head, ...withoutWrapper })),
          }
          expect(decode(block, context)).toEqual(wanted)
        }
      }
    },
  )

  test('are refused when the node answers with another block', async () => {
    const range = createHeightRange(transport, { chain: 'P', namespace: 'platform', underWay: 1, waitMs: 2 })
    const [block] = await range.window(6, 7)
    const context = contextOf('granite', 'P')
    expect(() => decodePContainer({ ...block!, height: 7 }, context)).toThrow(
      'The request was for block 7, and the node answered with block 6.',
    )
  })
})

function withoutIndex(transactions: readonly object[]): object[] {
  return transactions.map((row) => ({ ...row, accepted_at: null, container_index: null }))
}

describe('a node', () => {
  const servers: LocalServer[] = []
  afterAll(() => Promise.all(servers.map((server) => server.close())))

  async function answering(answer: (method: string) => object): Promise<Transport> {
    const server = await startServer(({ body }) => {
      const { id, method } = JSON.parse(body)
      return { body: JSON.stringify({ jsonrpc: '2.0', id, ...answer(method) }) }
    })
    servers.push(server)
    return createTransport({ baseUrl: server.url, tries: 2, backoff: { baseMs: 1, maxMs: 2 } })
  }
  const x = { chain: 'X', namespace: 'xvm', underWay: 1, waitMs: 1 } as const

  test.each(['rpc: can\'t find method "avm.GetHeight"', 'chain is not linearized'])(
    'that answers %j is reported as not linear yet, and has no head',
    async (message) => {
      const range = createHeightRange(await answering(() => ({ error: { code: -32000, message } })), x)
      expect(await range.head()).toBeNull()
      expect(range.whyEmpty?.()).toMatch(/not linear yet \(before Cortina\)/)
    },
  )

  test('with only the genesis block has no head, and an answer without a height is refused', async () => {
    const empty = createHeightRange(await answering(() => ({ result: { height: '0' } })), x)
    expect([await empty.head(), empty.whyEmpty?.()]).toEqual([
      null,
      expect.stringMatching(/no block after its genesis/),
    ])
    const silent = createHeightRange(await answering(() => ({ result: {} })), x)
    await expect(silent.head()).rejects.toMatchObject({ code: 'transport.unreadable' })
  })

  test.each([
    [{ error: { code: -32000, message: "couldn't get block at height 8: not found" } }, 'transport.no-block'],
    [{ result: { block: '0x0000000000000000', encoding: 'hex' } }, 'decode.block'],
    [{ result: { block: '0xzz', encoding: 'hex' } }, 'decode.block'],
    [{ result: { encoding: 'hex' } }, 'decode.block'],
  ])('that answers %j is retried, and is an error when no tries are left', async (answer, code) => {
    let requested = 0
    const transport = await answering(() => {
      requested++
      return answer
    })
    await expect(createHeightRange(transport, { ...x, tries: 3 }).window(8, 9)).rejects.toMatchObject({ code })
    expect(requested).toBe(3)
  })
})
