import { sha256 } from '../../codec/hash.ts'
import { decodeCb58, idText, utxoId } from '../../codec/ids.ts'
import { createReader, type Reader, ReadFailure } from '../../codec/linear.ts'
import { enterList, enterString, isList, leaveList } from '../../codec/rlp.ts'
import { byMessage, byTransaction } from '../../pipelines/signatures.ts'
import { vmConfigList } from '../../pipelines/vm-config.ts'
import { tables } from '../../schemas/index.ts'
import { headerColumns, signedColumns } from '../../schemas/shared/evm-columns.ts'
import type { Inventory } from '../catalog/catalog.ts'
import { parseFunction } from '../decode/events/abi.ts'
import { numberColumns, outputsOf, textColumns, valuesReader } from '../decode/events/calls.ts'
import { keccakText } from '../decode/evm/state.ts'
import { decodeBlock, decodeTx } from '../decode/node/node.ts'
import { bytesOf, hexText } from '../decode/values.ts'
import { quietContext, type ReadingContext, type Table } from '../define/index.ts'
import { ChainlakeError, DecodeError } from '../errors.ts'
import { parseLosslessJson } from '../lib/json.ts'
import { versionHash } from '../lookup/row-identity.ts'
import { tableNamed, words } from './checks.ts'
import { headerHash, transactionHash, withColumnsRead } from './evm-blocks.ts'
import {
  type Checked,
  chainName,
  comparable,
  findingOfRow,
  firstFindings,
  type LakeRows,
  ofCChains,
  type Row,
  shownValue,
  tablesWithFiles,
} from './lake.ts'
import type { Finding, Unverifiable } from './report.ts'
import { hasOwnTypes, waitingFor } from './streams.ts'

const cBlocks = tableNamed('c_blocks')
const cTransactions = tableNamed('c_transactions')
const containers = tableNamed('containers')
const evmTokens = tableNamed('evm_tokens')
const nodeVmConfig = tableNamed('node_vm_config')

/** Values that can be derived from other columns of the same row, such as hashes. */
type RowProof = {
  readonly table: Table
  /** At least one of these columns is wrong when a derived value differs. */
  readonly columns: readonly string[]
  /** Returns the values that columns must have; empty if nothing can be derived. Throws a `ChainlakeError` if the row contradicts itself. */
  readonly derive: (row: Row, inventory: Inventory) => Row
  /** An SQL condition for the rows that it is about; all rows without it. */
  readonly only?: (inventory: Inventory) => string
}

/** Tables with the id of a UTXO, which is the hash of its transaction and index. */
const withUtxos = words('p_outputs x_outputs c_atomic_outputs p_state_outputs x_state_outputs node_utxos rest_utxos')

const proof = (table: Table | string, columns: string | readonly string[], derive: RowProof['derive']): RowProof => ({
  table: typeof table === 'string' ? tableNamed(table) : table,
  columns: typeof columns === 'string' ? words(columns) : columns,
  derive,
})

/** A proof of columns of all tables of EVM blocks or transactions, for the rows of the C-Chain. */
const ofCChain = (tables: readonly Table[], columns: readonly string[], derive: (row: Row) => Row): RowProof[] =>
  tables.map((table) => ({
    table,
    columns: columns.filter((name) => name in table.columns),
    derive,
    ...('chain_id' in table.columns ? { only: ofCChains } : {}),
  }))

