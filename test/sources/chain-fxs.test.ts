import { afterAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../codec/hash.ts'
import { encodeCb58 } from '../../codec/ids.ts'
import { encode } from '../../codec/linear.ts'
import { signedPTx } from '../../codec/p.ts'
import { ConfigError, DecodeError } from '../../src/errors.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { readChainFxs } from '../../src/sources/node-index.ts'
import { startServer } from '../fetch/local-server.ts'
import { base, createChain, txAnswer } from './created-chain.ts'

const open: { close(): Promise<unknown> }[] = []
afterAll(() => Promise.all(open.map((one) => one.close())))

/** A node that answers platform.getTx with these bytes, or with an error. */
async function nodeWith(bytes: Uint8Array | null) {
  const server = await startServer(({ body }) => {
    const { id, method, params } = JSON.parse(body)
    if (method !== 'platform.getTx' || params.encoding !== 'hex') throw new Error(method)
    const outcome =
      bytes === null
        ? { error: { code: -32000, message: "couldn't get tx: not found", data: null } }
        : { result: txAnswer(bytes) }
    return { body: JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) }
  })
  const transport = createTransport({ baseUrl: server.url })
  open.push(server, transport)
  return transport
}

test('a chain has the feature extensions of its CreateChainTx, in the same order', async () => {
  const order = ['nftfx', 'propertyfx', 'secp256k1fx']
  const { bytes, id } = createChain(order)
  expect(await readChainFxs(await nodeWith(bytes), id)).toEqual(order)
})

describe('reading the feature extensions refuses', () => {
  const { id } = createChain(['secp256k1fx'])

  test('a transaction other than the one that created the chain', async () => {
    const other = createChain(['nftfx'])
    await expect(readChainFxs(await nodeWith(other.bytes), id)).rejects.toThrow(DecodeError)
  })

  test('a chain that the node does not know', async () => {
    const error = await readChainFxs(await nodeWith(null), id).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({ code: 'config.chain-fxs', message: expect.stringContaining('platform.getTx') })
  })

  test.each([
    ['a chain of another VM', createChain([]), 'It has no feature extensions'],
    ['a feature extension that nobody knows', createChain(['otherfx']), 'which the asset VM does not know'],
  ])('%s', async (_, chain, message) => {
    await expect(readChainFxs(await nodeWith(chain.bytes), chain.id)).rejects.toThrow(message)
  })

  test('a transaction that creates no chain', async () => {
    const subnet = encode(signedPTx, {
      unsignedTx: { type: 'BaseTx', ...base },
      credentials: [],
    })
    await expect(readChainFxs(await nodeWith(subnet), encodeCb58(sha256(subnet)))).rejects.toThrow('is a BaseTx')
  })
})
