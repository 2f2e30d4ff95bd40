import { request } from 'undici'
import { beforeAll, describe, expect, test } from 'vitest'
import { putChecksum } from '../../../codec/hash.ts'
import { addressText, idText, utxoId } from '../../../codec/ids.ts'
import { decodeExactly, versioned } from '../../../codec/linear.ts'
import { pUtxo } from '../../../codec/p.ts'
import { xUtxo } from '../../../codec/x.ts'
import { decodeCContainer } from '../../../src/decode/c/rows.ts'
import { decodePContainer } from '../../../src/decode/p/rows.ts'
import { decodeXContainer } from '../../../src/decode/x/rows.ts'
import { createTransport } from '../../../src/fetch/transport.ts'
import { createIndexApi } from '../../../src/sources/node-index.ts'
import { contextOf } from '../../decode/recordings.ts'
import { quick } from '../../fetch/local-server.ts'
import { parseNodeJson } from '../../recorded.ts'
import { servedDevnet } from '../served.ts'
import { callNode, recordedOf, resultOf } from './calling.ts'
import { shapeOf } from './shapes.ts'

const blocks = 1_050
const primary = '11111111111111111111111111111111LpoYY'
const paths = { P: '/ext/bc/P', X: '/ext/bc/X', C: '/ext/bc/C/avax' } as const
const services = { P: 'platform', X: 'avm', C: 'avax' } as const
type Chain = keyof typeof paths

/** An output in a container, and the chain that it is for. */
type Produced = {
  readonly id: string
  readonly to: Chain
  readonly amount: bigint | null
  readonly addresses: string[]
}