export const rowProofs: readonly RowProof[] = [
  proof('node_reward_utxos', 'tx_id utxo_ids', ({ tx_id: txId, utxo_ids: ids }) => ({
    utxo_ids: ids.filter(isUtxoOf(decodeCb58(txId))),
  })),
  ...withUtxos.map((name) =>
    proof(name, 'utxo_id tx_id output_index', ({ utxo_id: id, tx_id: txId, output_index: index }) =>
      id === null ? {} : { utxo_id: idText(utxoId(decodeCb58(txId), Number(index))) },
    ),
  ),
  ...(tables as readonly Table[])
    .filter(({ history }) => history === 'versions')
    .map((table) => {
      const hashOf = versionHash(table)
      const not = ['observation_id', 'observed_at', 'present', ...table.notCompared]
      const columns = Object.keys(table.columns).filter((name) => !not.includes(name))
      return proof(table, columns, (row) => ({ version_hash: hashOf(row) }))
    }),
  ...ofCChain([cBlocks, tableNamed('evm_blocks')], headerColumns, headerHash),
  ...ofCChain([cTransactions, tableNamed('evm_transactions')], signedColumns, transactionHash),
  proof('node_transactions', 'blockchain_id tx_id tx_type encoding tx_bytes tx_json', provenTransaction),
  proof(
    'node_blocks',
    'block_id height parent_id block_time block_type tx_count encoding block_bytes block_json',
    provenBlock,
  ),
  proof(nodeVmConfig, Object.keys(nodeVmConfig.columns).slice(5), (row) => {
    const { network, subject, blockchain_id } = row
    const answer = { config: parseLosslessJson(row['config']) }
    return vmConfigList({ network, subject, blockchain_id })(answer, context(row)).rows.config[0] ?? {}
  }),
  proof(
    'rest_signed_messages',
    'request_hash tx_id message justification signing_subnet_id quorum_percentage quorum_percentage_buffer p_chain_height',
    (row) =>
      row['tx_id'] === null
        ? byMessage(row['network'], row as Parameters<typeof byMessage>[1])
        : byTransaction(row['network'], row['tx_id']),
  ),
  proof('evm_codes', 'code code_hash', ({ code }) => ({ code_hash: keccakText(code) })),
  ...['before', 'after'].map((side) =>
    proof('evm_code_changes', [`code_${side}`, `code_hash_${side}`], (row) => ({
      [`code_hash_${side}`]: keccakText(row[`code_${side}`]),
    })),
  ),
  proof('evm_calls', 'input_hash function input arguments output outputs error', provenCall),
  proof(
    evmTokens,
    Object.keys(evmTokens.columns).filter((name) => /^(name|symbol|decimals|total_supply)/.test(name)),
    provenToken,
  ),
  proof(
    'node_evm_proofs',
    'address balance balance_raw nonce code_hash storage_hash account_proof storage_proofs',
    provenAccount,
  ),
]

/** What a node answered: bytes, or JSON. `name`: of the record in the answer. */
const answered = (name: string, bytes: Uint8Array, json: string | null) =>
  json === null ? { encoding: 'hexnc', [name]: hexText(bytes) } : { encoding: 'json', [name]: parseLosslessJson(json) }

/** The columns of a transaction that follow from what a node answered. */
function provenTransaction(row: Row, inventory: Inventory): Row {
  const { network, blockchain_id: blockchainId, tx_id: txId, tx_bytes: bytes, tx_json: json } = row
  if (bytes === null && json === null) return {}
  const chain = chainName(inventory, network, blockchainId)
  // Other chains use different type numbers, but the position of the chain id in the bytes is the same.
  if (hasOwnTypes(chain))
    return json === null
      ? { tx_id: idText(sha256(bytes)), blockchain_id: idText(bytes.subarray(...blockchainPlace)) }
      : {}
  const namespace = chain === 'C' ? 'cx' : 'xvm'
  const known = JSON.stringify({ tx_status: row['tx_status'], height: row['height'] })
  const decodeAnswer = decodeTx({ network, blockchainId, txId, namespace, fxs: null })
  return decodeAnswer(answered('tx', bytes, json), context(row), known).rows.transactions[0] ?? {}
}

/** The columns of a block that follow from what a node answered. */
function provenBlock(row: Row, inventory: Inventory): Row {
  const { network, blockchain_id: blockchainId, block_id: blockId, block_bytes: bytes, block_json: json } = row
  const chain = chainName(inventory, network, blockchainId)
  if (hasOwnTypes(chain)) return json === null ? { block_id: idText(sha256(bytes)) } : {}
  const namespace = chain === 'P' ? 'platform' : 'xvm'
  const decodeAnswer = decodeBlock({ network, blockchainId, blockId, namespace, fxs: null })
  return decodeAnswer(answered('block', bytes, json), context(row)).rows.blocks[0] ?? {}
}

/** More outputs than the largest transaction can have. */
const mostOutputs = 4096

/** Whether the id of a UTXO belongs to an output of the transaction. A reward does not state the index of its output. */
function isUtxoOf(txId: Uint8Array): (id: string) => boolean {
  return (id) => {
    for (let index = 0; index < mostOutputs; index++) if (idText(utxoId(txId, index)) === id) return true
    return false
  }
}

/** The bytes of the blockchain id: after the codec version, the type of the transaction and the network id. */
const blockchainPlace = [10, 42] as const

function context(row: Row): ReadingContext {
  return quietContext(row['observation_id'], row['observed_at'])
}

/** Checks that derived columns of the rows of a table equal their derivation. */
export function verifyProof(rows: LakeRows, proof: RowProof): Promise<Checked> {
  const { table, columns, only } = proof
  const from = `FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${only?.(rows.inventory) ?? 'true'}`
  return firstFindings(async function* () {
    for await (const some of rows.engine.tableRows(withColumnsRead(table), from))
      for (const row of some as Row[]) {
        const wrong = contradictionOf(rows, proof, row)
        if (wrong !== null) yield [findingOfRow(rows, 'rows.value', table, row, { columns, ...wrong })]
      }
  })
}

