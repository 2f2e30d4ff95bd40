import { containerId, type OpenedContainer, openOnce, plainContainerId } from '../../codec/containers.ts'
import { decodingOf } from '../../codec/errors.ts'
import { ripemd160, sha256 } from '../../codec/hash.ts'
import { idText, nodeIdText, remembered } from '../../codec/ids.ts'
import type { containers } from '../../schemas/lake.ts'
import type { wrapperColumns } from '../../schemas/shared/block-columns.ts'
import type { RowOf, RowOfColumns, Table } from '../define/index.ts'
import { DecodeError, type ErrorFacts, OtherSourceError } from '../errors.ts'
import type { ChainContext, Container, HeightBlock } from '../model.ts'
import { addressTexts, boundedNumber, timeOf } from './values.ts'

/** The records with blocks of the P-Chain and X-Chain: containers of an index, or blocks by height. */
export type BlockRecord = Container | HeightBlock

function recordFacts(record: BlockRecord): { container: string; index: number } | { height: number } {
  return 'id' in record ? { container: record.id, index: record.index } : { height: record.height }
}

function recordName(record: BlockRecord): string {
  return 'id' in record ? `Container ${record.index}` : `Block ${record.height}`
}

/** Returns the time at which the indexing node accepted a container, in microseconds and in nanoseconds. */
export function acceptedColumns(container: Container): { accepted_at: bigint; accepted_at_ns: bigint } {
  return { accepted_at: container.acceptedAtNs / 1000n, accepted_at_ns: container.acceptedAtNs }
}

/**
 * Splits a container of a block index. Throws `DecodeError` if the id derived from the bytes differs from the node's. Such bytes never
 * become rows.
 */
export function openContainer(container: Container): OpenedContainer {
  const opened = openOnce(container.bytes)
  checkId(container, opened.id)
  return opened
}

export function checkId(container: Container, derived: string): void {
  if (derived === container.id) return
  throw new DecodeError(`The bytes of container ${container.index} do not give its id.`, {
    code: 'decode.container-id',
    details: { ...recordFacts(container), derived },
    hint: 'The answer is damaged: run again, or use another node.',
  })
}

/** Runs a decoder. Adds the record to a `DecodeError`. */
export function decoding<T>(record: BlockRecord, decode: () => T): T {
  return decodingOf(decode, () => {
    const id = 'id' in record ? ` (${record.id})` : ''
    return [`${recordName(record)}${id}`, recordFacts(record)]
  })
}

/**
 * Returns the bytes of the inner block of a record, and its container; null if the block was read by height. Throws `DecodeError` if the id
 * derived from the bytes of a container differs from the container's. A block by height has no separate id: only its reference to the previous
 * block verifies it.
 */
export function openBlock(record: BlockRecord): {
  readonly bytes: Uint8Array
  readonly opened: OpenedContainer | null
} {
  if (!('id' in record)) return { bytes: record.bytes, opened: null }
  const opened = openContainer(record)
  return { bytes: opened.wrapper.block, opened }
}

export function mustHaveHeight(record: BlockRecord, height: number): void {
  if ('id' in record || record.height === height) return
  throw new DecodeError(`The request was for block ${record.height}, and the node answered with block ${height}.`, {
    code: 'decode.block-height',
    details: recordFacts(record),
    hint: 'Run again, or use another node. Nothing of this unit was written.',
  })
}

/** The columns of the proposervm wrapper and of the index. They are the same in all tables of blocks. */
type WrapperColumns = RowOfColumns<typeof wrapperColumns>

/**
 * Returns a row with null in each column. A copy of it (`{ ...blank, column }`) is as fast as a literal that lists all columns. Its type has the
 * nullable columns only, so that a copy must state the others.
 */
export function blankRow<T extends Table>({ columns }: T): NullableColumns<RowOf<T>> {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, null])) as NullableColumns<RowOf<T>>
}

type NullableColumns<R> = { [K in keyof R as null extends R[K] ? K : never]: R[K] }

/** Fills the columns of the wrapper and of the index. They stay null for a block that was read by RPC, which knows neither. */
export function setWrapper(row: WrapperColumns, record: BlockRecord, opened: OpenedContainer | null): void {
  if (opened === null || !('id' in record)) return
  const { wrapper } = opened
  row.container_id = record.id
  row.container_index = record.index
  row.accepted_at = record.acceptedAtNs / 1000n
  row.accepted_at_ns = record.acceptedAtNs
  row.wrapper = wrapper.type
  row.wrapper_parent_id = opened.parentId
  row.byte_length = record.bytes.length
  if (wrapper.type !== 'block' && wrapper.type !== 'granite') return
  row.wrapper_time = timeOf(wrapper.time)
  row.wrapper_p_height = boundedNumber(wrapper.pHeight, 'wrapper.pChainHeight')
  // An unsigned block has no certificate (wire-format.md 1.4).
  row.proposer_node_id = wrapper.certificate.length === 0 ? null : nodeIdOf(wrapper.certificate)
  if (wrapper.type === 'block') return
  row.epoch_number = boundedNumber(wrapper.epoch.number, 'wrapper.epoch.number')
  row.epoch_start = timeOf(wrapper.epoch.start)
  row.epoch_p_height = boundedNumber(wrapper.epoch.pHeight, 'wrapper.epoch.pChainHeight')
}

/** A cache, because validators sign many blocks each, and hashing a certificate takes longer than comparing it. */
const nodeIdOf = remembered((certificate) => nodeIdText(ripemd160(sha256(certificate))))

