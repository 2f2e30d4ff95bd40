import { describe, expect, test } from 'vitest'
import type { EvmLog } from '../../../schemas/evm-blocks.ts'
import { tokenTransfers } from '../../../src/decode/evm/token-transfers.ts'

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const single = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const batch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

const word = (value: bigint | number) => value.toString(16).padStart(64, '0')
const party = (digit: string) => `0x${'0'.repeat(24)}${digit.repeat(40)}`
const address = (digit: string) => `0x${digit.repeat(40)}`

function logOf(topics: readonly string[], words: string): EvmLog {
  return {
    network: 'local',
    chain_id: '43112',
    block_number: 1,
    block_time: 0n,
    transaction_index: 2,
    transaction_hash: `0x${'33'.repeat(32)}`,
    log_index: 4,
    address: address('e'),
    topic0: topics[0] ?? null,
    topic1: topics[1] ?? null,
    topic2: topics[2] ?? null,
    topic3: topics[3] ?? null,
    data: Buffer.from(words, 'hex'),
  }
}

const [a, b, c] = [party('a'), party('b'), party('c')]
const batchData = (ids: readonly bigint[], amounts: readonly bigint[]) =>
  [64, 32 * (3 + ids.length), ids.length, ...ids, amounts.length, ...amounts].map(word).join('')

describe('token transfers of logs', () => {
  test.each([0n, 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 128n - 1n, 2n ** 128n, 2n ** 192n + 5n, 2n ** 256n - 1n])(
    'have the exact amount of %d tokens',
    (amount) => {
      expect(tokenTransfers(logOf([transfer, a, b], word(amount)))).toMatchObject([{ amount_raw: amount.toString() }])
    },
  )

  test('have the columns of their standard: ERC-20, ERC-721 and ERC-1155', () => {
    expect(tokenTransfers(logOf([transfer, a, b], word(10n ** 38n)))).toMatchObject([
      {
        standard: 'erc20',
        token_address: address('e'),
        from_address: address('a'),
        to_address: address('b'),
        operator_address: null,
        token_id: null,
        amount: null,
        amount_raw: '1'.padEnd(39, '0'),
        log_index: 4,
        position: 0,
      },
    ])
    const native = `0x${'f'.repeat(39)}e`
    expect(tokenTransfers({ ...logOf([transfer, a, b], word(5)), address: native })).toMatchObject([
      { standard: 'native', token_address: native, from_address: address('a'), to_address: address('b'), amount: 5n },
    ])
    expect(tokenTransfers(logOf([transfer, a, b, `0x${word(7)}`], ''))).toMatchObject([
      { standard: 'erc721', from_address: address('a'), token_id: '7', amount: 1n, amount_raw: '1' },
    ])
    expect(tokenTransfers(logOf([single, a, b, c], word(7) + word(8)))).toMatchObject([
      { standard: 'erc1155', operator_address: address('a'), from_address: address('b'), token_id: '7', amount: 8n },
    ])
    expect(tokenTransfers(logOf([batch, a, b, c], batchData([1n, 2n], [3n, 4n])))).toMatchObject([
      { position: 0, token_id: '1', amount: 3n, to_address: address('c') },
      { position: 1, token_id: '2', amount: 4n },
    ])
    expect(tokenTransfers(logOf([batch, a, b, c], batchData([], [])))).toEqual([])
  })

  const id = `0x${word(7)}`
  test.each([
    ['no topics', [], ''],
    ['another event', [id, a, b], word(1)],
    ['parties that are not indexed, as some early tokens have them', [transfer], word(1) + word(2) + word(3)],
    ['an ERC-20 without data', [transfer, a, b], ''],
    ['an ERC-20 with more data', [transfer, a, b], word(1) + word(2)],
    ['an ERC-20 with a byte too few', [transfer, a, b], word(1).slice(2)],
    ['an ERC-721 with data', [transfer, a, b, id], word(1)],
    ['a party that is no address', [transfer, a, `0x${'b'.repeat(64)}`], word(1)],
    ['a single transfer of three words', [single, a, b, c], word(1) + word(2) + word(3)],
    ['a single transfer without operator', [single, a, b], word(1) + word(2)],
    ['a batch with more ids than amounts', [batch, a, b, c], batchData([1n, 2n], [3n])],
    ['a batch that ends early', [batch, a, b, c], batchData([1n, 2n], [3n, 4n]).slice(64)],
    ['a batch with other offsets', [batch, a, b, c], batchData([1n], [2n]).replace(word(64), word(96))],
    ['a batch without data', [batch, a, b, c], ''],
  ] as const)('are not read from %s', (_, topics, data) => {
    expect(tokenTransfers(logOf(topics, data))).toEqual([])
  })
})
