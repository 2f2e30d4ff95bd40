import { describe, expect, test } from 'vitest'
import { nodeUtxos } from '../../../schemas/node-state.ts'
import { pStateOutputs } from '../../../schemas/p-chain.ts'
import { xStateOutputs } from '../../../schemas/x-chain.ts'
import { decodeUtxoPage, type UtxoQuestion } from '../../../src/decode/node/utxos.ts'
import { decodePContainer } from '../../../src/decode/p/rows.ts'
import { decodeXContainer } from '../../../src/decode/x/rows.ts'
import type { List } from '../../../src/define/index.ts'
import { listPages } from '../../../src/run/lists/list-pages.ts'
import type { ServiceClient } from '../../../src/sources/service-client.ts'
import { contextOf, recordedRows } from '../recordings.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'
import { type RecordedCall, recordedCalls } from './calls.ts'
import { utxoHex } from './utxo-hex.ts'

const genesis = { origin: 'genesis', firstIndex: 0, stakedTxId: null } as const

/** The parameters of a recorded request. */
function questionOf({ recording, path, params }: RecordedCall, changes: Partial<UtxoQuestion> = {}): UtxoQuestion {
  const chain = /bc\/([PXC])/.exec(path)?.[1] as 'P' | 'X' | 'C'
  // The live node has the genesis of network 12345, like the node of granite.
  const context = contextOf(recording === 'live' ? 'granite' : (recording as 'helicon'), chain)
  return {
    network: context.network,
    hrp: context.hrp,
    chain,
    fxs: null,
    blockchainId: context.blockchainId,
    sourceChainId: params.sourceChain ?? null,
    subject: 'all',
    stateTransactions: new Map([[context.nativeAssetId!, genesis]]),
    ...changes,
  }
}

const lists = recordedCalls('platform.getUTXOs', 'avm.getUTXOs', 'avax.getUTXOs')
const answered = lists.filter(({ refusal }) => refusal === null)

function rowsOf(call: RecordedCall) {
  return decodeUtxoPage(questionOf(call))(call.result, testContext())
}