function contradictionOf(
  { inventory }: LakeRows,
  { table, derive }: RowProof,
  row: Row,
): Pick<Finding, 'message' | 'expected' | 'found'> | null {
  try {
    const derived = derive(row, inventory)
    const column = Object.keys(derived).find((name) => comparable(derived[name]) !== comparable(row[name]))
    if (column === undefined) return null
    return {
      message: `${column} of a row of ${table.name} does not follow from its other columns.`,
      expected: shownValue(derived[column]),
      found: shownValue(row[column]),
    }
  } catch (error) {
    if (!(error instanceof ChainlakeError || error instanceof SyntaxError)) throw error
    return { message: `A row of ${table.name} contradicts itself: ${error.message}` }
  }
}

/** The columns of a call that follow from its function, its input and its output. */
function provenCall({ function: declared, input, status, output }: Row): Row {
  const hashed = { input_hash: keccakText(input) }
  if (declared === null) return { ...hashed, arguments: null, outputs: null }
  const { inputs, outputs } = parseFunction(declared, 'function')
  const read = outputs.length === 0 ? null : valuesReader(outputs)
  return {
    ...hashed,
    arguments: valuesReader(inputs)(input.subarray(4)),
    ...(status === 'ok' && output !== null ? outputsOf(output, read) : { outputs: null }),
  }
}

/** The columns of a token that follow from the outputs of its contract. */
function provenToken(row: Row): Row {
  return {
    ...textColumns('name', row['name_raw_output']),
    ...textColumns('symbol', row['symbol_raw_output']),
    ...numberColumns('decimals', row['decimals_raw_output']),
    ...numberColumns('total_supply', row['total_supply_raw_output']),
  }
}

type Item = Uint8Array | readonly Item[]

/**
 * The values of an account that its Merkle Patricia proofs show. Each node of a proof contains the hash of the next node, and the last node
 * holds the account. The root is in a block header. A proof that an account or slot does not exist shows no values.
 */
function provenAccount(row: Row): Row {
  const leaf = provenValue(row['account_proof'], bytesOf(row['address'])!, 'account_proof')
  const account = leaf === null ? null : decode(leaf)
  for (const { slot, slot_value: held, proof } of row['storage_proofs']) {
    const value = provenValue(proof, word(slot), 'storage_proofs')
    const found = value === null ? '0x0' : quantity(decode(value) as Uint8Array)
    if (found !== held)
      throw contradiction('storage_proofs', `The slot ${slot} holds ${held}, but its proof shows ${found}.`)
    if (proof.length > 0 && keccakText(proof[0]) !== row['storage_hash'])
      throw contradiction('storage_proofs', 'The root of the proof of a slot differs from storage_hash.')
  }
  if (account === null || !Array.isArray(account)) return {}
  const [nonce, balance, storage, code] = account as readonly Uint8Array[]
  return {
    nonce: integerOf(nonce!),
    balance_raw: integerOf(balance!).toString(),
    storage_hash: hexText(storage!),
    code_hash: hexText(code!),
  }
}

/** The value at a key, following the nodes from the root; null if the nodes prove that there is none. */
function provenValue(nodes: readonly Uint8Array[], key: Uint8Array, path: string): Uint8Array | null {
  if (nodes.length === 0) return null
  const nibbles = keccakText(key).slice(2)
  let step: Step = { at: 0, next: null }
  for (const [position, bytes] of nodes.entries()) {
    if (position > 0 && !isHashOf(step.next, bytes))
      throw contradiction(path, `Node ${position} of ${path} does not have the hash that the node before it states.`)
    const reached = follow(decode(bytes), nibbles, step.at)
    if (reached === null || 'value' in reached) return reached?.value ?? null
    step = reached
  }
  throw contradiction(path, `The nodes of ${path} end before the key does.`)
}

/** The position in the key after a node, and the reference to the next node. */
type Step = { readonly at: number; readonly next: Uint8Array | null }

/** Follows a key through a node, and through the nodes shorter than a hash that it contains. Null: there is no value at the key. */
function follow(node: Item, nibbles: string, at: number): Step | { readonly value: Uint8Array } | null {
  if (node instanceof Uint8Array) return node.length === 0 ? null : { at, next: node }
  if (node.length === 17) return follow(node[Number.parseInt(nibbles[at]!, 16)] as Item, nibbles, at + 1)
  const [compact, rest] = node as readonly [Uint8Array, Item]
  const { part, isLeaf } = partOf(compact)
  if (!nibbles.startsWith(part, at)) return null
  return isLeaf ? { value: rest as Uint8Array } : follow(rest, nibbles, at + part.length)
}

