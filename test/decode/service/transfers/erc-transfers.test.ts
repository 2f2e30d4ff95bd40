import { describe, expect, test } from 'vitest'
import { tokenTransfersList } from '../../../../pipelines/token-transfers.ts'
import { walletErc20List } from '../../../../pipelines/wallet-transfers.ts'
import { restErc20Transfers, restErc721Transfers, restErc1155Transfers } from '../../../../schemas/rest-tokens.ts'
import { DecodeError } from '../../../../src/errors.ts'
import { hash } from '../../made-ids.ts'
import { testContext } from '../reading.ts'

const place = { network: 'mainnet', chain_id: '43114' }
const wallet = walletErc20List(place)
const token = tokenTransfersList(place)

const a = `0x${'Aa'.repeat(20)}`
const b = `0x${'Bb'.repeat(20)}`
const event = {
  blockNumber: '339',
  blockTimestamp: 1648672486,
  blockHash: `0x${'1F'.repeat(32)}`,
  txHash: `0x${'2E'.repeat(32)}`,
  from: { address: a },
  to: { address: b },
  logIndex: 7,
}
const erc20 = {
  ...event,
  value: '5',
  erc20Token: { address: a, ercType: 'ERC-20', name: 'T', symbol: 'T', decimals: 6 },
}
const erc721 = { ...event, erc721Token: { address: a, ercType: 'ERC-721', tokenId: '12', ownerAddress: b } }
const erc1155 = (tokenId: string, value: string, more: object = {}) => ({
  ...event,
  value,
  erc1155Token: { address: a, ercType: 'ERC-1155', tokenId, tokenUri: 'ipfs://x' },
  ...more,
})

describe('transfers', () => {
  test('have exactly the columns of their tables', () => {
    const { rows } = token({ transfers: [erc20, erc721, erc1155('1', '2')] }, testContext())
    expect(Object.keys(rows.erc20Transfers[0]!).sort()).toEqual(Object.keys(restErc20Transfers.columns).sort())
    expect(Object.keys(rows.erc721Transfers[0]!).sort()).toEqual(Object.keys(restErc721Transfers.columns).sort())
    expect(Object.keys(rows.erc1155Transfers[0]!).sort()).toEqual(Object.keys(restErc1155Transfers.columns).sort())
  })

  test('of ERC-721 have no position, and those of ERC-1155 have one', () => {
    const { rows, items } = token({ transfers: [erc721, erc1155('1', '2')] }, testContext())
    expect(rows.erc721Transfers[0]).toMatchObject({
      token_id: '12',
      token_owner_address: b.toLowerCase(),
      position: null,
    })
    expect(rows.erc1155Transfers[0]).toMatchObject({ token_id: '1', amount: 2n, position: 0, token_uri: 'ipfs://x' })
    expect(items.map(({ key }) => key)).toEqual(['339/7', '339/7/0'])
  })

  test('have token ids in decimal digits, also where the service writes them as hexadecimal text or as a large number', () => {
    const largest = `${2n ** 256n - 1n}`
    const written = ['0x10', `0x${'Ff'.repeat(32)}`, '007', 2n ** 256n - 1n]
    const { rows } = token({ transfers: written.map((tokenId) => erc1155(tokenId as string, '1')) }, testContext())
    expect(rows.erc1155Transfers.map(({ token_id }) => token_id)).toEqual(['16', largest, '7', largest])
    for (const tokenId of [`${2n ** 256n}`, `0x1${'0'.repeat(64)}`, '1.5', '-1', ''])
      expect(() => token({ transfers: [erc1155(tokenId, '1')] }, testContext()), tokenId).toThrow(DecodeError)
  })

  test('keep the metadata of a token, whatever spelling its fields have', () => {
    const metadata = {
      indexStatus: 'indexed',
      metadataLastUpdatedTimestamp: 1700000000,
      name: 'N',
      decimals: '2',
      properties: '{}',
    }
    const item = erc1155('1', '2')
    const { rows } = token(
      { transfers: [{ ...item, erc1155Token: { ...item.erc1155Token, metadata } }] },
      testContext(),
    )
    expect(rows.erc1155Transfers[0]!.metadata).toEqual({
      index_status: 'indexed',
      metadata_updated_at: 1_700_000_000_000_000n,
      name: 'N',
      symbol: null,
      image_uri: null,
      description: null,
      animation_uri: null,
      external_url: null,
      background: null,
      attributes: null,
      decimals: 2,
      properties: '{}',
    })
  })

  test('are of the standard of their token; an unknown standard is refused by its name', () => {
    const { erc20Token, ...bare } = erc20
    const other = { ...bare, erc777Token: erc20Token }
    expect(() => token({ transfers: [erc20, other] }, testContext())).toThrow(DecodeError)
    expect(() => token({ transfers: [erc20, other] }, testContext())).toThrow(
      'transfers[1] is of a token standard that chainlake does not know here: erc777Token.',
    )
    expect(() =>
      token({ transfers: [{ ...erc20, erc20Token: { ...erc20Token, ercType: 'ERC-777' } }] }, testContext()),
    ).toThrow('transfers[0].erc20Token is of a token standard that chainlake does not know here: ERC-777.')
    expect(() => token({ transfers: [bare] }, testContext())).toThrow('it has no token')
  })

  test('accept texts for numbers, numbers for texts, and times in milliseconds', () => {
    const item = {
      ...erc20,
      blockNumber: 339,
      blockTimestamp: '1648672486',
      blockTimestampMilliseconds: 1648672486250,
      logIndex: '7',
      value: 5,
      erc20Token: { ...erc20.erc20Token, decimals: '6', price: { currencyCode: 'eur', value: 1 } },
    }
    expect(wallet({ transactions: [item] }, testContext()).rows.erc20Transfers[0]).toMatchObject({
      block_number: 339,
      block_time: 1_648_672_486_250_000n,
      log_index: 7,
      amount: 5n,
      token_decimals: 6,
      price_currency: 'eur',
      price: 1,
    })
  })

  test('have exact amounts up to 2^256 - 1', () => {
    const most = 2n ** 256n - 1n
    const amounts = ['9'.repeat(38), `1${'0'.repeat(38)}`, most.toString(), '007', '0']
    const transactions = amounts.map((value, logIndex) => ({ ...erc20, value, logIndex }))
    const { rows } = wallet({ transactions: [...transactions, { ...erc20, value: most, logIndex: 9 }] }, testContext())
    expect(rows.erc20Transfers.map(({ amount, amount_raw }) => [amount, amount_raw])).toEqual([
      [10n ** 38n - 1n, amounts[0]],
      [null, amounts[1]],
      [null, amounts[2]],
      [7n, '7'],
      [0n, '0'],
      [null, most.toString()],
    ])
    for (const value of ['-1', '1.5', '0x1', 1e30])
      expect(() => wallet({ transactions: [{ ...erc20, value }] }, testContext())).toThrow('transactions[0].value')
  })

  test.each(['blockNumber', 'blockTimestamp', 'blockHash', 'txHash', 'from', 'to', 'value'])('require %s', (name) => {
    const { [name]: _, ...rest } = erc20 as Record<string, unknown>
    expect(() => wallet({ transactions: [erc20, rest] }, testContext())).toThrow(
      `The answer has no field transactions[1].${name}.`,
    )
  })

  test('require only the address of a party or a token', () => {
    expect(() => wallet({ transactions: [{ ...erc20, from: {} }] }, testContext())).toThrow(
      'transactions[0].from.address',
    )
    const bare = { ...erc20, erc20Token: { address: a }, nextPageToken: undefined }
    const [row] = wallet({ transactions: [bare] }, testContext()).rows.erc20Transfers
    expect(row).toMatchObject({ token_address: a.toLowerCase(), standard: 'erc20', token_name: null, from_name: null })
    expect(() => token({}, testContext())).toThrow('The answer has no field transfers.')
  })

  test('report each unknown field, also in a list of several standards', () => {
    const context = testContext()
    const item = { ...erc1155('1', '2'), gasUsed: '1' }
    token({ transfers: [erc20, item, { ...erc20, logIndex: 8, from: { address: a, tag: 'x' } }], extra: 1 }, context)
    expect(context.unknown.sort()).toEqual(['extra', 'transfers[].from.tag', 'transfers[].gasUsed'])
  })
})

