import { describe, expect, test } from 'vitest'
import { restPTransactions } from '../../../schemas/rest-p-transactions.ts'
import { decodePTransactions } from '../../../src/decode/service/p-transactions.ts'
import { DecodeError } from '../../../src/errors.ts'
import { parseLosslessJson } from '../../../src/lib/json.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

const chain = {
  network: 'mainnet',
  blockchainId: '11111111111111111111111111111111LpoYY',
  asked: { network: 'mainnet', chain: 'P' },
} as const
const decode = decodePTransactions(chain)

const coin = { assetId: 'coin', name: 'Coin', symbol: 'CN', denomination: 9, type: 'secp256k1' }
const utxo = {
  addresses: ['P-avax1aaa'],
  asset: { ...coin, amount: '7' },
  consumedOnChainId: 'p',
  createdOnChainId: 'p',
  utxoId: 'utxo',
  amount: '7',
  assetId: 'coin',
  blockNumber: '5',
  blockTimestamp: 1700000000,
  outputIndex: 0,
  txHash: 'before',
  utxoType: 'TRANSFER',
}
const required = {
  txHash: 'tx',
  txType: 'AddDelegatorTx',
  blockTimestamp: 1700000001,
  blockNumber: '6',
  blockHash: 'block',
  consumedUtxos: [utxo],
  emittedUtxos: [{ ...utxo, utxoId: 'made', rewardType: 'DELEGATOR' }],
  value: [{ ...coin, amount: '36893488147419103230' }],
  amountBurned: [{ assetId: 'coin', amount: 1 }],
  amountStaked: [],
  amountL1ValidatorBalanceBurned: [],
}
const genesis = `{"alloc":{"0xab":{"balance":"0x1","storage":{}}},"baseFeePerGas":null,"timestamp":"0x0",
  "config":{"chainId":18446744073709551615,"feeConfig":{"gasLimit":12000000,"minBaseFee":25000000000000000000000,
  "targetGas":99999999999999999999999999,"targetBlockRate":2},"warpConfig":{"quorumNumerator":67}}}`
const everything = {
  ...required,
  sourceChain: 'x',
  destinationChain: 'p',
  startTimestamp: 1700000001,
  endTimestamp: 1700009999,
  delegationFeePercent: '2.5000',
  nodeId: 'NodeID-a',
  subnetId: 'subnet',
  l1ValidatorManagerDetails: { blockchainId: 'evm', contractAddress: '0xFEEDc0de0000000000000000000000000000000f' },
  l1ValidatorDetails: [
    {
      validationId: 'v',
      validationIdHex: '0xABCD',
      nodeId: 'NodeID-a',
      subnetId: 'subnet',
      weight: 18446744073709551615n,
      remainingBalance: 0,
      balanceChange: -5,
      blsCredentials: { publicKey: '0xAA', proofOfPossession: '0xBB', other: 18446744073709551615n },
    },
    {
      validationId: 'w',
      validationIdHex: '0x01',
      nodeId: 'NodeID-b',
      subnetId: 'subnet',
      weight: '1',
      remainingBalance: '2',
    },
  ],
  estimatedReward: '12',
  rewardTxHash: 'paid',
  stakingTxHash: 'staked',
  memo: '0x68690A',
  rewardAddresses: ['P-avax1bbb', 'avax1ccc'],
  subnetOwnershipInfo: { locktime: 3, threshold: 2, addresses: ['P-avax1ddd'] },
  blsCredentials: { publicKey: '0xCC', proofOfPossession: '0xDD' },
  blockchainInfo: { chainName: 'My chain', vmId: 'vm', genesisData: parseLosslessJson(genesis) },
}

function rowOf(transaction: object): any {
  return decode({ transactions: [transaction] }, testContext()).rows.pTransactions![0]
}

