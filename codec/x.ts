import { openOnce, parentText } from './containers.ts'
import * as fx from './fxs.ts'
import {
  baseTxFields,
  blockTypeId,
  type FxOrder,
  fxTypeIds,
  primaryFxs,
  transferableInput,
  transferableOutput,
  utxo,
  utxoIdFields,
} from './fxs.ts'
import {
  bytes,
  decodeExactly,
  id,
  list,
  type Schema,
  spanned,
  struct,
  text,
  u8,
  u32,
  u64,
  union,
  type ValueOf,
  versioned,
  versions,
} from './linear.ts'

export function xContainerHeight(container: Uint8Array): bigint {
  return xBlockHead(openOnce(container).wrapper.block).height
}

export function xContainerParent(container: Uint8Array): string {
  return parentText(container, xBlockParent)
}

/**
 * Returns the parts of transactions and UTXOs of a chain of the asset VM. The feature extensions determine the type ids (wire-format.md
 * 1.6).
 */
function xParts(order: FxOrder) {
  const typeIds = fxTypeIds(order)
  const input = union('input', numbered(typeIds, [fx.transferInput]))
  /** Outputs of transfers. All other outputs come from initial states and operations. */
  const output = union('output', numbered(typeIds, [fx.transferOutput]))
  /** Outputs of UTXOs. */
  const state = union(
    'output',
    numbered(typeIds, [
      fx.mintOutput,
      fx.transferOutput,
      fx.nftMintOutput,
      fx.nftTransferOutput,
      fx.propertyMintOutput,
      fx.propertyOwnedOutput,
    ]),
  )
  const operation = union(
    'operation',
    numbered(typeIds, [
      fx.mintOperation,
      fx.nftMintOperation,
      fx.nftTransferOperation,
      fx.propertyMintOperation,
      fx.propertyBurnOperation,
    ]),
  )
  const anyCredential = union('credential', numbered(typeIds, [fx.credential, fx.nftCredential, fx.propertyCredential]))
  return {
    state,
    operation,
    credential: anyCredential,
    transferableInput: transferableInput(input),
    transferableOutput: transferableOutput(output),
    utxo: utxo(state),
    base: baseTxFields(output, input),
  }
}
type XParts = ReturnType<typeof xParts>

type Variant = { readonly type: string; readonly tagged: Schema<any> }

/** Returns types by their ids. It leaves out types of feature extensions that the chain does not have. */
function numbered<V extends Variant>(typeIds: ReadonlyMap<string, number>, variants: readonly V[]) {
  const byId: { [typeId: number]: V } = {}
  for (const variant of variants) {
    const typeId = typeIds.get(variant.type)
    if (typeId !== undefined) byId[typeId] = variant
  }
  return byId as { readonly [typeId: number]: V }
}

const primaryParts: XParts = xParts(primaryFxs)
export const xUtxo: XParts['utxo'] = primaryParts.utxo

export type XInputValue = ValueOf<XParts['transferableInput']>
export type XState = ValueOf<XParts['state']>
export type XOperation = ValueOf<XParts['operation']>

/** Returns every transaction of a chain of the asset VM by its type id (wire-format.md 1.6), composed of these parts. */
export function xTransactions({ base, state, operation, credential, transferableInput, transferableOutput }: XParts) {
  /** `fxIndex` is the position in the order of the chain's feature extensions. */
  const initialState = struct('InitialState', { fxIndex: u32, outputs: list(state) })
  /** The id of this transaction is the id of the asset. */
  const createAssetTx = struct('CreateAssetTx', {
    ...base,
    name: text,
    symbol: text,
    denomination: u8,
    initialStates: list(initialState),
  })
  const operationOfAsset = struct('Operation', {
    assetID: id,
    inputIDs: list(struct('UTXOID', utxoIdFields)),
    operation,
  })
  const unsigned = union('X transaction', {
    0: struct('BaseTx', base),
    1: createAssetTx,
    2: struct('OperationTx', { ...base, operations: list(operationOfAsset) }),
    3: struct('ImportTx', { ...base, sourceChain: id, importedInputs: list(transferableInput) }),
    4: struct('ExportTx', { ...base, destinationChain: id, exportedOutputs: list(transferableOutput) }),
  })
  /** A transaction inside a block: without codec version. */
  const tx = struct('Tx', { unsignedTx: unsigned, credentials: list(credential) })
  return { createAssetTx, unsigned, tx }
}
type XTransactions = ReturnType<typeof xTransactions>
export type UnsignedXTx = ValueOf<XTransactions['unsigned']>
export type XTx = ValueOf<XTransactions['tx']>