describe('recorded answers to getUTXOs', () => {
  test('include answers of each chain and each expected refusal of the node', () => {
    expect(answered.length).toBeGreaterThan(40)
    expect(new Set(answered.map(({ method }) => method))).toEqual(
      new Set(['platform.getUTXOs', 'avm.getUTXOs', 'avax.getUTXOs']),
    )
    expect(
      new Set(lists.flatMap(({ refusal }) => (refusal === null ? [] : [refusal.message.replace(/ UTXO \w+/, '')]))),
    ).toEqual(
      new Set([
        'no addresses provided',
        'number of addresses given, 1025, exceeds maximum, 1024',
        'no source chain provided',
        'parsing source chainID "": there is no ID with alias: ',
        'problem parsing source chainID "Q": there is no ID with alias: Q',
        "couldn't encode as string: unsupported encoding in method",
      ]),
    )
  })

  test('give rows with every byte of the UTXOs', () => {
    const types = new Set<string>()
    for (const call of answered) {
      const context = testContext()
      const question = questionOf(call)
      const { rows, items } = decodeUtxoPage(question)(call.result, context)
      expect(context.unknown).toEqual([])
      expect(rows.utxos.map((row) => utxoHex(row as never, question.chain))).toEqual(call.result.utxos)
      const end = JSON.stringify(call.result.endIndex)
      expect(items.map(({ key }) => key)).toEqual(rows.utxos.map((_, position) => `${end} ${position}`))
      for (const row of rows.utxos) {
        types.add(row.output_type)
        expect(row.source_chain_id).toBe(call.params.sourceChain ?? null)
      }
      expectFits(nodeUtxos, rows.utxos)
      expectFits(pStateOutputs, rows.pState)
    }
    expect(types).toEqual(new Set(['transfer', 'mint', 'nft_mint', 'nft_transfer', 'property_mint']))
  })

  test.each(['granite', 'helicon'] as const)(
    'of %s match the rows of the containers that created the UTXOs',
    (recording) => {
      const made = new Map<string, any>()
      for (const row of recordedRows(recording, 'P', decodePContainer).outputs) made.set(row.utxo_id, row)
      for (const row of recordedRows(recording, 'X', decodeXContainer).outputs) made.set(row.utxo_id, row)
      const own = answered.filter((call) => call.recording === recording && !call.params.sourceChain)
      let compared = 0
      for (const call of own)
        for (const row of rowsOf(call).rows.utxos) {
          const output = made.get(row.utxo_id)
          if (output === undefined) continue
          const shared = Object.keys(row).filter((name) => name in output)
          expect(Object.fromEntries(shared.map((name) => [name, output[name]]))).toEqual(
            Object.fromEntries(shared.map((name) => [name, row[name as keyof typeof row]])),
          )
          expect(shared.length).toBeGreaterThan(8)
          compared++
        }
      expect(compared).toBeGreaterThan(1_000)
    },
  )

  test('give the genesis outputs of the X-Chain when the genesis transaction is known', () => {
    const [call] = answered.filter(({ method, params }) => method === 'avm.getUTXOs' && params.addresses.length === 13)
    const { utxos, xState } = rowsOf(call!).rows
    expect(xState).toEqual([])
    const made = utxos.find(({ output_type }) => output_type === 'nft_transfer')!
    const stateTransactions = new Map([[made.tx_id, genesis]])
    const { rows } = decodeUtxoPage(questionOf(call!, { stateTransactions }))(call!.result, testContext())
    expect(rows.xState).toContainEqual(
      expect.objectContaining({ utxo_id: made.utxo_id, origin: 'genesis', payload: made.payload }),
    )
    expectFits(xStateOutputs, rows.xState)
  })

  test('give the outputs that the state of the P-Chain created when their transactions are known', () => {
    const [call] = answered.filter(({ method, params }) => method === 'platform.getUTXOs' && params.limit === 5000)
    const { utxos } = rowsOf(call!).rows
    const [refund, reward] = [utxos[3]!, utxos[4]!]
    const known = new Map([
      [refund.tx_id, { origin: 'refund', firstIndex: Number(refund.output_index), stakedTxId: null } as const],
      [reward.tx_id, { origin: 'reward', firstIndex: Number(reward.output_index) + 1, stakedTxId: 's' } as const],
    ])
    const decode = (stateTransactions: typeof known, sourceChainId: string | null = null) =>
      decodeUtxoPage(questionOf(call!, { stateTransactions, sourceChainId }))(call!.result, testContext()).rows.pState
    expect(decode(known)).toEqual([expect.objectContaining({ utxo_id: refund.utxo_id, origin: 'refund' })])
    known.set(reward.tx_id, { origin: 'reward', firstIndex: 0, stakedTxId: 's' })
    expect(decode(known)).toContainEqual(
      expect.objectContaining({ utxo_id: reward.utxo_id, origin: 'reward', staked_tx_id: 's' }),
    )
    expect(decode(known, 'X')).toEqual([])
  })
})