describe('P-chain transactions', () => {
  test('with what is required only decode', () => {
    const row = rowOf(required)
    expectFits(restPTransactions, [row])
    expect(row).toMatchObject({
      network: 'mainnet',
      blockchain_id: chain.blockchainId,
      tx_id: 'tx',
      tx_type: 'AddDelegatorTx',
      height: 6,
      block_id: 'block',
      block_time: 1_700_000_001_000_000n,
      amounts: [{ asset_id: 'coin', amount: 36893488147419103230n, denomination: 9 }],
      amount_burned: [{ asset_id: 'coin', amount: 1n, name: null, symbol: null, denomination: null, type: null }],
      amount_staked: [],
      consumed_utxos: [{ utxo_id: 'utxo', addresses: ['avax1aaa'], amount: 7n, tx_id: 'before', height: 5 }],
      emitted_utxos: [{ utxo_id: 'made', reward_type: 'DELEGATOR' }],
      memo: null,
      l1_validator_details: null,
      owner_addresses: null,
      genesis_json: null,
    })
  })

  test('have every field of the specification', () => {
    const context = testContext()
    const { rows, items } = decode({ transactions: [everything], chainInfo: {} }, context)
    expect(context.unknown).toEqual([])
    expectFits(restPTransactions, rows.pTransactions!)
    expect(items).toEqual([{ key: 'tx', time: 1700000001 }])
    expect(rows.pTransactions![0]).toMatchObject({
      source_chain_id: 'x',
      destination_chain_id: 'p',
      start_time: 1_700_000_001_000_000n,
      end_time: 1_700_009_999_000_000n,
      delegation_fee_percent: 2.5,
      node_id: 'NodeID-a',
      subnet_id: 'subnet',
      manager_chain_id: 'evm',
      manager_address: Buffer.from('feedc0de0000000000000000000000000000000f', 'hex'),
      l1_validator_details: [
        {
          validation_id: 'v',
          validation_id_hex: '0xabcd',
          weight: 18446744073709551615n,
          remaining_balance: 0n,
          balance_change: -5n,
          bls_public_key: '0xaa',
          bls_proof_of_possession: '0xbb',
          bls_credentials_json: '{"publicKey":"0xAA","proofOfPossession":"0xBB","other":18446744073709551615}',
        },
        { validation_id: 'w', weight: 1n, remaining_balance: 2n, balance_change: null, bls_credentials_json: null },
      ],
      estimated_reward: 12n,
      reward_tx_id: 'paid',
      staked_tx_id: 'staked',
      memo: Buffer.from('hi\n'),
      reward_addresses: ['avax1bbb', 'avax1ccc'],
      owner_threshold: 2,
      owner_locktime: 3n,
      owner_addresses: ['avax1ddd'],
      bls_public_key: '0xcc',
      bls_proof_of_possession: '0xdd',
      blockchain_name: 'My chain',
      vm_id: 'vm',
      evm_chain_id: 18446744073709551615n,
      evm_fee_config: {
        gas_limit: 12000000n,
        min_base_fee: 25000000000000000000000n,
        // More than a column holds: whoever made the chain wrote it. It stands in the text.
        target_gas: null,
        target_block_rate: 2n,
        max_block_gas_cost: null,
      },
    })
    expect(rows.pTransactions![0]!.genesis_json).toBe(genesis.replace(/\n +/g, ''))
  })

  test('keep genesis that is a text, and a memo that is no hex', () => {
    const row = rowOf({ ...required, memo: 'hi', blockchainInfo: { chainName: 'c', vmId: 'v', genesisData: 'AAB=' } })
    expect(row).toMatchObject({ genesis_json: 'AAB=', evm_chain_id: null, evm_fee_config: null })
    expect(row.memo).toEqual(Buffer.from('hi'))
    expectFits(restPTransactions, [row])
  })

  test('of unknown kinds pass, unknown fields are told by their pattern', () => {
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

  test.each(Object.keys(required))('without %s are an error that names it', (field) => {
    const { [field as 'txHash']: _, ...rest } = required
    const decodeRest = () => decode({ transactions: [required, rest] }, testContext())
    expect(decodeRest).toThrow(DecodeError)
    expect(decodeRest).toThrow(`transactions[1].${field}`)
  })

  test('name the place of a wrong value in a nested UTXO', () => {
    const wrong = { ...required, emittedUtxos: [utxo, { ...utxo, amount: 'x', asset: { ...coin, amount: '1.5' } }] }
    expect(() => rowOf(wrong)).toThrow('transactions[0].emittedUtxos[1].asset.amount')
  })
})
