import { expect, test } from 'vitest'
import { restIcmMessagesList } from '../../../pipelines/rest-icm-messages.ts'
import { restIcmMessages } from '../../../schemas/rest-networks.ts'
import { versionHash } from '../../../src/lookup/row-identity.ts'
import { evmAddress, hash, id } from '../made-ids.ts'
import { testContext } from './reading.ts'

const decode = restIcmMessagesList({ network: 'mainnet' })
const sourceTransaction = { txHash: hash('sent'), timestamp: 1700000000, gasSpent: '150000' }
const destinationTransaction = {
  txHash: hash('got'),
  timestamp: 1700000005,
  gasSpent: '9'.repeat(39),
  rewardRedeemer: evmAddress('redeemer'),
  delivererAddress: evmAddress('deliverer'),
}
/** The fields that messages of every status have. */
const message = {
  messageId: hash('message'),
  icmContractAddress: evmAddress('contract'),
  sourceBlockchainId: hash('source'),
  destinationBlockchainId: id('destination'),
  sourceEvmChainId: '43114',
  destinationEvmChainId: '99999',
  messageNonce: '7',
  from: evmAddress('from').toUpperCase().replace('X', 'x'),
  to: evmAddress('to'),
  messageExecuted: false,
  receipts: [{ receivedMessageNonce: '6', relayerRewardAddress: evmAddress('relayer') }],
  receiptDelivered: false,
  rewardDetails: { address: evmAddress('token'), name: 'T', symbol: 'T', decimals: 18, ercType: 'ERC-20', value: '0' },
}
const pending = { ...message, sourceTransaction, status: 'pending' }
const delivered = { ...message, data: '0xAB', sourceTransaction, destinationTransaction, status: 'delivered' }
const unindexed = { ...message, destinationTransaction, status: 'delivered_source_not_indexed' }

function only(item: object) {
  const context = testContext()
  const { rows, items } = decode({ messages: [item] }, context)
  expect(context.unknown).toEqual([])
  return { row: rows.messages[0]!, item: items[0]! }
}

test('a pending message has a source transaction only', () => {
  const { row, item } = only(pending)
  expect(row).toMatchObject({
    message_id: hash('message'),
    message_status: 'pending',
    source_blockchain_id: id('source'),
    from_address: evmAddress('from'),
    message_data: null,
    message_nonce: 7n,
    receipts: [{ received_message_nonce: '6', relayer_reward_address: evmAddress('relayer') }],
    token_address: evmAddress('token'),
    standard: 'erc20',
    price: null,
    reward_amount: 0n,
    source_time: 1_700_000_000_000_000n,
    source_gas_spent: 150_000n,
    destination_time: null,
    reward_redeemer: null,
  })
  expect(item).toEqual({ key: hash('message'), time: 1_700_000_000 })
  expect(Object.keys(row).sort()).toEqual(Object.keys(restIcmMessages.columns).sort())
})

test('a delivered message has both, and a message from a chain without an index only where it was delivered', () => {
  expect(only(delivered).row).toMatchObject({
    message_data: '0xab',
    destination_transaction_hash: hash('got'),
    destination_gas_spent: null,
    destination_gas_spent_raw: '9'.repeat(39),
    reward_redeemer: evmAddress('redeemer'),
    deliverer_address: evmAddress('deliverer'),
  })
  const { row, item } = only(unindexed)
  expect(row).toMatchObject({ source_transaction_hash: null, source_time: null, source_gas_spent_raw: null })
  expect(item.time).toBe(1_700_000_005)
})

test('a message without a transaction that its status requires is refused', () => {
  expect(() => only({ ...pending, status: 'delivered' })).toThrow('no field messages[0].destinationTransaction')
  expect(() => only({ ...unindexed, status: 'delivered' })).toThrow('no field messages[0].sourceTransaction')
})

test('a delivery makes another version of a message, and a new price does not', () => {
  const hashOf = (item: object) => versionHash(restIcmMessages)(only(item).row)
  const priced = { ...message.rewardDetails, price: { currencyCode: 'usd', value: 2 } }
  expect(hashOf({ ...pending, rewardDetails: priced })).toBe(hashOf(pending))
  expect(hashOf(delivered)).not.toBe(hashOf(pending))
})
