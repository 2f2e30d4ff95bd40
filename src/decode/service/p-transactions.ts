import { decodeCb58 } from '../../../codec/cb58.ts'
import type { RestPTransaction } from '../../../schemas/rest-p-transactions.ts'
import { assets } from '../json/asset-fields.ts'
import { optionalBytes, optionalMemo } from '../json/byte-fields.ts'
import {
  contradiction,
  objects,
  optionalObject,
  optionalObjects,
  optionalText,
  type Reading,
  raw,
} from '../json/fields.ts'
import { jsonText } from '../json/json-text.ts'
import {
  count,
  optionalDifference,
  optionalPercent,
  optionalTime,
  optionalU32,
  optionalU64,
  time,
  u64,
} from '../json/number-fields.ts'
import {
  hex,
  id,
  nodeId,
  optionalChainId,
  optionalHex,
  optionalId,
  optionalNodeId,
  optionalOwners,
  optionalWord,
  word,
} from '../json/text-fields.ts'
import { genesisColumns } from './genesis.ts'
import type { ListedChain } from './list-page.ts'
import { transactionList } from './transaction-list.ts'
import { utxo } from './utxo.ts'

/** P-Chain transactions (specification 2.3 and 4.3). A job with a range of seconds stores those in the range. */
export const decodePTransactions = transactionList('pTransactions', transactionRow)

function transactionRow(
  at: Reading,
  { network, blockchainId }: ListedChain,
  chainName: string | null,
): RestPTransaction {
  const row = plainColumns(at, network, blockchainId, chainName)
  return Object.assign(
    row,
    optionalObject(at, 'l1ValidatorManagerDetails', manager) ?? noManager,
    optionalObject(at, 'subnetOwnershipInfo', owner) ?? noOwner,
    optionalObject(at, 'blsCredentials', bls) ?? noBls,
    optionalObject(at, 'blockchainInfo', blockchain) ?? noBlockchain,
  )
}

function plainColumns(at: Reading, network: string, blockchainId: string, chainName: string | null) {
  return {
    network,
    blockchain_id: blockchainId,
    height: count(at, 'blockNumber', 'blockHeight'),
    block_time: time(at, 'blockTimestamp', 'timestamp'),
    block_id: id(at, 'blockHash'),
    tx_id: id(at, 'txHash'),
    tx_type: word(at, 'txType'),
    memo: optionalMemo(at, 'memo'),
    source_chain_id: optionalChainId(at, 'sourceChain'),
    destination_chain_id: optionalChainId(at, 'destinationChain'),
    amounts: assets(at, 'value'),
    amount_burned: assets(at, 'amountBurned'),
    amount_staked: assets(at, 'amountStaked'),
    amount_l1_validator_balance_burned: assets(at, 'amountL1ValidatorBalanceBurned'),
    start_time: optionalTime(at, 'startTimestamp'),
    end_time: optionalTime(at, 'endTimestamp'),
    delegation_fee_percent: optionalPercent(at, 'delegationFeePercent'),
    node_id: optionalNodeId(at, 'nodeId'),
    subnet_id: optionalId(at, 'subnetId'),
    l1_validator_details: optionalObjects(at, 'l1ValidatorDetails', l1Validator),
    estimated_reward: optionalU64(at, 'estimatedReward'),
    reward_tx_id: optionalId(at, 'rewardTxHash'),
    staked_tx_id: optionalId(at, 'stakingTxHash'),
    reward_addresses: optionalOwners(at, 'rewardAddresses'),
    consumed_utxos: objects(at, 'consumedUtxos', utxo),
    emitted_utxos: objects(at, 'emittedUtxos', utxo),
    chain_name: chainName,
  }
}

const noManager = { manager_chain_id: null, manager_address: null }

function manager(at: Reading) {
  return { manager_chain_id: optionalId(at, 'blockchainId'), manager_address: optionalBytes(at, 'contractAddress') }
}

function l1Validator(at: Reading) {
  const credentials = raw(at, 'blsCredentials')
  return {
    ...validationIds(at),
    node_id: nodeId(at, 'nodeId'),
    subnet_id: id(at, 'subnetId'),
    weight: u64(at, 'weight'),
    remaining_balance: u64(at, 'remainingBalance'),
    balance_change: optionalDifference(at, 'balanceChange'),
    bls_public_key: textOf(credentials, 'publicKey'),
    bls_proof_of_possession: textOf(credentials, 'proofOfPossession'),
    bls_credentials_json: credentials === undefined ? null : jsonText(credentials),
  }
}

/** Reads the validation id, which answers state as CB58 and as hex. Throws `DecodeError` if the two differ. */
function validationIds(at: Reading): { validation_id: string; validation_id_hex: string } {
  const validation_id = id(at, 'validationId')
  const validation_id_hex = hex(at, 'validationIdHex')
  const digits = Buffer.from(decodeCb58(validation_id)).toString('hex')
  if (validation_id_hex.replace('0x', '') !== digits)
    throw contradiction(at, 'validationIdHex', validation_id_hex, 'validationId', validation_id)
  return { validation_id, validation_id_hex }
}

/** Reads a text of these credentials, if it is there. The specification does not define their content. */
function textOf(value: unknown, name: string): string | null {
  if (typeof value !== 'object' || value === null) return null
  const found = (value as Readonly<Record<string, unknown>>)[name]
  return typeof found === 'string' ? found.toLowerCase() : null
}

const noOwner = { owner_threshold: null, owner_locktime: null, owner_addresses: null }

function owner(at: Reading) {
  return {
    owner_threshold: optionalU32(at, 'threshold'),
    owner_locktime: optionalU64(at, 'locktime'),
    owner_addresses: optionalOwners(at, 'addresses'),
  }
}

const noBls = { bls_public_key: null, bls_proof_of_possession: null }

function bls(at: Reading) {
  return {
    bls_public_key: optionalHex(at, 'publicKey'),
    bls_proof_of_possession: optionalHex(at, 'proofOfPossession'),
  }
}

const noBlockchain = {
  blockchain_name: null,
  vm_id: null,
  genesis_json: null,
  evm_chain_id: null,
  evm_fee_config: null,
}

function blockchain(at: Reading) {
  return {
    blockchain_name: optionalText(at, 'chainName'),
    vm_id: optionalWord(at, 'vmId'),
    ...genesisColumns(raw(at, 'genesisData')),
  }
}
