import { decodeCb58, idText } from '../../../codec/cb58.ts'
import { sha256 } from '../../../codec/hash.ts'
import { utxoId } from '../../../codec/ids.ts'
import { byMessage, byTransaction } from '../../../pipelines/shared/signature-request.ts'
import { cAtomicOutputs } from '../../../schemas/c-atomic-outputs.ts'
import { cBlocks } from '../../../schemas/c-blocks.ts'
import { cTransactions } from '../../../schemas/c-transactions.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { evmCalls } from '../../../schemas/evm-calls.ts'
import { evmCodeChanges } from '../../../schemas/evm-code-changes.ts'
import { evmCodes } from '../../../schemas/evm-codes.ts'
import { evmTokens } from '../../../schemas/evm-tokens.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import { tables } from '../../../schemas/index.ts'
import { nodeBlocks } from '../../../schemas/node-blocks.ts'
import { nodeEvmProofs } from '../../../schemas/node-evm-proofs.ts'
import { nodeRewardUtxos } from '../../../schemas/node-reward-utxos.ts'
import { nodeTransactions } from '../../../schemas/node-transactions.ts'
import { nodeUtxos } from '../../../schemas/node-utxos.ts'
import { nodeVmConfig } from '../../../schemas/node-vm-config.ts'
import { pOutputs } from '../../../schemas/p-outputs.ts'
import { pStateOutputs } from '../../../schemas/p-state-outputs.ts'
import { restSignedMessages } from '../../../schemas/rest-signed-messages.ts'
import { restUtxos } from '../../../schemas/rest-utxos.ts'
import { headerColumns, signedColumns } from '../../../schemas/shared/hashed-columns.ts'
import { xOutputs } from '../../../schemas/x-outputs.ts'
import { xStateOutputs } from '../../../schemas/x-state-outputs.ts'
import type { Inventory } from '../../catalog/catalog.ts'
import { keccakText } from '../../decode/evm/cell-rows.ts'
import { decodeBlock } from '../../decode/node/blocks.ts'
import { decodeTx } from '../../decode/node/transactions.ts'
import { decodeVmConfig } from '../../decode/node/vm-config.ts'
import type { ReadingContext, Table } from '../../define/index.ts'
import { parseLosslessJson } from '../../lib/text/json.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { versionHash } from '../../lookup/version-hash.ts'
import { evmChainId } from '../../sources/known-networks.ts'
import { hasOwnTypes } from '../lake/lake-fxs.ts'
import { chainName } from '../lake/row-place.ts'
import { provenAccount } from './account-proof.ts'
import { provenCall, provenToken } from './call-proof.ts'
import { headerHash, transactionHash } from './evm-hashes.ts'

type Row = Readonly<Record<string, any>>

/** Values that can be derived from other columns of the same row, such as hashes. */
export type RowProof = {
  readonly table: Table
  /** At least one of these columns is wrong when a derived value differs. */
  readonly columns: readonly string[]
  /** Returns the values that columns must have; empty if nothing can be derived. Throws a `ChainlakeError` if the row contradicts itself. */
  readonly derive: (row: Row, inventory: Inventory) => Row
}

/** Tables with the id of a UTXO, which is the hash of its transaction and index. */
const withUtxos = [pOutputs, xOutputs, cAtomicOutputs, pStateOutputs, xStateOutputs, nodeUtxos, restUtxos] as const

