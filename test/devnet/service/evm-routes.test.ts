import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'lossless-json'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { erc20Contracts, erc721Contracts, erc1155Contracts, tokenContracts } from '../../../devnet/c/contracts.ts'
import { accountKeys, evmChainId } from '../../../devnet/c/state.ts'
import { type GrowingNetwork, openGrowingNetwork } from '../../../devnet/chains/growing-network.ts'
import { chainTexts } from '../../../devnet/network/genesis.ts'
import { createEvmLedger } from '../../../devnet/service/evm/execute.ts'
import { holdingsOf, walletsOf } from '../../../devnet/service/evm/holdings.ts'
import { transferItem } from '../../../devnet/service/evm/items.ts'
import { evmRoutes } from '../../../devnet/service/evm/routes.ts'
import type { EvmLedger, EvmState } from '../../../devnet/service/evm/state.ts'
import { createTextStore, createTransferTexts } from '../../../devnet/service/evm/transfers.ts'
import { totalsOfRoutes } from '../../../devnet/service/plumbing/route.ts'
import { type Ask, asking, readAll } from './asking.ts'

const base = `/v1/chains/${evmChainId}`
const accounts = accountKeys.map(({ address }) => `0x${Buffer.from(address).toString('hex')}`)

describe('the routes of the EVM chain', () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'chainlake-evm-'))
  let network: GrowingNetwork
  let ledger: EvmLedger
  let state: EvmState
  let node: Ask
  let spec: Ask
  /** A wallet with tokens of every kind. */
  let wallet: string

  beforeAll(async () => {
    network = await openGrowingNetwork({ cacheDir, seed: 4, accepted: 1_200 })
    ledger = createEvmLedger(network.stores['C/block'])
    state = await ledger.atHead()
    wallet = accounts.find((each) => {
      const collectibles = (['ERC-721', 'ERC-1155'] as const).map(
        (standard) => holdingsOf(state, each, standard).length,
      )
      const large = state.transfersWith(each, 'ERC-20').some(({ value }) => value > 10n ** 60n)
      return large && Math.min(...collectibles) > 2
    })!
    node = asking(evmRoutes(ledger), { dialect: 'node' })
    spec = asking(evmRoutes(ledger), { dialect: 'spec' })
  })

  afterAll(async () => {
    await network.close()
    rmSync(cacheDir, { recursive: true, force: true })
  })

  const all = async (ask: Ask, url: string, items: string) => (await readAll(ask, url, items)).flat()

  test('blocks come newest first, and only the node dialect has the fields of Granite', async () => {
    const blocks = await all(node, `${base}/blocks?pageSize=100`, 'blocks')
    expect(blocks.map(({ blockNumber }) => Number(blockNumber))).toEqual(state.blocks.map((_, at) => 1_200 - at))
    expect(blocks.at(-1)).not.toHaveProperty('blockTimestampMilliseconds')
    expect(blocks[0].blockTimestampMilliseconds).toBeGreaterThan(blocks[0].blockTimestamp * 1000 - 1)
    const { body } = await spec(`${base}/blocks`)
    expect(body.blocks).toHaveLength(10)
    expect(Object.keys(body.blocks[0])).toEqual([
      'chainId',
      'blockNumber',
      'blockTimestamp',
      'blockHash',
      'txCount',
      'baseFee',
      'gasUsed',
      'gasLimit',
      'gasCost',
      'parentHash',
      'feesSpent',
      'cumulativeTransactions',
    ])
  })

  test('the chain is found by its number and by its id, and an unknown chain gives 404', async () => {
    const byId = await node(`/v1/chains/${chainTexts.C}/blocks`)
    expect(byId.body.blocks).toEqual((await node(`${base}/blocks`)).body.blocks)
    expect((await node('/v1/chains/43114/blocks')).status).toBe(404)
    expect((await node('/v1/chains/%20/blocks')).status).toBe(400)
  })

  test('transfers of all contracts match the ledger, newest first', async () => {
    let rows = 0
    for (const { address, standard } of tokenContracts) {
      const items = await all(node, `${base}/tokens/${address}/transfers?pageSize=100`, 'transfers')
      rows += items.length
      const own = state.transfersOf(address).toReversed()
      expect(items.map(({ txHash, logIndex }) => [txHash, logIndex])).toEqual(
        own.map(({ txHash, logIndex }) => [txHash, logIndex]),
      )
      const token = `erc${standard.slice(4)}Token`
      for (const item of items) expect(item[token].address.toLowerCase()).toBe(address)
      expect(items.every((item) => 'value' in item)).toBe(standard !== 'ERC-721')
    }
    expect(rows).toBe(state.transfers.length)
  })

  test('transfers of a wallet are those from and to it, with exact amounts', async () => {
    const items = await all(
      node,
      `${base}/addresses/${wallet.toUpperCase().replace('X', 'x')}/transactions:listErc20?pageSize=100`,
      'transactions',
    )
    const own = state.transfersWith(wallet, 'ERC-20').toReversed()
    expect(items.map(({ value }) => value)).toEqual(own.map(({ value }) => String(value)))
    expect(items.length).toBeGreaterThan(50)
    for (const { from, to } of items) expect([from.address.toLowerCase(), to.address.toLowerCase()]).toContain(wallet)
    expect(items.some(({ value }) => value.length > 60)).toBe(true)
    // An account sent something to a contract by mistake. The contract has a name.
    expect(
      items
        .concat(await all(node, `${base}/tokens/${erc20Contracts[0]!.address}/transfers?pageSize=100`, 'transfers'))
        .some(({ to }) => to.symbol !== undefined),
    ).toBe(true)
  })

  test('ranges of blocks include their start and exclude their end', async () => {
    const url = `${base}/tokens/${erc20Contracts[1]!.address}/transfers?pageSize=100`
    const numbers = async (range: string) =>
      (await all(node, url + range, 'transfers')).map(({ blockNumber }) => Number(blockNumber))
    const whole = await numbers('')
    const middle = whole[whole.length >> 1]!
    expect(await numbers(`&startBlock=${middle}`)).toEqual(whole.filter((number) => number >= middle))
    expect(await numbers(`&endBlock=${middle}`)).toEqual(whole.filter((number) => number < middle))
    expect(await numbers(`&startBlock=${middle}&endBlock=${middle + 1}`)).toEqual(
      whole.filter((number) => number === middle),
    )
    expect(await numbers(`&startBlock=${middle}&endBlock=${middle}`)).toEqual([])
    expect((await node(`${url}&startBlock=-1`)).status).toBe(400)
  })

  test('the text of a transfer is the JSON of its object', () => {
    for (const dialect of ['spec', 'node'] as const) {
      const text = createTransferTexts(dialect)
      for (const transfer of state.transfers.filter(({ token }) => token.standard === 'ERC-20'))
        expect(text(transfer)).toBe(JSON.stringify(transferItem(transfer, state, dialect)))
    }
  })

  test('the text store returns every requested range, also across cached segments', () => {
    const transfers = state.transfersOf(erc20Contracts[2]!.address)
    const text = createTransferTexts('node')
    const store = createTextStore(text)
    const ranges = [
      [0, 1],
      [0, 300],
      [127, 129],
      [128, 256],
      [250, 470],
      [transfers.length - 1, transfers.length],
      [5, 5],
    ]
    for (const [from, to] of [...ranges, ...ranges] as [number, number][]) {
      const expected = transfers.slice(from, to).reverse().map(text).join(',')
      expect(store.newestFirst(transfers, from, to).join('')).toBe(expected)
    }
    // Segments that are not full yet are not cached.
    const growing = transfers.slice(0, 100)
    expect(store.newestFirst(growing, 0, 100).join('')).toContain(text(transfers[99]!))
    growing.push(...transfers.slice(100, 140))
    expect(store.newestFirst(growing, 90, 140).join('')).toBe(transfers.slice(90, 140).reverse().map(text).join(','))
  })

  test('collectible balances join both standards, and only lists of one standard have the native balance', async () => {
    const list = (name: string, more = '') => `${base}/addresses/${wallet}/balances:${name}?pageSize=7${more}`
    const erc721 = await all(node, list('listErc721'), 'erc721TokenBalances')
    const erc1155 = await all(node, list('listErc1155'), 'erc1155TokenBalances')
    expect(erc721.length).toBeGreaterThan(0)
    expect(erc1155.length).toBeGreaterThan(0)
    expect(await all(node, list('listCollectibles'), 'collectibleBalances')).toEqual([...erc721, ...erc1155])
    for (const { address, tokenId, ownerAddress } of erc721) {
      expect(ownerAddress.toLowerCase()).toBe(wallet)
      expect(state.ownerOf(address.toLowerCase(), BigInt(tokenId))).toBe(wallet)
    }
    const contract = erc1155Contracts[1]!.address
    const filtered = await all(node, list('listErc1155', `&contractAddress=${contract}`), 'erc1155TokenBalances')
    expect(filtered).toEqual(erc1155.filter(({ address }) => address.toLowerCase() === contract))
    const { body } = await node(list('listErc721'))
    expect(body.nativeTokenBalance).toMatchObject({
      balance: String(state.nativeBalance(wallet, 1_200)),
      price: { currencyCode: 'usd' },
    })
    expect((await node(list('listCollectibles'))).body).not.toHaveProperty('nativeTokenBalance')
    expect((await node(list('listErc1155', '&contractAddress=0x12'))).status).toBe(400)
    expect((await node(`${base}/addresses/0x12/balances:listErc721`)).status).toBe(400)
    expect((await node(`${base}/addresses/${wallet}/balances:listErc721?pageSize=501`)).status).toBe(400)
  })

  test('ERC-1155 balances at an earlier block are the balances at that block', async () => {
    const at = async (block: number) => {
      const { body } = await node(`${base}/addresses/${wallet}/balances:listErc1155?pageSize=500&blockNumber=${block}`)
      return body
    }
    expect((await at(0)).erc1155TokenBalances).toEqual([])
    expect((await at(0)).nativeTokenBalance.balance).toBe('1000000000000000000000000')
    const moves = state.transfersWith(wallet, 'ERC-1155')
    const last = moves.at(-1)!
    const amountIn = (body: any) =>
      body.erc1155TokenBalances.find(
        (each: any) => each.tokenId === String(last.tokenId) && each.address.toLowerCase() === last.token.address,
      )?.balance ?? '0'
    expect(amountIn(await at(last.block.number))).not.toBe(amountIn(await at(last.block.number - 1)))
  })

  test('metadata has the index status of its token, and all of its fields in the spec dialect', async () => {
    const url = `${base}/tokens/${erc721Contracts[0]!.address}/transfers?pageSize=100`
    const of = (items: any[]) => items.map(({ erc721Token }) => erc721Token.metadata)
    const real = of(await all(node, url, 'transfers'))
    expect(new Set(real.map(({ indexStatus }) => indexStatus))).toEqual(
      new Set(['INDEXED', 'UNINDEXED', 'UNREACHABLE_TOKEN_URI']),
    )
    for (const metadata of of(await all(spec, url, 'transfers'))) {
      expect(metadata.indexStatus).toBe(metadata.indexStatus.toLowerCase())
      expect(Object.keys(metadata)).toHaveLength(10)
    }
  })

  test('sort keys of holders are integers in the spec dialect and texts in the node dialect', async () => {
    const url = `/v2/chains/${evmChainId}/contracts/${erc20Contracts[4]!.address}/balances?threshold=0`
    const texts = await all(node, url, 'addresses')
    expect(texts.length).toBeGreaterThan(20)
    expect(texts.every(({ sortKey }) => /^\d+$/.test(sortKey))).toBe(true)
    const { body } = await spec(url, {})
    expect(body.addresses.map(({ address }: any) => address)).toEqual(texts.map(({ address }) => address))
    expect(typeof body.addresses[0].sortKey).toBe('number')
    expect((await node(url.replace('threshold=0', ''))).status).toBe(400)
    expect((await node(`${url}&startTimestamp=-1`)).status).toBe(400)
    const high = await all(node, url.replace('threshold=0', `threshold=${10n ** 70n}`), 'addresses')
    expect(high.length).toBeLessThanOrEqual(texts.length)
    expect(parse(`[${texts[0].sortKey}]`)).toHaveLength(1)
  })

  test('totals match the items that the routes list', async () => {
    const totals = await totalsOfRoutes(evmRoutes(ledger), 'node')
    const wallets = walletsOf(state)
    const rows = async (name: string, items: string) => {
      const lists = await Promise.all(
        wallets.map((each) => all(node, `${base}/addresses/${each}/balances:${name}?pageSize=500`, items)),
      )
      return lists.flat()
    }
    expect(totals.rest_erc721_balances!.rows).toBe((await rows('listErc721', 'erc721TokenBalances')).length)
    const erc1155 = await rows('listErc1155', 'erc1155TokenBalances')
    expect(totals.rest_erc1155_balances).toEqual({
      rows: erc1155.length,
      sums: { balance: erc1155.reduce((sum, { balance }) => sum + BigInt(balance), 0n) },
    })
    expect(totals.rest_collectible_balances!.rows).toBe((await rows('listCollectibles', 'collectibleBalances')).length)
    const erc20 = (
      await Promise.all(
        erc20Contracts.map(({ address }) => all(node, `${base}/tokens/${address}/transfers?pageSize=100`, 'transfers')),
      )
    ).flat()
    const small = erc20.filter(({ value }) => value.length <= 38).map(({ value }) => BigInt(value))
    expect(totals.rest_erc20_transfers).toEqual({
      rows: erc20.length,
      sums: { amount: small.reduce((sum, value) => sum + value, 0n) },
    })
    const holders = (
      await Promise.all(
        tokenContracts.map(({ address }) =>
          all(node, `/v2/chains/${evmChainId}/contracts/${address}/balances?threshold=0`, 'addresses'),
        ),
      )
    ).flat()
    expect(totals.metrics_token_holders!.rows).toBe(holders.length)
  })
})
