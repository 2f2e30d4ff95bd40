import { describe, expect, test } from 'vitest'
import { pTransactionsList } from '../../../pipelines/rest-transactions.ts'
import { restPTransactions } from '../../../schemas/rest-transactions.ts'
import { DecodeError } from '../../../src/errors.ts'
import { parseLosslessJson } from '../../../src/lib/json.ts'
import { hash, id, nodeId, owner } from '../made-ids.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

const chain = {
  network: 'mainnet',
  id: '11111111111111111111111111111111LpoYY',
  alias: 'P',
  parts: { network: 'mainnet' },
} as const
const decode = pTransactionsList(chain)

const coin = { assetId: id('coin'), name: 'Coin', symbol: 'CN', denomination: 9, type: 'secp256k1' }
const utxo = {
  addresses: [`P-${owner('a', 'avax')}`],
  asset: { ...coin, amount: '7' },
  consumedOnChainId: id('p'),
  createdOnChainId: id('p'),
  utxoId: id('utxo'),
  amount: '7',
  assetId: id('coin'),
  blockNumber: '5',
  blockTimestamp: 1700000000,
  outputIndex: 0,
  txHash: id('before'),
  utxoType: 'TRANSFER',
}
const required = {
  txHash: id('tx'),
  txType: 'AddDelegatorTx',
  blockTimestamp: 1700000001,
  blockNumber: '6',
  blockHash: id('block'),
  consumedUtxos: [utxo],
  emittedUtxos: [{ ...utxo, utxoId: id('made'), rewardType: 'DELEGATOR' }],
  value: [{ ...coin, amount: '36893488147419103230' }],
  amountBurned: [{ assetId: id('coin'), amount: 1 }],
  amountStaked: [],
  amountL1ValidatorBalanceBurned: [],
}
const genesis = `{"alloc":{"0xab":{"balance":"0x1","storage":{}}},"baseFeePerGas":null,"timestamp":"0x0",
  "config":{"chainId":18446744073709551615,"feeConfig":{"gasLimit":12000000,"minBaseFee":25000000000000000000000,
  "targetGas":99999999999999999999999999,"targetBlockRate":2},"warpConfig":{"quorumNumerator":67}}}`
const everything = {
  ...required,
  sourceChain: id('x'),
  destinationChain: id('p'),
  startTimestamp: 1700000001,
  endTimestamp: 1700009999,
  delegationFeePercent: '2.5000',
  nodeId: nodeId('a'),
  subnetId: id('subnet'),
  l1ValidatorManagerDetails: { blockchainId: id('evm'), contractAddress: '0xFEEDc0de0000000000000000000000000000000f' },
  l1ValidatorDetails: [
    {
      validationId: id('v'),
      validationIdHex: hash('v').toUpperCase().replace('X', 'x'),
      nodeId: nodeId('a'),
      subnetId: id('subnet'),
      weight: 18446744073709551615n,
      remainingBalance: 0,
      balanceChange: -5,
      blsCredentials: { publicKey: '0xAA', proofOfPossession: '0xBB', other: 18446744073709551615n },
    },
    {
      validationId: id('w'),
      validationIdHex: hash('w').slice(2),
      nodeId: nodeId('b'),
      subnetId: id('subnet'),
      weight: '1',
      remainingBalance: '2',
    },
  ],
  estimatedReward: '12',
  rewardTxHash: id('paid'),
  stakingTxHash: id('staked'),
  memo: '0x68690A',
  rewardAddresses: [`P-${owner('b', 'avax')}`, owner('c', 'avax')],
  subnetOwnershipInfo: { locktime: 3, threshold: 2, addresses: [`P-${owner('d', 'avax')}`] },
  blsCredentials: { publicKey: '0xCC', proofOfPossession: '0xDD' },
  blockchainInfo: { chainName: 'My chain', vmId: 'vm', genesisData: parseLosslessJson(genesis) },
}

function rowOf(transaction: object): any {
  return decode({ transactions: [transaction] }, testContext()).rows.pTransactions![0]
}

