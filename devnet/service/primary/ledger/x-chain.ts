import { unwrap } from '../../../../codec/containers.ts'
import { sha256 } from '../../../../codec/hash.ts'
import { idText, txIdInBlock } from '../../../../codec/ids.ts'
import { decodeExactly, decodeWithSpans } from '../../../../codec/linear.ts'
import { signedXTx, type UnsignedXTx, type XCodec, type XState, type XTx, xVertex } from '../../../../codec/x.ts'
import { hexOf } from '../../../lib.ts'
import type { ChainAlias } from '../../../network/state.ts'
import { aliasOf, type Book, type Follower, type Journal, proposerOf, type Spent, signatureText } from './book.ts'
import type { Asset, OutputKind, Place, Utxo, Vertex, XTransaction } from './model.ts'
import { tallyX } from './tally.ts'

/** Follows X/block, or the blocks of another chain of the asset VM. */
export function createXFollower(journal: Journal, codec: XCodec): Follower {
  return {
    add: (container) => {
      const wrapper = unwrap(container.bytes)
      const { value: block, spans } = decodeWithSpans(codec.block, wrapper.block, `X ${container.index}`)
      const blockId = idText(sha256(wrapper.block))
      const place: Place = { height: Number(block.height), blockId, time: Number(block.time) }
      journal.times.X = place.time
      journal.tally.add('x_blocks')
      const txIds = block.txs.map((tx, position) => {
        const slice = wrapper.block.subarray(spans[2 * position]!, spans[2 * position + 1]!)
        return enterX(journal, tx, txIdInBlock(slice), { place, vertex: null })
      })
      const proposer = proposerOf(container, wrapper)
      if (proposer === null) return
      const bytes = wrapper.block.length
      const parentId = idText(block.parentID)
      journal.proposed.push({ chain: 'X', place, parentId, type: block.type, txIds, bytes, state: null, proposer })
    },
  }
}

/** Follows X/vtx, the X-Chain from before it was linear. A vertex contains complete transactions. */
export function createVertexFollower(journal: Journal): Follower {
  return {
    add: ({ id, bytes, index, acceptedAt }) => {
      const value = decodeExactly(xVertex, bytes, `X/vtx ${index}`)
      const txs = value.type === 'Vertex' ? value.txs : []
      const txIds = txs.map(sha256)
      const vertex: Vertex = {
        id,
        parentIds: value.parentIDs.map(idText),
        height: Number(value.height),
        index,
        time: acceptedAt,
        txIds: txIds.map(idText),
        bytes: bytes.length,
      }
      journal.vertices.push(vertex)
      journal.times.X = acceptedAt
      journal.tally.add('x_vertices')
      const place: Place = { height: vertex.height, blockId: id, time: acceptedAt }
      txs.forEach((tx, position) => {
        enterX(journal, decodeExactly(signedXTx, tx, `X/vtx ${index}`), txIds[position]!, { place, vertex })
      })
    },
  }
}

type Where = { readonly place: Place; readonly vertex: Vertex | null }

/** Records an accepted X-Chain transaction and returns its id as text. */
function enterX(journal: Journal, { unsignedTx: tx, credentials }: XTx, txId: Uint8Array, where: Where): string {
  const { book } = journal
  const { place, vertex } = where
  const txText = idText(txId)
  const produced = producedByX(tx, txText)
  const assetCreated = tx.type === 'CreateAssetTx' ? assetOf(tx, txText, place.time, produced) : null
  if (assetCreated !== null) book.assets.set(txText, assetCreated)
  const transaction: XTransaction = {
    chain: 'X',
    txId: txText,
    type: tx.type,
    place,
    order: journal.x.length,
    memo: hexOf(tx.memo),
    consumed: [],
    emitted: emitX(book, produced, tx, txText, place),
    sourceChain: tx.type === 'ImportTx' ? aliasOf(tx.sourceChain) : tx.type === 'ExportTx' ? 'X' : null,
    destinationChain: tx.type === 'ExportTx' ? aliasOf(tx.destinationChain) : tx.type === 'ImportTx' ? 'X' : null,
    vertex,
    assetCreated,
  }
  journal.x.push(transaction)
  tallyX(journal.tally, tx, produced)
  const signatures = credentials.map((credential) => credential.signatures.map(signatureText))
  const spent = inputsOf(tx).map((each, at) => ({ ...each, signatures: signatures[at] ?? [] }))
  book.spend(transaction, 'X', spent)
  return txText
}