function isHashOf(reference: Uint8Array | null, bytes: Uint8Array): boolean {
  return reference !== null && reference.length === 32 && hexText(reference) === keccakText(bytes)
}

/** Decodes the path of a node: the first nibble says whether the node is a leaf, and whether the number of nibbles is odd. */
function partOf(compact: Uint8Array): { part: string; isLeaf: boolean } {
  const hex = hexText(compact).slice(2)
  const flag = Number.parseInt(hex[0] ?? '0', 16)
  return { part: hex.slice(flag % 2 === 1 ? 1 : 2), isLeaf: flag >= 2 }
}

function decode(bytes: Uint8Array): Item {
  const reader = createReader(bytes)
  try {
    const item = readItem(reader)
    if (reader.offset === bytes.length) return item
  } catch (error) {
    if (error instanceof ReadFailure) throw contradiction('account_proof', `A node of a proof: ${error.message}.`)
    throw error
  }
  throw contradiction('account_proof', 'A node of a proof has more bytes than its item.')
}

function readItem(reader: Reader): Item {
  if (!isList(reader)) {
    const length = enterString(reader)
    reader.offset += length
    return reader.bytes.subarray(reader.offset - length, reader.offset)
  }
  const end = enterList(reader)
  const items: Item[] = []
  while (reader.offset < end) items.push(readItem(reader))
  leaveList(reader, end)
  return items
}

function integerOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(hexText(bytes))
}

function quantity(bytes: Uint8Array): string {
  return `0x${integerOf(bytes).toString(16)}`
}

function word(hex: string): Uint8Array {
  return bytesOf(`0x${hex.slice(2).padStart(64, '0')}`)!
}

function contradiction(path: string, message: string): DecodeError {
  return new DecodeError(message, { code: 'decode.field', details: { path } })
}

/** These columns cannot be compared when the row of the subject in `observations` is missing. */
const observed = ['subject', 'observation_id', 'observed_at']
const now = 'nothing else in the lake holds these values: a node or service reported them at the time.'
const lost =
  'a repair removed rows that no source can provide again: rows of other tables that belong to them are not compared.'
const withoutRaw =
  'the lake has no raw containers for it (run with --raw to store them); verify --node compares a sample with a node.'

/** Columns that counts, hashes and neighbouring blocks prove even without raw containers. */
const linked = new Set([
  ...['network', 'blockchain_id', 'height', 'block_number', 'block_id', 'parent_id', 'block_time', 'tx_id', 'utxo_id'],
  ...['tx_count', 'transaction_count', 'atomic_transaction_count', 'input_count', 'output_count', 'operation_count'],
])
/** Columns of one table that the hash in the row proves. */
const hashed = new Map<Table, ReadonlySet<string>>([
  [cBlocks, new Set(headerColumns)],
  [cTransactions, new Set(signedColumns)],
])

/** The parts of a lake that cannot be verified, with the reasons. */
export function unverifiableOf(rows: LakeRows): Unverifiable[] {
  const there = tablesWithFiles(rows).filter(rows.looksAt)
  return [...there.flatMap((table) => [...unsaidOf(table), ...undecodedOf(rows, table)]), ...lostOf(rows)]
}

/** Tables that lost rows for good by a repair, while rows that belong to them remain. */
function lostOf({ inventory: { declared, withLosses }, looksAt }: LakeRows): Unverifiable[] {
  return declared
    .filter((table) => withLosses.has(table.name) && looksAt(table))
    .map(({ name }) => ({ table: name, reason: lost }))
}

function unsaidOf({ name, history, unproven: { never = [], partly = [] } }: Table): Unverifiable[] {
  const sometimes = history === 'observations' ? [...partly, ...observed] : partly
  if (never.length + sometimes.length === 0) return []
  return [
    {
      table: name,
      reason: now,
      ...(never.length === 0 ? {} : { columns: never }),
      ...(sometimes.length === 0 ? {} : { partly: [...new Set(sometimes)] }),
    },
  ]
}

/** Streams of containers with raw containers missing. */
function undecodedOf({ inventory }: LakeRows, table: Table): Unverifiable[] {
  if (table === containers || !/^[pxc]_/.test(table.name)) return []
  const isProven = (name: string) => linked.has(name) || hashed.get(table)?.has(name) === true
  const partly = Object.keys(table.columns).filter((name) => !isProven(name))
  return waitingFor(inventory, containers, table).map(({ stream }) => {
    return { table: table.name, stream, partly, reason: withoutRaw }
  })
}