/**
 * Creates a decoder of rows of the table `containers`. `index` is the last part of the path of the index: `block`, `tx` or `vtx`. The
 * decoder throws `DecodeError` if the id derived from the bytes of a container differs from its id.
 */
export function decodeRawContainer(
  index: string,
): (container: Container, context: ChainContext) => { containers: RowOf<typeof containers>[] } {
  const derive = index === 'block' ? containerId : plainContainerId
  return (container, context) => {
    checkId(
      container,
      decoding(container, () => derive(container.bytes)),
    )
    return {
      containers: [
        {
          network: context.network,
          chain: index === 'block' ? context.chain : `${context.chain}/${index}`,
          container_index: container.index,
          container_id: container.id,
          ...acceptedColumns(container),
          bytes: container.bytes,
        },
      ],
    }
  }
}

/** The first fields of a transaction of the P-Chain, X-Chain or C-Chain. Transactions that a chain creates itself do not have them. */
type Stated = { readonly networkID: number; readonly blockchainID: Uint8Array }

/**
 * Throws `OtherSourceError` if a transaction states another network or chain than its record was requested from. A node may name one
 * network and serve the blocks of another. `txId` is called only for the error.
 */
export function mustBeOfNetwork(
  tx: Stated | object,
  record: BlockRecord,
  context: ChainContext,
  txId: () => string,
): void {
  if (!('networkID' in tx)) return
  if (tx.networkID !== context.networkId)
    throw otherNetwork(`a transaction of network ${tx.networkID}`, record, context, {
      transaction: txId(),
      'network id stated': tx.networkID,
      'network id of the lake': context.networkId,
    })
  mustBeOfChain(tx.blockchainID, record, context, () => ({ transaction: txId() }))
}

/**
 * Like `mustBeOfNetwork`, for the chain only. If the context has only the chain's alias, the stated id is not compared. Another chain is
 * requested by its id, so no node can confuse it.
 */
export function mustBeOfChain(
  stated: Uint8Array,
  record: BlockRecord,
  context: ChainContext,
  facts: () => ErrorFacts = () => ({}),
): void {
  const { chain, blockchainId } = context
  const found = idText(stated)
  if (found === blockchainId || chain === blockchainId || !['P', 'X', 'C'].includes(chain)) return
  throw otherNetwork('another blockchain', record, context, {
    ...facts(),
    'blockchain stated': found,
    'blockchain of the lake': blockchainId,
  })
}

/** Like `mustBeOfNetwork`, for the chain id that the signature of an EVM transaction covers. Null: the signature covers none. */
export function mustBeSignedFor(
  signed: bigint | null,
  record: BlockRecord,
  context: ChainContext,
  transaction: string,
): void {
  if (signed === null || context.evmChainId === null || signed === BigInt(context.evmChainId)) return
  throw otherNetwork(`a transaction that was signed for EVM chain ${signed}`, record, context, {
    transaction,
    'EVM chain id signed': signed,
    [`EVM chain id of ${context.network}`]: context.evmChainId,
  })
}

function otherNetwork(
  what: string,
  record: BlockRecord,
  { network, chain }: ChainContext,
  facts: ErrorFacts,
): OtherSourceError {
  return new OtherSourceError(`${recordName(record)} of the ${chain} chain of ${network} holds ${what}.`, {
    details: { ...recordFacts(record), ...facts },
    hint: 'Nothing of this unit was written. The node serves another network or chain than it names: use a node that serves its own network, and give another network another --lake.',
  })
}

export function signatureCount(credentials: readonly { readonly signatures: readonly unknown[] }[]): number {
  let count = 0
  for (const { signatures } of credentials) count += signatures.length
  return count
}

type Transfer = { readonly asset_id: string; readonly amount: bigint | null }

/**
 * Returns the native asset in inputs minus that in outputs, in nAVAX. Both lists of rows are summed from a given row on. Null if the native
 * asset is unknown.
 */
export function nativeLeft(
  inputs: readonly Transfer[],
  firstInput: number,
  outputs: readonly Transfer[],
  firstOutput: number,
  nativeAssetId: string | null,
): bigint | null {
  if (nativeAssetId === null) return null
  return sumOf(inputs, firstInput, nativeAssetId) - sumOf(outputs, firstOutput, nativeAssetId)
}

function sumOf(rows: readonly Transfer[], first: number, assetId: string): bigint {
  let sum = 0n
  for (let i = first; i < rows.length; i++) {
    const { asset_id, amount } = rows[i]!
    if (asset_id === assetId && amount !== null) sum += amount
  }
  return sum
}

/** An owner as the codec returns it. Owners of L1 validators have no locktime (Unix seconds). */
type OwnerValue = {
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
  readonly locktime?: bigint
}

type OwnerCells<P extends string> = { [K in `${P}_threshold`]: number | bigint | null } & {
  [K in `${P}_locktime`]: bigint | null
} & { [K in `${P}_addresses`]: string[] | null }

export function setOwner<const P extends string>(row: OwnerCells<P>, prefix: P, owner: OwnerValue, hrp: string): void {
  const cells = row as Record<string, unknown>
  cells[`${prefix}_threshold`] = owner.threshold
  cells[`${prefix}_locktime`] = owner.locktime ?? null
  cells[`${prefix}_addresses`] = addressTexts(hrp, owner.addresses)
}