describe('UTXOs of the simulated network', () => {
  const devnet = servedDevnet({ seed: 13, blocks })
  const produced = { P: [] as Produced[], X: [] as Produced[], C: [] as Produced[] }
  const spent = new Set<string>()
  const addresses = { P: [] as string[], X: [] as string[], C: [] as string[] }
  /** Transactions with an active stake. */
  const running = new Set<string>()
  /** Transactions that lock a stake and L1 validator transactions that can refund, with their first free index. */
  const staking: string[] = []
  const staked = new Map<string, string>()
  const refunding = new Map<string, string>()

  beforeAll(async () => {
    const transport = createTransport({ baseUrl: devnet.url, ...quick })
    const chainOf = new Map<string, Chain>()
    for (const chain of ['P', 'X', 'C'] as const) {
      const { blockchainID } = await resultOf(devnet, '/ext/info', 'info.getBlockchainID', { alias: chain })
      chainOf.set(blockchainID, chain)
      const all = await (await request(`${devnet.url}/devnet/addresses?of=${chain.toLowerCase()}`)).body.text()
      addresses[chain] = all
        .trim()
        .split('\n')
        .map((address) => `${chain}-${address}`)
    }
    const idOf = (txId: string, index: number) => `${txId}:${index}`
    for (const chain of ['P', 'X', 'C'] as const) {
      const api = createIndexApi(transport, `${chain}/block`)
      for (let from = 0; from < blocks; from += 1_024)
        for (const container of await api.window(from, Math.min(blocks, from + 1_024))) {
          const rows: any =
            chain === 'P'
              ? decodePContainer(container, contextOf('granite', 'P'))
              : chain === 'X'
                ? decodeXContainer(container, contextOf('granite', 'X'))
                : decodeCContainer(container, contextOf('granite', 'C'))
          const destinations = new Map<string, Chain>(
            [...(rows.transactions ?? []), ...(rows.atomicTransactions ?? [])].map((tx) => [
              tx.tx_id,
              chainOf.get(tx.destination_chain_id)!,
            ]),
          )
          for (const output of rows.outputs ?? rows.atomicOutputs) {
            if (output.kind === 'evm') continue
            const id = idOf(output.tx_id, output.output_index)
            const to =
              (output.kind ?? output.origin) === 'export' || output.origin === 'export'
                ? destinations.get(output.tx_id)!
                : chain
            produced[chain].push({
              id,
              to,
              amount: output.amount === null ? null : BigInt(output.amount),
              addresses: output.addresses,
            })
            if (output.kind === 'stake') staked.set(id, output.tx_id)
          }
          for (const input of rows.inputs ?? rows.atomicInputs)
            if (input.kind !== 'evm') spent.add(idOf(input.source_tx_id, Number(input.source_output_index)))
          for (const tx of rows.transactions ?? []) {
            if (/^(Add(Permissionless)?(Validator|Delegator)|AddAutoRenewedValidator)Tx$/.test(tx.tx_type))
              staking.push(tx.tx_id)
            if (/^(DisableL1Validator|SetL1ValidatorWeight)Tx$/.test(tx.tx_type))
              refunding.set(idOf(tx.tx_id, Number(tx.output_count)), tx.tx_id)
          }
        }
    }
    await transport.close()
    const { blockchains } = await resultOf(devnet, '/ext/bc/P', 'platform.getBlockchains')
    for (const subnetID of new Set<string>([primary, ...blockchains.map((each: any) => each.subnetID)])) {
      const { validators } = await resultOf(devnet, paths.P, 'platform.getCurrentValidators', { subnetID })
      for (const { nodeID, txID } of validators) {
        running.add(txID)
        const [alone] = (
          await resultOf(devnet, paths.P, 'platform.getCurrentValidators', { subnetID, nodeIDs: [nodeID] })
        ).validators
        for (const delegator of alone.delegators ?? []) running.add(delegator.txID)
      }
    }
  })

  const call = (chain: Chain, params: object) => resultOf(devnet, paths[chain], `${services[chain]}.getUTXOs`, params)

  /** All UTXOs of some addresses, page by page. */
  async function readAll(chain: Chain, params: { addresses: string[]; limit?: number; sourceChain?: string }) {
    const found = new Map<string, string>()
    let startIndex: object | undefined
    for (let page = 0; page < 2_000; page += 1) {
      const { utxos, numFetched, endIndex } = await call(chain, { ...params, startIndex, encoding: 'hex' })
      expect(numFetched).toBe(String(utxos.length))
      for (const utxo of utxos) found.set(decoded(utxo, chain).id, utxo)
      // A short page is not necessarily the last one, because addresses that share UTXOs count them once.
      if (utxos.length === 0 || JSON.stringify(endIndex) === JSON.stringify(startIndex)) return found
      startIndex = endIndex
    }
    throw new Error('the list has no end')
  }

  function decoded(hex: string, chain: Chain) {
    const bytes = Buffer.from(hex.slice(2, -8), 'hex')
    const checksum = new Uint8Array(4)
    putChecksum(bytes, checksum, 0)
    expect(hex.slice(-8)).toBe(Buffer.from(checksum).toString('hex'))
    const utxo: any = decodeExactly<any>(chain === 'P' ? versioned(pUtxo) : versioned(xUtxo), bytes, 'utxo')
    const output = utxo.output.output ?? utxo.output
    return {
      id: `${idText(utxo.txID)}:${utxo.outputIndex}`,
      utxoId: idText(utxoId(utxo.txID, utxo.outputIndex)),
      amount: (output.amount ?? null) as bigint | null,
      addresses: output.addresses.map((address: Uint8Array) => addressText('local', address)) as string[],
    }
  }

  /** The expected ids that were not found, and the found ids that were not expected. */
  function compared(found: ReadonlyMap<string, string>, expected: ReadonlySet<string>) {
    return {
      missing: [...expected].filter((id) => !found.has(id)),
      more: [...found.keys()].filter((id) => !expected.has(id)),
    }
  }

  const inContainers = (from: Chain, to: Chain) =>
    produced[from].filter(({ id, to: on }) => on === to && !spent.has(id) && !running.has(staked.get(id) ?? ''))

  test('of the P-Chain are unspent outputs, rewards, refunds and genesis outputs, without active stakes', async () => {
    const found = await readAll('P', { addresses: addresses.P, limit: 500 })
    const { missing, more } = compared(found, new Set(inContainers('P', 'P').map(({ id }) => id)))
    expect(missing).toEqual([])
    const rewards = new Set<string>()
    for (const txID of staking) {
      const { utxos } = await resultOf(devnet, paths.P, 'platform.getRewardUTXOs', { txID })
      for (const utxo of utxos) rewards.add(decoded(utxo, 'P').id)
    }
    expect(rewards.size).toBeGreaterThan(50)
    const unspentRewards = [...rewards].filter((id) => !spent.has(id))
    const genesis = more.filter((id) => id.startsWith(`${primary}:`))
    const refunds = more.filter((id) => refunding.has(id))
    expect([genesis.length > 0, refunds.length > 0, unspentRewards.length > 10]).toEqual([true, true, true])
    expect(more.toSorted()).toEqual([...unspentRewards, ...genesis, ...refunds].toSorted())
  })

  test('of the X-Chain are the unspent outputs of the containers and of the genesis', async () => {
    const found = await readAll('X', { addresses: addresses.X, limit: 300 })
    const { missing, more } = compared(found, new Set(inContainers('X', 'X').map(({ id }) => id)))
    expect(missing).toEqual([])
    const { assetID } = await resultOf(devnet, paths.P, 'platform.getStakingAssetID')
    expect(more.length).toBeGreaterThan(0)
    expect(more.filter((id) => !id.startsWith(`${assetID}:`))).toEqual([])
    const known = new Map(produced.X.map((each) => [each.id, each]))
    for (const [id, hex] of found) {
      const of = known.get(id)
      const { amount, addresses: owners } = decoded(hex, 'X')
      if (of !== undefined && amount !== null)
        expect({ id, amount, owners }).toEqual({ id, amount: of.amount, owners: of.addresses })
    }
  })

  test.each([
    ['P', 'X'],
    ['P', 'C'],
    ['X', 'P'],
    ['X', 'C'],
    ['C', 'P'],
    ['C', 'X'],
  ] as const)('include those that are exported from %s to %s and not imported yet', async (from, to) => {
    const found = await readAll(to, { addresses: addresses[to], sourceChain: from, limit: 7 })
    expect(compared(found, new Set(inContainers(from, to).map(({ id }) => id)))).toEqual({ missing: [], more: [] })
    // Outputs exported to the X-Chain are imported quickly, so there may be none.
    if (to !== 'X') expect(found.size).toBeGreaterThan(0)
  })

  test('of one address are the same with any page size, and its balance is made of them', async () => {
    const all = await readAll('P', { addresses: addresses.P })
    const some = addresses.P.filter((_, at) => at % 5 === 0)
    for (const address of some) {
      const mine = [...all]
        .filter(([, hex]) => decoded(hex, 'P').addresses.includes(address.slice(2)))
        .map(([id]) => id)
      for (const limit of [3, 1_024]) {
        const found = await readAll('P', { addresses: [address], limit })
        expect([...found.keys()].toSorted()).toEqual(mine.toSorted())
      }
      const { balance, utxoIDs, ...locks } = await resultOf(devnet, paths.P, 'platform.getBalance', {
        addresses: [address],
      })
      expect(utxoIDs.map((each: any) => `${each.txID}:${each.outputIndex}`).toSorted()).toEqual(mine.toSorted())
      const parts = ['unlocked', 'lockedStakeable', 'lockedNotStakeable'].map((name) => BigInt(locks[name]))
      expect(parts.reduce((sum, part) => sum + part)).toBe(BigInt(balance))
    }
  })

  test('in an X-Chain balance are only those that the address can spend alone and now', async () => {
    const all = await readAll('X', { addresses: addresses.X })
    const owned = [...all.values()].map((hex) => decoded(hex, 'X'))
    for (const address of addresses.X.filter((_, at) => at % 9 === 0)) {
      const mine = owned.filter(
        ({ addresses: [only, ...more], amount }) => only === address.slice(2) && more.length === 0 && amount !== null,
      )
      const { balances } = await resultOf(devnet, paths.X, 'avm.getAllBalances', { address })
      for (const { asset, balance } of balances) {
        const one = await resultOf(devnet, paths.X, 'avm.getBalance', { address, assetID: asset })
        expect(one.balance).toBe(balance)
        const ids = new Set(mine.map(({ id }) => id))
        expect(one.utxoIDs.filter((each: any) => !ids.has(`${each.txID}:${each.outputIndex}`))).toEqual([])
      }
    }
  })

  test('are listed from the first page again when the start UTXO no longer exists', async () => {
    const [address] = addresses.P
    const first = await call('P', { addresses: [address], limit: 2 })
    const gone = { address, utxo: '2wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVcUJEQG' }
    expect((await call('P', { addresses: [address], limit: 2, startIndex: gone })).utxos).toEqual(first.utxos)
  })

  test.each([
    ['granite', 'platform', '/ext/bc/P'],
    ['helicon', 'platform', '/ext/bc/P'],
    ['granite', 'avm', '/ext/bc/X'],
    ['helicon', 'avm', '/ext/bc/X'],
    ['live', 'avax', '/ext/bc/C/avax'],
  ])('are refused with the same error as on the recorded node: %s %s', async (recording, service, path) => {
    let compared = 0
    for (const { request: requested, answer } of recordedOf(
      recording,
      new RegExp(`^${service}\\.(getUTXOs|getBalance|getAllBalances)$`),
    )) {
      const { error } = parseNodeJson(answer!.body)
      const { method, params } = parseNodeJson(requested.body!)
      if (error === undefined || /encode UTXO/.test(error.message)) continue
      const text = JSON.stringify(params, (_, value) => (typeof value === 'bigint' ? Number(value) : value))
      // Addresses of another network are refused before all other checks.
      const local = JSON.parse(text.replaceAll(/([PXC]-)custom1[a-z0-9]{38}/g, `$1${addresses.P[0]!.slice(2)}`))
      expect((await callNode(devnet, path, method, local)).error).toEqual(error)
      compared += 1
    }
    expect(compared).toBeGreaterThan(0)
  })

  test('have answers in the same shape as those of the recorded nodes', async () => {
    const compare = async (recording: string, method: string, path: string, params: object) => {
      const [recorded] = recordedOf(recording, new RegExp(`^${method.replace('.', '\\.')}$`))
        .map(({ answer }) => parseNodeJson(answer!.body).result)
        .filter((result) => result !== undefined && JSON.stringify(shapeOf(result)) !== '[]')
      expect(shapeOf(await resultOf(devnet, path, method, params))).toEqual(shapeOf(recorded))
    }
    const [p, x] = [addresses.P[0]!, addresses.X[0]!]
    await compare('live', 'platform.getUTXOs', paths.P, { addresses: [p] })
    await compare('live', 'avm.getUTXOs', paths.X, { addresses: [x] })
    await compare('live', 'avm.getBalance', paths.X, { address: x, assetID: 'AVAX' })
    await compare('live', 'avm.getAllBalances', paths.X, { address: x })
    const recorded = parseNodeJson(recordedOf('live', /^platform.getBalance$/)[0]!.answer!.body).result
    const mine = await resultOf(devnet, paths.P, 'platform.getBalance', { addresses: [p] })
    expect(Object.keys(mine)).toEqual(Object.keys(recorded))
    const rewarded = staking.find((txID) => !running.has(txID))!
    const rewards = await resultOf(devnet, paths.P, 'platform.getRewardUTXOs', { txID: rewarded, encoding: 'hex' })
    expect(Object.keys(rewards)).toEqual(['numFetched', 'utxos', 'encoding'])
    for (const { answer, request: requested } of recordedOf('helicon', /^avm.getAssetDescription$/)) {
      const { params } = parseNodeJson(requested.body!)
      if (/^(1111|zz)/.test(params.assetID))
        expect(await callNode(devnet, paths.X, 'avm.getAssetDescription', params)).toEqual(parseNodeJson(answer!.body))
    }
  })
})
