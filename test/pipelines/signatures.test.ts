import { describe, expect, test } from 'vitest'
import { signaturesPipeline } from '../../pipelines/signatures.ts'
import { restSignedMessages } from '../../schemas/rest-networks.ts'
import type { Keyed, ServiceSettings } from '../../src/define/index.ts'
import { streamId } from '../../src/model.ts'
import { testContext } from '../decode/service/reading.ts'
import { ofService } from './of-service.ts'
import { streamsOf } from './streams-of.ts'

const settings: ServiceSettings = {
  networkInPath: (network) => network,
  blockchain: () => {
    throw new Error('not for signatures')
  },
  getAddresses: 64,
  postAddresses: 64,
  tpsPath: '',
  signingSubnetFields: ['signingSubnetId'],
}
type Values = Parameters<typeof signaturesPipeline.streams>[0]
const subnet = '11111111111111111111111111111111LpoYY'
/** A message of the P-Chain with two bytes, and what follows it: type, signers and signature. */
const unsigned = `000000000005${'0'.repeat(64)}00000002abcd`
const signature = `00000000000000011f${'5e'.repeat(96)}`
const txHash = '2ZQtTgNBPBqkgTW4kKSJqjJhWwMvwPzPVAZLw5QRJXWmSfDHEm'

function streams(given: object, of = settings) {
  const absent = Object.fromEntries(Object.keys(signaturesPipeline.parameters).map((name) => [name, undefined]))
  return streamsOf(signaturesPipeline, { ...absent, network: 'testnet', ...given } as Values, of)
}

function keysOf(given: object, of = settings) {
  return (streams(given, of)[0]!.walk as Keyed).keys
}

function code(given: object): unknown {
  try {
    streams(given)
  } catch (error) {
    return (error as { code?: string }).code
  }
  return null
}