describe('pages of getUTXOs', () => {
  const live = answered.filter(({ recording }) => recording === 'live')

  test.each(['platform.getUTXOs', 'avm.getUTXOs'])(
    'of %s continue with the same page tokens as the recorded requests, to the end',
    (method) => {
      const pages = live.filter((call) => call.method === method && call.params.limit === 5)
      const whole = live.find(
        (call) => call.method === method && call.params.limit === 1024 && !call.params.sourceChain,
      )!
      const context = testContext()
      const found: string[] = []
      pages.forEach((call, at) => {
        const { rows, next } = decodeUtxoPage(questionOf(call))(call.result, context)
        found.push(...rows.utxos.map(({ utxo_id }) => utxo_id))
        const following = pages[at + 1]?.params.startIndex ?? call.result.endIndex
        expect(next).toBe(call.result.utxos.length === 0 ? null : JSON.stringify(following))
      })
      expect(pages.length).toBeGreaterThan(5)
      expect(new Set(found)).toEqual(new Set(rowsOf(whole).rows.utxos.map(({ utxo_id }) => utxo_id)))
      expect(new Set(found).size).toBe(found.length)
    },
  )

  test('end with an empty page, not with one below the limit; one that ends where it begins is of another request', () => {
    const [page] = live
    const decode = decodeUtxoPage(questionOf(page!))
    const end = JSON.stringify(page!.result.endIndex)
    const { next, items } = decode(page!.result, testContext())
    expect([next, items[0]]).toEqual([end, { key: `${end} 0`, time: null }])
    expect(() => decode(page!.result, testContext(), end)).toThrow('is that of the page before, although this one has')
    // Servers write an empty list as null.
    for (const utxos of [[], null]) {
      const context = testContext()
      expect(decode({ ...page!.result, numFetched: '0', utxos }, context, end).next).toBeNull()
      expect(context.unknown).toEqual([])
    }
  })
})

test.each([
  [1, 3],
  [2, 3],
  [5, 3],
  [5, 5],
  [0, 3],
])(
  'a list of %i atomic UTXOs on pages of at most %i is read whole, although pages begin with the last one before',
  async (count, size) => {
    const [page] = answered.filter(({ recording, params }) => recording === 'live' && params.limit === 5)
    const all = (page!.result.utxos as string[]).slice(0, count)
    const ask: ServiceClient['ask'] = async (request, { parse }) => {
      const start = (request as { startIndex?: { utxo: string } }).startIndex?.utxo ?? '0'
      const utxos = all.slice(Number(start), Number(start) + size)
      const endIndex = { address: 'X-local1', utxo: String(Math.max(0, Number(start) + utxos.length - 1)) }
      return parse({ numFetched: String(utxos.length), utxos, endIndex, encoding: 'hex' })
    }
    const list: List = {
      request: (token) => (token === null ? {} : { startIndex: JSON.parse(token) }) as ReturnType<List['request']>,
      decode: decodeUtxoPage(questionOf(page!, { sourceChainId: 'X' })),
    }
    const reading = { client: { ask, close: async () => undefined } as ServiceClient, context: () => testContext() }
    const found = new Set<unknown>()
    for await (const event of listPages(list, { ...reading, signal: new AbortController().signal }))
      if ('page' in event) for (const { utxo_id } of event.page.rows['utxos']!) found.add(utxo_id)
    expect(found.size).toBe(count)
  },
)

describe('a damaged page of getUTXOs', () => {
  const [page] = answered.filter(({ recording, method }) => recording === 'granite' && method === 'platform.getUTXOs')
  const decode = (change: object) => () =>
    decodeUtxoPage(questionOf(page!))({ ...page!.result, ...change }, testContext())
  const [first, ...others] = page!.result.utxos as string[]

  test.each([
    [
      'a wrong checksum',
      { utxos: [`${first!.slice(0, -1)}${first!.endsWith('0') ? '1' : '0'}`, ...others] },
      'utxos[0]',
    ],
    ['no hex', { utxos: [...others, 'zz'] }, `utxos[${others.length}]`],
    ['a wrong count', { numFetched: '4' }, 'numFetched'],
    ['no end', { endIndex: undefined }, 'endIndex'],
    ['no list', { utxos: 'none' }, 'utxos'],
    ['no UTXOs', { utxos: undefined }, 'utxos'],
    ['null in the place of counted UTXOs', { utxos: null }, 'numFetched'],
  ])('is refused: %s', (_, change, field) => {
    expect(decode(change)).toThrow(
      expect.objectContaining({ exitCode: 4, details: expect.objectContaining({ field }) }),
    )
  })

  test('is refused when the bytes of a UTXO are truncated', () => {
    const cut = first!.slice(0, -60)
    expect(decode({ utxos: [cut, ...others] })).toThrow(/utxos\[0\]/)
  })
})