/** Inputs in the order of their credentials. Operations do not state amounts. */
function inputsOf(tx: UnsignedXTx): Omit<Spent, 'signatures'>[] {
  const transfers = [...tx.inputs, ...(tx.type === 'ImportTx' ? tx.importedInputs : [])]
  const operations = tx.type === 'OperationTx' ? tx.operations : []
  return [
    ...transfers.map(({ input, ...each }) => ({ ...each, amount: input.amount })),
    ...operations.flatMap(({ assetID, inputIDs }) => inputIDs.map((each) => ({ ...each, assetID, amount: null }))),
  ].map(({ txID, outputIndex, assetID, amount }) => {
    return { txId: idText(txID), index: outputIndex, asset: idText(assetID), amount }
  })
}

type CreateAssetTx = Extract<UnsignedXTx, { type: 'CreateAssetTx' }>

function assetOf(tx: CreateAssetTx, id: string, createdAt: number, produced: readonly XProduced[]): Asset {
  const states = produced.slice(tx.outputs.length).map(({ state }) => state.type)
  const { name, symbol, denomination } = tx
  return {
    id,
    name,
    symbol,
    denomination,
    type: states.some((type) => type.startsWith('nftfx')) ? 'nft' : 'secp256k1',
    cap: states.some((type) => type.endsWith('.MintOutput')) ? 'variable' : 'fixed',
    createdAt,
  }
}

const kinds: Readonly<Record<XState['type'], OutputKind>> = {
  'secp256k1fx.TransferOutput': 'transfer',
  'secp256k1fx.MintOutput': 'mint',
  'nftfx.MintOutput': 'nft_mint',
  'nftfx.TransferOutput': 'nft_transfer',
  'propertyfx.MintOutput': 'property_mint',
  'propertyfx.OwnedOutput': 'property_owned',
}

/** An output of an X-Chain transaction with its asset, in index order (wire-format.md 1.6). */
type XProduced = {
  readonly asset: string
  readonly state: XState
  readonly origin: 'output' | 'export'
}

/** All outputs of a transaction. The asset that a CreateAssetTx creates has the id of that transaction. */
function producedByX(tx: UnsignedXTx, txText: string): XProduced[] {
  const of = (asset: string, state: XState, origin: XProduced['origin'] = 'output'): XProduced => {
    return { asset, state, origin }
  }
  const base = tx.outputs.map(({ assetID, output }) => of(idText(assetID), output))
  switch (tx.type) {
    case 'CreateAssetTx':
      return [...base, ...tx.initialStates.flatMap(({ outputs }) => outputs.map((state) => of(txText, state)))]
    case 'OperationTx':
      return [
        ...base,
        ...tx.operations.flatMap(({ assetID, operation }) => {
          return producedByOperation(operation).map((state) => of(idText(assetID), state))
        }),
      ]
    case 'ExportTx':
      return [...base, ...tx.exportedOutputs.map(({ assetID, output }) => of(idText(assetID), output, 'export'))]
  }
  return base
}

type Operation = Extract<UnsignedXTx, { type: 'OperationTx' }>['operations'][number]['operation']

function producedByOperation(operation: Operation): XState[] {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
      return [
        { type: 'secp256k1fx.MintOutput', ...operation.mintOutput },
        { type: 'secp256k1fx.TransferOutput', ...operation.transferOutput },
      ]
    case 'nftfx.MintOperation': {
      const { groupID, payload, outputs } = operation
      return outputs.map((owner) => ({ type: 'nftfx.TransferOutput', groupID, payload, ...owner }))
    }
    case 'nftfx.TransferOperation':
      return [{ type: 'nftfx.TransferOutput', ...operation.output }]
    case 'propertyfx.MintOperation':
      return [
        { type: 'propertyfx.MintOutput', ...operation.mintOutput },
        { type: 'propertyfx.OwnedOutput', ...operation.ownedOutput },
      ]
    case 'propertyfx.BurnOperation':
      return []
  }
}

/** Amount of an output: 0 for rights, 1 for a token. */
function amountOfState(state: XState): bigint {
  if ('amount' in state) return state.amount
  return state.type === 'nftfx.TransferOutput' ? 1n : 0n
}

/** Emits the outputs that `producedByX` returned. */
function emitX(book: Book, produced: readonly XProduced[], tx: UnsignedXTx, txId: string, created: Place): Utxo[] {
  const destination: ChainAlias = tx.type === 'ExportTx' ? aliasOf(tx.destinationChain) : 'X'
  return produced.map(({ asset, state, origin }, index) =>
    book.emit({
      txId,
      index,
      asset,
      amount: amountOfState(state),
      kind: kinds[state.type],
      groupId: 'groupID' in state ? state.groupID : null,
      payload: 'payload' in state ? hexOf(state.payload) : null,
      owner: book.ownerOf(state),
      origin,
      createdOn: 'X',
      livesOn: origin === 'export' ? destination : 'X',
      created,
    }),
  )
}