describe('signatures', () => {
  test('of transactions are requested with GET', () => {
    const [key] = keysOf({ 'tx-hashes': [txHash] })
    expect(key!.request).toEqual({
      host: 'data',
      method: 'GET',
      path: `/v1/signatureAggregator/fuji/aggregateSignatures/${txHash}`,
      query: {},
      weight: 'medium',
    })
    expect(streamId(streams({ 'tx-hashes': [txHash] })[0]!.stream)).toBe('fuji/signatures')
  })

  test('of messages are requested with POST, with the field names of the profile', () => {
    const given = {
      messages: ['0xAB'],
      'signing-subnet-id': subnet,
      'p-chain-height': 7,
      'quorum-percentage-buffer': 33,
    }
    const [key] = keysOf(given, { ...settings, signingSubnetFields: ['signingSubnet'] })
    expect(key!.request).toMatchObject({
      method: 'POST',
      path: '/v1/signatureAggregator/fuji/aggregateSignatures',
      body: {
        message: '0xab',
        signingSubnet: subnet,
        quorumPercentage: 67,
        quorumPercentageBuffer: 33,
        pChainHeight: 7,
      },
    })
    expect(keysOf(given)[0]!.key).toEqual(key!.key)
  })

  test('send the subnet under every field name of the profile, and the request hash does not change', () => {
    const given = { messages: ['ab'], 'signing-subnet-id': subnet }
    const [key] = keysOf(given, { ...settings, signingSubnetFields: ['signingSubnet', 'signingSubnetId'] })
    expect(ofService(key!.request).body).toEqual({
      message: '0xab',
      signingSubnet: subnet,
      signingSubnetId: subnet,
      quorumPercentage: 67,
      quorumPercentageBuffer: 0,
    })
    expect(keysOf(given)[0]!.key).toEqual(key!.key)
    expect(
      ofService(keysOf({ messages: ['ab'] }, { ...settings, signingSubnetFields: ['a', 'b'] })[0]!.request).body,
    ).toEqual({
      message: '0xab',
      quorumPercentage: 67,
      quorumPercentageBuffer: 0,
    })
  })

  test('accept a justification alone or together with its message', () => {
    const bodies = keysOf({ messages: ['0x01+0x02', '03'], justifications: ['04'] }).map(
      ({ request }) => ofService(request).body,
    )
    const quorum = { quorumPercentage: 67, quorumPercentageBuffer: 0 }
    expect(bodies).toEqual([
      { message: '0x01', justification: '0x02', ...quorum },
      { message: '0x03', ...quorum },
      { justification: '0x04', ...quorum },
    ])
  })

  test('are one request when only 0x, case or defaults differ', () => {
    const [key, ...others] = keysOf({ messages: ['0xAB', 'ab', '0xab'] })
    expect(others).toEqual([])
    expect(key!.key['request_hash']).toMatch(/^0x[0-9a-f]{64}$/)
    const same = { messages: ['ab'], 'quorum-percentage': 67, 'quorum-percentage-buffer': 0, 'p-chain-height': 0 }
    expect(keysOf(same)[0]!.key).toEqual(key!.key)
    const hexSubnet = 'AB'.repeat(32)
    const [one, two] = [hexSubnet, `0x${hexSubnet.toLowerCase()}`].map(
      (id) => keysOf({ messages: ['ab'], 'signing-subnet-id': id })[0]!.key['request_hash'],
    )
    expect(one).toBe(two)
    const different = [
      { messages: ['ac'] },
      { justifications: ['ab'] },
      { ...same, 'quorum-percentage': 66 },
      { ...same, 'p-chain-height': 1 },
      { ...same, 'signing-subnet-id': subnet },
      { ...same, network: 'mainnet' },
      { 'tx-hashes': [txHash] },
    ].map((given) => keysOf(given)[0]!.key['request_hash'])
    expect(new Set([key!.key['request_hash'], ...different]).size).toBe(8)
  })

  test('are stored together with their request', () => {
    const [get, post] = keysOf({ 'tx-hashes': [txHash], messages: ['AB'] })
    const { rows, items, next } = get!.decode({ signedMessage: `${unsigned}${signature}` }, testContext())
    expect(rows['messages']).toEqual([
      {
        network: 'fuji',
        request_hash: get!.key['request_hash'],
        tx_id: txHash,
        message: null,
        justification: null,
        signing_subnet_id: null,
        quorum_percentage: null,
        quorum_percentage_buffer: null,
        p_chain_height: null,
        signed_message: `0x${unsigned}${signature}`,
        observed_at: 1_763_700_000_000_000n,
      },
    ])
    expect(Object.keys(rows['messages']![0]!).sort()).toEqual(Object.keys(restSignedMessages.columns).sort())
    expect([items, next]).toEqual([[{ key: get!.key['request_hash'], time: null }], null])
    expect(post!.decode({ signedMessage: `AB${signature}` }, testContext()).rows['messages']![0]).toMatchObject({
      message: '0xab',
      quorum_percentage: 67,
      signed_message: `0xab${signature}`,
    })
  })

  // Whether the validators made a signature, and whether it is of the transaction, only their keys and the chain tell.
  test.each([
    ['no field', undefined],
    ['the signature of another message', `00ab${signature}`],
    ['other bytes', 'deadbeef'],
    ['no signature', ''],
    ['a signature that is cut', signature.slice(0, -2)],
    ['a signature with more bytes', `${signature}00`],
    ['a signature of another type', signature.replace(/^0{8}/, '00000001')],
    ['a signature without signers', signature.replace('000000011f', '00000000')],
    ['signers without a bit', signature.replace('011f', '0100')],
  ])('are refused with %s', (_, lie) => {
    const given = { 'tx-hashes': [txHash], messages: ['ab'], justifications: ['ab'] }
    for (const { decode } of keysOf(given))
      for (const before of ['', 'ab', unsigned])
        expect(() => decode({ signedMessage: lie && before + lie }, testContext())).toThrow('signedMessage')
  })

  test('need a message or a transaction, a quorum of at most 100 and no unused parameter', () => {
    expect(code({})).toBe('config.parameter')
    expect(code({ messages: ['ab'], 'quorum-percentage': 60, 'quorum-percentage-buffer': 40 })).toBeNull()
    expect(code({ messages: ['ab'], 'quorum-percentage': 60, 'quorum-percentage-buffer': 41 })).toBe('config.parameter')
    expect(code({ messages: ['ab'], 'quorum-percentage-buffer': 34 })).toBe('config.parameter')
    expect(code({ 'tx-hashes': [txHash], 'quorum-percentage': 50 })).toBe('config.parameter')
    expect(keysOf({ messages: [] })).toEqual([])
  })
})
