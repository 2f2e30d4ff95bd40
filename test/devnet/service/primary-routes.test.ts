import { describe, expect, test } from 'vitest'
import { chainTexts } from '../../../devnet/network/genesis.ts'
import { createPrimaryLedger } from '../../../devnet/service/primary/ledger/ledger.ts'
import { primaryRoutes } from '../../../devnet/service/primary/routes/index.ts'
import { asking, readAll } from './asking.ts'
import { stepNetwork } from './primary-network.ts'

const steps = 1_150
const seed = 6
const network = stepNetwork({ seed, legacy: true }, steps, steps)
const ledger = createPrimaryLedger(network, seed)
const state = await ledger.state()
const ask = asking(primaryRoutes(ledger))
const base = (chain: string) => `/v1/networks/fuji/blockchains/${chain}`
const addresses = state.addresses.addresses('P')
const shared = state.book.utxos.find(({ owner, livesOn }) => owner.threshold === 2 && livesOn === 'P')!.owner

type Item = Record<string, any>
const read = async (url: string, items: string): Promise<Item[]> => (await readAll(ask, url, items)).flat()
const transactions = (chain: string, query: string) => read(`${base(chain)}/transactions?${query}`, 'transactions')
const utxos = (chain: string, query: string) => read(`${base(chain)}/utxos?${query}`, 'utxos')
const isSorted = (items: readonly Item[], field: string): boolean =>
  items.every((item, at) => at === 0 || BigInt(items[at - 1]![field]) <= BigInt(item[field]))

describe('transactions', () => {
  test('are newest first, or oldest first on request', async () => {
    const newest = await transactions('p-chain', 'pageSize=100')
    const oldest = await transactions(chainTexts.P, 'pageSize=100&sortOrder=asc')
    expect(oldest).toHaveLength(state.p.length)
    expect(newest).toEqual(oldest.toReversed())
    expect(isSorted(oldest, 'blockTimestamp')).toBe(true)
  })

  test('come in pages that end early when they have many UTXOs', async () => {
    const pages = await readAll(ask, `${base('x-chain')}/transactions?pageSize=100`, 'transactions')
    expect(pages.slice(0, -1).some((page) => page.length < 100)).toBe(true)
    expect(pages.flat()).toHaveLength(state.x.length)
  })

  test.each(['txTypes=ExportTx', 'startTimestamp=1', 'endTimestamp=1'])(
    'are refused with %s but without addresses',
    async (query) => {
      const { status, body } = await ask(`${base('p-chain')}/transactions?${query}`)
      expect(status).toBe(400)
      expect(body.message).toBe('Latest transaction route does not support txTypes or timestamp filters')
    },
  )

  test('of an address are those with its UTXOs or its rewards', async () => {
    const [address] = addresses
    const found = await transactions('p-chain', `pageSize=100&addresses=P-${address}`)
    const touches = (tx: Item) =>
      [...tx.consumedUtxos, ...tx.emittedUtxos].some((utxo: Item) => utxo.addresses.includes(address)) ||
      tx.rewardAddresses?.includes(address) === true
    expect(found.every(touches)).toBe(true)
    const every = await transactions('p-chain', 'pageSize=100')
    expect(found).toEqual(every.filter(touches))
  })

  test('of addresses can be filtered by type and by time, with inclusive or exclusive bounds', async () => {
    const query = `pageSize=100&addresses=${addresses.join()}`
    const exports = await transactions('p-chain', `${query}&txTypes=ExportTx&txTypes=ImportTx`)
    expect(new Set(exports.map(({ txType }) => txType))).toEqual(new Set(['ExportTx', 'ImportTx']))
    const [from, to] = [state.p[200]!.place.time, state.p[900]!.place.time]
    const times = `${query}&startTimestamp=${from}&endTimestamp=${to}`
    const inside = await transactions('p-chain', times)
    expect(inside[0]!.blockTimestamp).toBe(to)
    expect(inside.at(-1)!.blockTimestamp).toBe(from)
    const exclusive = asking(primaryRoutes(ledger), { bounds: 'exclusive' })
    const between = (await readAll(exclusive, `${base('p-chain')}/transactions?${times}`, 'transactions')).flat()
    expect(between).toEqual(inside.filter(({ blockTimestamp: time }) => time > from && time < to))
  })

  test('of an L1 validator are those that name its validation id', async () => {
    const [id, list] = [...state.byValidation].find(([, txs]) => txs.length > 2)!
    const found = await transactions('p-chain', `l1ValidationId=${id}&sortOrder=asc`)
    expect(found.map(({ txHash }) => txHash)).toEqual(list.map(({ txId }) => txId))
    for (const { l1ValidatorDetails } of found)
      expect(l1ValidatorDetails.some(({ validationId }: Item) => validationId === id)).toBe(true)
    expect(await transactions('p-chain', `l1ValidationId=${id}&txTypes=BaseTx`)).toEqual([])
  })

  test('of an EVM address are atomic transactions with it', async () => {
    const address = state.addresses.addresses('C').find((each) => each.startsWith('0x'))!
    const found = await transactions('c-chain', `pageSize=100&addresses=${address.toUpperCase().replace('0X', '0x')}`)
    expect(found.length).toBeGreaterThan(0)
    for (const { evmInputs = [], evmOutputs = [] } of found)
      expect(JSON.stringify([evmInputs, evmOutputs])).toContain(address)
  })

  test('are refused for more than 64 addresses, an invalid address or an unknown chain', async () => {
    const many = Array.from({ length: 65 }, () => addresses[0]).join()
    expect((await ask(`${base('p-chain')}/transactions?addresses=${many}`)).status).toBe(400)
    expect((await ask(`${base('p-chain')}/transactions?addresses=fuji1xyz`)).status).toBe(400)
    expect((await ask(`${base('q-chain')}/transactions`)).status).toBe(400)
  })

  test('of the X-Chain show whether the chain was linear', async () => {
    const all = await transactions('x-chain', 'pageSize=100&sortOrder=asc')
    const formats = all.map(({ chainFormat }) => chainFormat)
    expect(new Set(formats)).toEqual(new Set(['non-linear', 'linear']))
    expect(formats.lastIndexOf('non-linear')).toBeLessThan(formats.indexOf('linear'))
    expect(all[0]!.vertices).toHaveLength(1)
    expect(all.find(({ assetCreated }) => assetCreated !== undefined)!.assetCreated.name).toMatch(/^[A-Z]/)
  })
})