/** All proofs of single rows. */
export const rowProofs: readonly RowProof[] = [
  {
    table: nodeRewardUtxos,
    columns: ['tx_id', 'utxo_ids'],
    derive: ({ tx_id: txId, utxo_ids: ids }) => ({ utxo_ids: ids.filter(isUtxoOf(decodeCb58(txId))) }),
  },
  ...withUtxos.map(
    (table): RowProof => ({
      table,
      columns: ['utxo_id', 'tx_id', 'output_index'],
      derive: (row) =>
        row['utxo_id'] === null
          ? {}
          : { utxo_id: idText(utxoId(decodeCb58(row['tx_id']), Number(row['output_index']))) },
    }),
  ),
  ...(tables as readonly Table[])
    .filter(({ history }) => history === 'versions')
    .map((table): RowProof => {
      const hashOf = versionHash(table)
      const columns = Object.keys(table.columns).filter(
        (name) => !['observation_id', 'observed_at', 'present', ...table.notCompared].includes(name),
      )
      return { table, columns, derive: (row) => ({ version_hash: hashOf(row) }) }
    }),
  ...[cBlocks, evmBlocks].map(
    (table): RowProof => ({
      table,
      columns: headerColumns.filter((name) => name in table.columns),
      derive: (row, inventory) => (isOfCChain(row, inventory) ? headerHash(row) : {}),
    }),
  ),
  ...[cTransactions, evmTransactions].map(
    (table): RowProof => ({
      table,
      columns: signedColumns.filter((name) => name in table.columns),
      derive: (row, inventory) => (isOfCChain(row, inventory) ? transactionHash(row) : {}),
    }),
  ),
  {
    table: nodeTransactions,
    columns: ['blockchain_id', 'tx_id', 'tx_type', 'encoding', 'tx_bytes', 'tx_json'],
    derive: (row, inventory) => {
      const { tx_bytes: bytes, tx_json: json } = row
      if (bytes === null && json === null) return {}
      const { network, blockchain_id: blockchainId, tx_id: txId } = row
      const chain = chainName(inventory, network, blockchainId)
      // Other chains use different type numbers, but the position of the chain id in the bytes is the same.
      if (hasOwnTypes(chain))
        return json === null
          ? { tx_id: idText(sha256(bytes)), blockchain_id: idText(bytes.subarray(...blockchainPlace)) }
          : {}
      const namespace = chain === 'C' ? 'cx' : 'xvm'
      const answer =
        json === null ? { encoding: 'hexnc', tx: hexOf(bytes) } : { encoding: 'json', tx: parseLosslessJson(json) }
      const known = JSON.stringify({ tx_status: row['tx_status'], height: row['height'] })
      const [found] = decodeTx({ network, blockchainId, txId, namespace, fxs: null })(answer, context(row), known).rows
        .transactions
      return found ?? {}
    },
  },
  {
    table: nodeBlocks,
    columns: [
      'block_id',
      'height',
      'parent_id',
      'block_time',
      'block_type',
      'tx_count',
      'encoding',
      'block_bytes',
      'block_json',
    ],
    derive: (row, inventory) => {
      const { network, blockchain_id: blockchainId, block_id: blockId, block_bytes: bytes, block_json: json } = row
      const chain = chainName(inventory, network, blockchainId)
      if (hasOwnTypes(chain)) return json === null ? { block_id: idText(sha256(bytes)) } : {}
      const namespace = chain === 'P' ? 'platform' : 'xvm'
      const answer =
        json === null
          ? { encoding: 'hexnc', block: hexOf(bytes) }
          : { encoding: 'json', block: parseLosslessJson(json) }
      return (
        decodeBlock({ network, blockchainId, blockId, namespace, fxs: null })(answer, context(row)).rows.blocks[0] ?? {}
      )
    },
  },
  {
    table: nodeVmConfig,
    columns: Object.keys(nodeVmConfig.columns).slice(5),
    derive: (row) => {
      const { network, subject, blockchain_id: blockchainId } = row
      const answer = { config: parseLosslessJson(row['config']) }
      return decodeVmConfig({ network, subject, blockchainId })(answer, context(row)).rows.config[0] ?? {}
    },
  },
  {
    table: restSignedMessages,
    columns: [
      'request_hash',
      'tx_id',
      'message',
      'justification',
      'signing_subnet_id',
      'quorum_percentage',
      'quorum_percentage_buffer',
      'p_chain_height',
    ],
    derive: (row) =>
      row['tx_id'] === null
        ? byMessage(row['network'], {
            message: row['message'] ?? undefined,
            justification: row['justification'] ?? undefined,
            signingSubnetId: row['signing_subnet_id'] ?? undefined,
            quorumPercentage: row['quorum_percentage'],
            quorumPercentageBuffer: row['quorum_percentage_buffer'],
            pChainHeight: row['p_chain_height'] ?? 0,
          })
        : byTransaction(row['network'], row['tx_id']),
  },
  {
    table: evmCodes,
    columns: ['code', 'code_hash'],
    derive: ({ code }) => ({ code_hash: keccakText(code) }),
  },
  ...['before', 'after'].map((side): RowProof => {
    const [code, hash] = [`code_${side}`, `code_hash_${side}`]
    return { table: evmCodeChanges, columns: [code, hash], derive: (row) => ({ [hash]: keccakText(row[code]) }) }
  }),
  {
    table: evmCalls,
    columns: ['input_hash', 'function', 'input', 'arguments', 'output', 'outputs', 'error'],
    derive: provenCall,
  },
  {
    table: evmTokens,
    columns: Object.keys(evmTokens.columns).filter((name) => /^(name|symbol|decimals|total_supply)/.test(name)),
    derive: provenToken,
  },
  {
    table: nodeEvmProofs,
    columns: [
      'address',
      'balance',
      'balance_raw',
      'nonce',
      'code_hash',
      'storage_hash',
      'account_proof',
      'storage_proofs',
    ],
    derive: provenAccount,
  },
]

/** More outputs than the largest transaction can have. */
const mostOutputs = 4096

/** Whether the id of a UTXO belongs to an output of the transaction. A reward does not state the index of its output. */
function isUtxoOf(txId: Uint8Array): (id: string) => boolean {
  return (id) => {
    for (let index = 0; index < mostOutputs; index++) if (idText(utxoId(txId, index)) === id) return true
    return false
  }
}

/**
 * Whether a row belongs to the C-Chain of a network that the lake knows, or to a table of the C-Chain alone. Headers and transactions of other
 * EVM chains have different shapes.
 */
export function isOfCChain(row: Row, { networks }: Pick<Inventory, 'networks'>): boolean {
  const { network, chain_id: id } = row
  if (id === undefined) return true
  const known = networks.find((each) => each.network === network)
  return known !== undefined && String(evmChainId(known.networkId)) === id
}

/** An SQL condition for the rows of C-Chains, as `isOfCChain` tells them. */
export function ofCChains({ networks }: Pick<Inventory, 'networks'>): string {
  const each = networks.map(
    ({ network, networkId }) => `(network = ${sqlText(network)} AND chain_id = '${evmChainId(networkId)}')`,
  )
  return each.length === 0 ? 'false' : each.join(' OR ')
}

/** The bytes of the blockchain id: after the codec version, the type of the transaction and the network id. */
const blockchainPlace = [10, 42] as const

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function context(row: Row): ReadingContext {
  return {
    observationId: row['observation_id'] ?? '',
    observedAt: row['observed_at'] ?? 0n,
    unknownField: () => undefined,
    memory: new Map(),
  }
}
