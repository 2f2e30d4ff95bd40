import { afterAll, describe, expect, test } from 'vitest'
import { encodeCb58 } from '../../src/codec/cb58.ts'
import { sha256 } from '../../src/codec/hash.ts'
import { encode } from '../../src/codec/linear/index.ts'
import { type PTx, signedPTx } from '../../src/codec/p/transactions.ts'
import { ConfigError, DecodeError } from '../../src/errors.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { readChainFxs } from '../../src/sources/chain-fxs.ts'
import { startServer } from '../fetch/local-server.ts'

const open: { close(): Promise<unknown> }[] = []
afterAll(() => Promise.all(open.map((one) => one.close())))

/** A node that answers platform.getTx with these bytes, or with an error of its own. */
async function nodeWith(bytes: Uint8Array | null) {
  const server = await startServer(({ body }) => {
    const { id, method, params } = JSON.parse(body)
    if (method !== 'platform.getTx' || params.encoding !== 'hex') throw new Error(method)
    const checked = bytes === null ? null : Buffer.concat([bytes, sha256(bytes).subarray(-4)])
    const outcome =
      checked === null
        ? { error: { code: -32000, message: "couldn't get tx: not found", data: null } }
        : { result: { tx: `0x${checked.toString('hex')}`, encoding: 'hex' } }
    return { body: JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) }
  })
  const transport = createTransport({ baseUrl: server.url })
  open.push(server, transport)
  return transport
}

const base = { networkID: 12345, blockchainID: new Uint8Array(32), outputs: [], inputs: [], memo: new Uint8Array() }

function named(name: string): Uint8Array {
  const id = new Uint8Array(32)
  id.set(Buffer.from(name))
  return id
}

function createChain(fxs: readonly string[]): { bytes: Uint8Array; id: string } {
  const unsignedTx: PTx['unsignedTx'] = {
    type: 'CreateChainTx',
    ...base,
    subnetID: new Uint8Array(32).fill(1),
    chainName: 'assets',
    vmID: named('avm'),
    fxIDs: fxs.map(named),
    genesisData: new Uint8Array(),
    subnetAuthorization: { type: 'secp256k1fx.Input', signatureIndices: [0] },
  }
  const bytes = encode(signedPTx, { unsignedTx, credentials: [] })
  return { bytes, id: encodeCb58(sha256(bytes)) }
}

test('the feature extensions of a chain are those of its CreateChainTx, in their order', async () => {
  const order = ['nftfx', 'propertyfx', 'secp256k1fx']
  const { bytes, id } = createChain(order)
  expect(await readChainFxs(await nodeWith(bytes), id)).toEqual(order)
})

describe('refused is', () => {
  const { id } = createChain(['secp256k1fx'])

  test('another transaction than the one that created the chain', async () => {
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