describe('UTXOs', () => {
  test('of all addresses are the unspent ones of the ledger', async () => {
    const unspent = state.book.utxos.filter(
      ({ consumption, livesOn, createdOn }) => consumption === null && (livesOn === 'P' || createdOn === 'P'),
    )
    const found = await utxos('p-chain', `pageSize=100&addresses=${addresses.join()}`)
    expect(found.map(({ utxoId }) => utxoId).sort()).toEqual(unspent.map(({ id }) => id).sort())
    expect(found.some(({ consumingTxHash }) => consumingTxHash !== undefined)).toBe(false)
  })

  test('are newest first, by time and then by id', async () => {
    const found = await utxos('p-chain', `pageSize=100&includeSpent=true&addresses=${addresses.join()}`)
    const keys = found.map(({ blockTimestamp, utxoId }) => [blockTimestamp, utxoId] as const)
    expect(keys).toEqual(keys.toSorted((a, b) => b[0] - a[0] || (a[1] < b[1] ? 1 : -1)))
    const oldest = await utxos('p-chain', `pageSize=100&includeSpent=true&sortOrder=asc&addresses=${addresses.join()}`)
    expect(oldest).toEqual(found.toReversed())
  })

  test('can be sorted by amount and limited to a minimum amount', async () => {
    const query = `pageSize=100&sortBy=amount&sortOrder=asc&minUtxoAmount=2000000000000`
    const found = await utxos('p-chain', query)
    expect(isSorted(found, 'amount')).toBe(true)
    expect(BigInt(found[0]!.amount)).toBeGreaterThanOrEqual(2_000_000_000_000n)
    expect(found.length).toBeGreaterThan(10)
  })

  test('that need more signatures than the addresses can make are left out', async () => {
    const [first, second] = shared.addresses
    expect(await utxos('p-chain', `addresses=${first}`)).toEqual([])
    const found = await utxos('p-chain', `addresses=${first},${second}&includeSpent=true`)
    expect(found.length).toBeGreaterThan(0)
    expect(found.every(({ threshold }) => threshold === 2)).toBe(true)
  })

  test('of the X-Chain can be limited to one asset', async () => {
    const asset = state.x.find(({ assetCreated }) => assetCreated?.type === 'nft')!.txId
    const found = await utxos('x-chain', `assetId=${asset}&includeSpent=true`)
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map((utxo) => utxo.asset.assetId))).toEqual(new Set([asset]))
  })

  test('can be requested by POST with addresses of any prefix in the body', async () => {
    const url = `${base('x-chain')}/utxos?pageSize=1024&includeSpent=true`
    const [a, b] = addresses
    const { status, body } = await ask(url, { method: 'POST', body: { addresses: `C-${a},X-${b}` } })
    expect(status).toBe(200)
    const byGet = await utxos('x-chain', `pageSize=100&includeSpent=true&addresses=${a},${b}`)
    expect(body.utxos).toEqual(byGet)
    for (const wrong of [undefined, {}, { addresses: '' }, { addresses: ['x'] }])
      expect((await ask(url, { method: 'POST', ...(wrong === undefined ? {} : { body: wrong }) })).status).toBe(400)
  })

  test('stay on their pages when some are spent between two requests', async () => {
    const growing = stepNetwork({ seed }, 600, 700)
    const asks = asking(primaryRoutes(createPrimaryLedger(growing, seed)))
    const whole = (await readAll(asks, `${base('p-chain')}/utxos?pageSize=100`, 'utxos')).flat()
    const first = await asks(`${base('p-chain')}/utxos?pageSize=100`)
    growing.moveTo(700)
    const second = await asks(`${base('p-chain')}/utxos?pageSize=100&pageToken=${first.body.nextPageToken}`)
    const ids = (items: readonly Item[]) => items.map(({ utxoId }) => utxoId)
    expect(ids([...first.body.utxos, ...second.body.utxos])).toEqual(ids(whole.slice(0, 200)))
  })
})

