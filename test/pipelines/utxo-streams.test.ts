import { describe, expect, test } from 'vitest'
import { addressText } from '../../codec/ids.ts'
import { addressBalancesPipeline } from '../../pipelines/address-balances.ts'
import { rewardsUtxosPipeline } from '../../pipelines/rewards-utxos.ts'
import { utxoSetPipeline } from '../../pipelines/utxo-set.ts'
import type { Facts, Keyed, NetworkIdentity, NodeCall, Observation, Pipeline } from '../../src/define/index.ts'
import { streamId } from '../../src/model.ts'

const x = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'
const primary = '11111111111111111111111111111111LpoYY'
const identity: NetworkIdentity = {
  networkId: 12_345,
  network: 'local',
  hrp: 'local',
  chains: [
    { alias: 'P', blockchainId: primary, vmId: null, subnetId: primary },
    { alias: 'X', blockchainId: x, vmId: null, subnetId: primary },
    { alias: 'C', blockchainId: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC', vmId: null, subnetId: primary },
  ],
  nativeAssetId: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  durangoTime: 0,
  warnings: [],
}
const heightOfNode = 100
const facts = { node: async () => identity, ask: async () => heightOfNode } as Partial<Facts> as Facts

const addresses = (count: number, hrp = 'local'): string[] =>
  Array.from({ length: count }, (_, index) => {
    const bytes = new Uint8Array(20)
    bytes[0] = index >> 8
    bytes[1] = index
    return addressText(hrp, bytes)
  })

const streamsOf = async (pipeline: Pipeline, values: object) => pipeline.streams(values as any, facts)
const walkOf = async (values: object) => {
  const [stream] = await streamsOf(utxoSetPipeline, values)
  return { id: streamId(stream!.stream), tables: Object.keys(stream!.tables), walk: stream!.walk as Observation }
}
const listsOf = (walk: Observation) => walk.subjects.flatMap(({ lists }) => lists)
const callsOf = (walk: Observation) => listsOf(walk).map((list) => list.request(null) as NodeCall)

describe('utxo-set', () => {
  test('requests 1,024 addresses at once, each with the prefix of the chain', async () => {
    const { walk } = await walkOf({ chain: 'X', 'known-addresses': addresses(2_500) })
    expect(walk.subjects).toHaveLength(1)
    const calls = callsOf(walk)
    expect(calls.map(({ params }) => (params as any).addresses.length)).toEqual([1_024, 1_024, 452])
    expect(calls[0]).toMatchObject({
      path: '/ext/bc/X',
      method: 'xvm.getUTXOs',
      params: { limit: 1_024, encoding: 'hex' },
    })
    expect((calls[2]!.params as any).addresses.at(-1)).toBe(`X-${addresses(2_500).at(-1)}`)
  })

  test('resumes at the end of a page', async () => {
    const { walk } = await walkOf({ addresses: addresses(1), limit: 7, 'source-chain': 'C' })
    const end = { address: 'P-local1', utxo: 'u' }
    expect(listsOf(walk)[0]!.request(JSON.stringify(end))).toMatchObject({
      path: '/ext/bc/P',
      method: 'platform.getUTXOs',
      params: { sourceChain: 'C', limit: 7, startIndex: end },
    })
  })

  test('fills the state outputs of the chain, except with exports of another chain', async () => {
    const given = { addresses: addresses(1) }
    expect((await walkOf(given)).tables).toEqual(['utxos', 'pState'])
    expect((await walkOf({ ...given, chain: 'X' })).tables).toEqual(['utxos', 'xState'])
    expect((await walkOf({ ...given, chain: 'X', 'source-chain': 'P' })).tables).toEqual(['utxos'])
    const { tables, walk } = await walkOf({ ...given, chain: 'C', 'source-chain': 'P' })
    expect(tables).toEqual(['utxos'])
    expect(callsOf(walk)[0]).toMatchObject({ path: '/ext/bc/C/cx', method: 'cx.getUTXOs' })
  })

  test('is one stream for all addresses in the lake, and another stream for named addresses', async () => {
    const all = await walkOf({ 'known-addresses': addresses(3) })
    const more = await walkOf({ 'known-addresses': addresses(9) })
    expect(more.id).toBe(all.id)
    expect(more.walk.subjects[0]!.name).toBe(all.walk.subjects[0]!.name)
    const named = await walkOf({ addresses: addresses(3) })
    expect(named.id).not.toBe(all.id)
    expect(named.id).toBe((await walkOf({ addresses: addresses(3).map((address) => `X-${address}`) })).id)
    expect((await walkOf({ addresses: addresses(3), 'source-chain': 'X' })).id).not.toBe(named.id)
  })

  test('skips known addresses of other networks, and refuses a job that names one', async () => {
    const foreign = addresses(2, 'fuji')
    const { walk } = await walkOf({ 'known-addresses': [...foreign, ...addresses(1)] })
    expect(callsOf(walk).flatMap(({ params }) => (params as any).addresses)).toEqual([`P-${addresses(1)[0]}`])
    await expect(walkOf({ addresses: foreign })).rejects.toMatchObject({ code: 'config.address' })
  })

  test('has no addresses in a new lake and declares no stream', async () => {
    expect(await streamsOf(utxoSetPipeline, { 'known-addresses': [] })).toEqual([])
    expect(await streamsOf(addressBalancesPipeline, { 'known-addresses': [] })).toEqual([])
  })

  test('requires a source chain on the C-Chain', async () => {
    await expect(walkOf({ chain: 'C' })).rejects.toThrow('The C-Chain has no UTXOs of its own.')
  })

  test('requests another chain of the asset VM by its id', async () => {
    const id = 'uZfuKpAtzgAGSvUqhWKPaQ8VbwJ7WbLkyiJi3KEa9gYqK4GNw'
    const { walk, id: stream } = await walkOf({ chain: id, addresses: addresses(1) })
    expect(callsOf(walk)[0]).toMatchObject({ path: `/ext/bc/${id}`, method: 'xvm.getUTXOs' })
    expect(stream).toContain(`utxo-set/${id}`)
  })
})

describe('rewards-utxos', () => {
  const tx = 'vDfpJuJL7F1Yt1ktTFKHcS27kDHkN1bpZnFJ4VaPYmAWBrrVA'

  test('requests each transaction of its own network once', async () => {
    const [stream] = await streamsOf(rewardsUtxosPipeline, {
      'tx-ids': [tx, `local/${tx}@${heightOfNode}`, `fuji/${primary}@1`, `local/${x}/${tx}@${heightOfNode}`],
    })
    const { keys } = stream!.walk as Keyed
    expect(keys.map(({ key }) => key)).toEqual([{ tx_id: tx }, { tx_id: x }])
    expect(keys[1]!.request).toMatchObject({ method: 'platform.getRewardUTXOs', params: { txID: x, encoding: 'hex' } })
    const none = { numFetched: '0', utxos: [], encoding: 'hex' }
    const context = { observationId: 'o', observedAt: 1n, unknownField: () => undefined, memory: new Map() }
    expect(keys.map(({ decode }) => decode(none, context).rows['rewards'])).toEqual([
      [expect.objectContaining({ tx_id: tx, staked_tx_id: tx, utxo_ids: [] })],
      [expect.objectContaining({ tx_id: x, staked_tx_id: tx, utxo_ids: [] })],
    ])
  })

  test('treats an empty answer as unanswered when the node has not reached the deciding block', async () => {
    const none = { numFetched: '0', utxos: [], encoding: 'hex' }
    const context = { observationId: 'o', observedAt: 1n, unknownField: () => undefined, memory: new Map() }
    const [stream] = await streamsOf(rewardsUtxosPipeline, { 'tx-ids': [tx, `local/${x}@${heightOfNode + 1}`] })
    const { keys } = stream!.walk as Keyed
    expect(keys.map(({ decode }) => decode(none, context).rows['rewards'])).toEqual([[], []])
  })
})

describe('address-balances', () => {
  const given = { addresses: addresses(2) }
  const subjectsOf = async (values: object) => {
    const [stream] = await streamsOf(addressBalancesPipeline, values)
    return (stream!.walk as Observation).subjects
  }

  test('requests each address separately, and on the X-Chain also each asset', async () => {
    const p = await subjectsOf(given)
    expect(p.map(({ name }) => name)).toEqual(given.addresses.map((address) => `P/${address}`))
    expect(p.flatMap(({ lists }) => lists.map((list) => list.request(null)))[1]).toMatchObject({
      method: 'platform.getBalance',
      params: { addresses: [`P-${given.addresses[1]}`] },
    })
    const all = await subjectsOf({ ...given, chain: 'X' })
    expect(all[0]!.lists[0]!.request(null)).toMatchObject({ method: 'xvm.getAllBalances' })
    const assets = await subjectsOf({ ...given, chain: 'X', assets: ['AVAX', x] })
    expect(assets.map(({ lists }) => lists.length)).toEqual([2, 2])
    expect(assets[0]!.lists[1]!.request(null)).toMatchObject({
      method: 'xvm.getBalance',
      params: { address: `X-${given.addresses[0]}`, assetID: x },
    })
  })

  test('refuses a choice of assets on the P-Chain, and the C-Chain', async () => {
    await expect(subjectsOf({ ...given, assets: ['AVAX'] })).rejects.toThrow(
      'a node returns all assets of the P-Chain at once',
    )
    await expect(subjectsOf({ ...given, chain: 'C' })).rejects.toThrow('The C-Chain has accounts')
  })
})