describe('P-chain transactions', () => {
  test('decode with only the required fields', () => {
    const row = rowOf(required)
    expectFits(restPTransactions, [row])
    expect(row).toMatchObject({
      network: 'mainnet',
      blockchain_id: chain.id,
      tx_id: id('tx'),
      tx_type: 'AddDelegatorTx',
      height: 6,
      block_id: id('block'),
      block_time: 1_700_000_001_000_000n,
      amounts: [{ asset_id: id('coin'), amount: 36893488147419103230n, asset_denomination: 9 }],
      amount_burned: [
        {
          asset_id: id('coin'),
          amount: 1n,
          asset_name: null,
          asset_symbol: null,
          asset_denomination: null,
          asset_type: null,
        },
      ],
      amount_staked: [],
      consumed_utxos: [
        { utxo_id: id('utxo'), addresses: [owner('a', 'avax')], amount: 7n, tx_id: id('before'), height: 5 },
      ],
      emitted_utxos: [{ utxo_id: id('made'), reward_type: 'DELEGATOR' }],
      memo: null,
      l1_validator_details: null,
      owner_addresses: null,
      genesis_json: null,
    })
  })

  test('have every field of the specification', () => {
    const context = testContext()
    const { rows, items } = decode({ transactions: [everything], chainInfo: { chainName: 'p-chain' } }, context)
    expect(context.unknown).toEqual([])
    expectFits(restPTransactions, rows.pTransactions!)
    expect(items).toEqual([{ key: id('tx'), time: 1700000001 }])
    expect(rows.pTransactions![0]).toMatchObject({
      chain_name: 'p-chain',
      source_chain_id: id('x'),
      destination_chain_id: id('p'),
      start_time: 1_700_000_001_000_000n,
      end_time: 1_700_009_999_000_000n,
      delegation_fee_percent: 2.5,
      node_id: nodeId('a'),
      subnet_id: id('subnet'),
      manager_chain_id: id('evm'),
      manager_address: Buffer.from('feedc0de0000000000000000000000000000000f', 'hex'),
      l1_validator_details: [
        {
          validation_id: id('v'),
          validation_id_hex: hash('v'),
          weight: 18446744073709551615n,
          remaining_balance: 0n,
          balance_change: -5n,
          bls_public_key: '0xaa',
          bls_proof_of_possession: '0xbb',
          bls_credentials_json: '{"publicKey":"0xAA","proofOfPossession":"0xBB","other":18446744073709551615}',
        },
        { validation_id: id('w'), weight: 1n, remaining_balance: 2n, balance_change: null, bls_credentials_json: null },
      ],
      estimated_reward: 12n,
      reward_tx_id: id('paid'),
      staked_tx_id: id('staked'),
      memo: Buffer.from('hi\n'),
      reward_addresses: [owner('b', 'avax'), owner('c', 'avax')],
      owner_threshold: 2,
      owner_locktime: 3n,
      owner_addresses: [owner('d', 'avax')],
      bls_public_key: '0xcc',
      bls_proof_of_possession: '0xdd',
      blockchain_name: 'My chain',
      vm_id: 'vm',
      evm_chain_id: 18446744073709551615n,
      evm_fee_config: {
        gas_limit: 12000000n,
        min_base_fee: 25000000000000000000000n,
        // The number is too large for the column. The JSON text keeps it.
        target_gas: null,
        target_block_rate: 2n,
        max_block_gas_cost: null,
      },
    })
    expect(rows.pTransactions![0]!.genesis_json).toBe(genesis.replace(/\n +/g, ''))
  })

  test('keep a genesis that is a text and a memo that is no hex', () => {
    const row = rowOf({ ...required, memo: 'hi', blockchainInfo: { chainName: 'c', vmId: 'v', genesisData: 'AAB=' } })
    expect(row).toMatchObject({ genesis_json: 'AAB=', evm_chain_id: null, evm_fee_config: null })
    expect(row.memo).toEqual(Buffer.from('hi'))
    expectFits(restPTransactions, [row])
  })

  test('of unknown types are accepted, and unknown fields are reported by their path pattern', () => {
    const context = testContext()
    const odd = {
      ...required,
      txType: 'AddAutoRenewedValidatorTx',
      emittedUtxos: [{ ...utxo, extra: 1 }],
      restakedRewards: [],
    }
    expect(decode({ transactions: [odd] }, context).rows.pTransactions![0]).toMatchObject({
      tx_type: 'AddAutoRenewedValidatorTx',
    })
    expect(context.unknown).toEqual(['transactions[].emittedUtxos[].extra', 'transactions[].restakedRewards'])
  })

  test.each(Object.keys(required))('are refused without %s; the error names the field', (field) => {
    const { [field as 'txHash']: _, ...rest } = required
    const decodeRest = () => decode({ transactions: [required, rest] }, testContext())
    expect(decodeRest).toThrow(DecodeError)
    expect(decodeRest).toThrow(`transactions[1].${field}`)
  })

  test('are refused for a memo that has no bytes in UTF-8', () => {
    expect(() => rowOf({ ...required, memo: 'a\ud800b' })).toThrow(
      'transactions[0].memo of the answer is no well-formed',
    )
  })

  test('are refused for a wrong value in a nested UTXO; the error names its path', () => {
    const wrong = { ...required, emittedUtxos: [utxo, { ...utxo, amount: 'x', asset: { ...coin, amount: '1.5' } }] }
    expect(() => rowOf(wrong)).toThrow('transactions[0].emittedUtxos[1].asset.amount')
  })
})