export const primaryTransactions: XTransactions = xTransactions(primaryParts)
export const unsignedXTx: XTransactions['unsigned'] = primaryTransactions.unsigned

/** A transaction outside of a block, as in vertices and the index X/tx. The sha256 of these bytes is its id. */
export const signedXTx: Schema<XTx> = versioned(primaryTransactions.tx)

/** A block of a chain of the asset VM, inside a wrapper. `time` is in Unix seconds. Transactions are `spanned`. */
function xBlockSchema(order: FxOrder, tx: XTransactions['tx']) {
  const fields = { parentID: id, height: u64, time: u64, merkleRoot: id, txs: list(spanned(tx)) }
  const block = struct('StandardBlock', fields)
  return versioned(union('X block', { [blockTypeId(order)]: block } as { readonly [typeId: number]: typeof block }))
}

/** A block of the primary network's X-Chain since Cortina. The sha256 of these bytes is its id. */
export const xBlock: Schema<XBlockValue> = xBlockSchema(primaryFxs, primaryTransactions.tx)
export type XBlockValue = ValueOf<ReturnType<typeof xBlockSchema>>

const head = struct('StandardBlock', { parentID: id, height: u64 })
/** The first fields of every block. The type id depends on whether the chain has one, two or three feature extensions. */
const anyHead = versioned(union('X block', { 10: head, 15: head, 20: head }))
const headLength = 2 + 4 + 32 + 8

/** For any chain of the asset VM. Throws `DecodeError`. */
function xBlockHead(block: Uint8Array) {
  return decodeExactly(anyHead, block.subarray(0, headLength), 'block')
}

export function xBlockParent(block: Uint8Array): Uint8Array {
  return xBlockHead(block).parentID
}

/**
 * A vertex from before Cortina. The last vertex of a chain has version 1. `txs` are whole signed transactions (`signedXTx`). The sha256 of
 * its bytes is its id.
 */
export const xVertex = versions('vertex', {
  0: struct('Vertex', { chainID: id, height: u64, epoch: u32, parentIDs: list(id), txs: list(bytes) }),
  1: struct('StopVertex', { chainID: id, height: u64, parentIDs: list(id) }),
})

/** Reads and writes the bytes of a chain of the asset VM. */
export type XCodec = {
  readonly block: Schema<XBlockValue>
  /** A transaction outside of a block. */
  readonly signedTx: Schema<XTx>
  /** A UTXO in answers of nodes. */
  readonly utxo: Schema<ValueOf<XParts['utxo']>>
}

const primary: XCodec = { block: xBlock, signedTx: signedXTx, utxo: versioned(xUtxo) }
const others = new Map<string, XCodec>()

/** Returns the codec of a chain with this order of feature extensions. Null is the order of the primary network's X-Chain. */
export function xCodec(order: FxOrder | null): XCodec {
  if (order === null) return primary
  const key = order.join()
  const known = others.get(key) ?? codecOf(order)
  others.set(key, known)
  return known
}

function codecOf(order: FxOrder): XCodec {
  const parts = xParts(order)
  const { tx } = xTransactions(parts)
  return { block: xBlockSchema(order, tx), signedTx: versioned(tx), utxo: versioned(parts.utxo) }
}