describe('rewards', () => {
  test('require addresses or nodes', async () => {
    const { status, body } = await ask('/v1/networks/fuji/rewards?')
    expect(status).toBe(400)
    expect(body.message).toBe('At least one of addresses or nodeIds is required')
  })

  test('of nodes have a price in the requested currency', async () => {
    const nodes = [...new Set(state.rewards.map(({ stake }) => stake.nodeId))].slice(0, 60)
    const url = `/v1/networks/fuji/rewards?pageSize=100&nodeIds=${nodes.join()}`
    const found = await read(url, 'historicalRewards')
    const expected = state.rewards.filter(({ stake }) => nodes.includes(stake.nodeId)).map(({ utxo }) => utxo.id)
    expect(found.map(({ utxoId }) => utxoId)).toEqual(expected.toReversed())
    const euros = await read(`${url}&currency=eur&sortOrder=asc`, 'historicalRewards')
    expect(euros.map(({ utxoId }) => utxoId)).toEqual(expected)
    const priced = euros.find(({ reward }) => reward.historicalPrice !== undefined)!
    expect(priced.reward.historicalPrice.currencyCode).toBe('eur')
    expect((await ask(`${url}&currency=xyz`)).status).toBe(400)
  })
})

describe('vertices and blocks', () => {
  test('vertices exist only on the X-Chain', async () => {
    expect((await ask(`${base('p-chain')}/vertices`)).status).toBe(400)
    expect((await ask(`${base('x-chain')}/vertices:listByHeight`)).status).toBe(400)
    const { body } = await ask(`${base('x-chain')}/vertices?pageSize=1`)
    expect(body).toMatchObject({ vertices: [{ txCount: 0 }], chainInfo: { chainName: 'x-chain', network: 'fuji' } })
  })

  test('blocks of a node are those that it proposed, and can be limited to a time', async () => {
    const { proposer } = state.proposed.find(({ chain }) => chain === 'P')!
    const own = state.proposed.filter(({ chain, proposer: { nodeId } }) => chain === 'P' && nodeId === proposer.nodeId)
    const url = `${base('p-chain')}/nodes/${proposer.nodeId}/blocks`
    const found = await read(`${url}?pageSize=100`, 'blocks')
    expect(found.map(({ blockHash }) => blockHash)).toEqual(own.map(({ place }) => place.blockId).toReversed())
    expect(found.every(({ proposerDetails }) => proposerDetails.proposerNodeId === proposer.nodeId)).toBe(true)
    const start = own[5]!.place.time
    const later = await read(`${url}?pageSize=100&startTimestamp=${start}`, 'blocks')
    expect(later).toEqual(found.filter(({ blockTimestamp }) => blockTimestamp >= start))
  })

  test('lists of mainnet are empty', async () => {
    const { body } = await ask('/v1/networks/mainnet/blockchains/p-chain/transactions')
    expect(body.transactions).toEqual([])
  })
})