describe('positions of transfers', () => {
  const positionsOf = (context: ReturnType<typeof testContext>, transfers: object[]) =>
    token({ transfers }, context).rows.erc1155Transfers.map(({ token_id, position }) => `${token_id}:${position}`)

  test('of ERC-1155 continue over the pages of a slice', () => {
    const context = testContext()
    expect(positionsOf(context, [erc1155('1', '5'), erc1155('2', '5')])).toEqual(['1:0', '2:1'])
    expect(positionsOf(context, [erc1155('3', '5'), erc1155('9', '5', { logIndex: 8 })])).toEqual(['3:2', '9:0'])
  })

  test('of ERC-1155 stay the same when a list repeats items', () => {
    const context = testContext()
    expect(positionsOf(context, [erc1155('1', '5'), erc1155('2', '5'), erc1155('2', '5')])).toEqual([
      '1:0',
      '2:1',
      '2:2',
    ])
    expect(positionsOf(context, [erc1155('2', '5'), erc1155('2', '5'), erc1155('3', '5')])).toEqual([
      '2:1',
      '2:2',
      '3:3',
    ])
    expect(positionsOf(context, [erc1155('2', '5'), erc1155('2', '5'), erc1155('2', '5')])).toEqual([
      '2:1',
      '2:2',
      '2:4',
    ])
  })

  test('of ERC-1155 distinguish amounts and parties, and restart with every slice', () => {
    const context = testContext()
    const swapped = erc1155('1', '5', { from: { address: b }, to: { address: a } })
    expect(positionsOf(context, [erc1155('1', '5'), erc1155('1', '6'), swapped])).toEqual(['1:0', '1:1', '1:2'])
    expect(positionsOf(testContext(), [swapped])).toEqual(['1:0'])
  })

  test('count within the transaction when there is no log index', () => {
    const context = testContext()
    const { logIndex, ...bare } = erc20
    const answer = { transactions: [bare, bare, { ...bare, value: '6' }, { ...bare, txHash: hash('other') }] }
    const page = wallet(answer, context)
    expect(page.rows.erc20Transfers.map(({ log_index, position }) => [log_index, position])).toEqual([
      [null, 0],
      [null, 1],
      [null, 2],
      [null, 0],
    ])
    expect(new Set(page.items.map(({ key }) => key)).size).toBe(4)
    const again = wallet({ transactions: answer.transactions.slice(1) }, context)
    expect(again.rows.erc20Transfers.map(({ position }) => position)).toEqual([0, 2, 0])
  })
})
