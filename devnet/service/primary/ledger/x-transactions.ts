import { idText } from '../../../../codec/ids.ts'
import type { UnsignedXTx, XInputValue, XTx } from '../../../../codec/x.ts'
import type { Spent } from './book.ts'
import type { Journal } from './journal.ts'
import type { Asset, Place, Vertex, XTransaction } from './model.ts'
import { aliasOf, hexOf, signatureText } from './texts.ts'
import { emitX, producedByX, type XProduced } from './x-outputs.ts'
import { tallyX } from './x-tally.ts'

type Where = { readonly place: Place; readonly vertex: Vertex | null }

/** Records an accepted X-Chain transaction and returns its id as text. */
export function enterX(journal: Journal, { unsignedTx: tx, credentials }: XTx, txId: Uint8Array, where: Where): string {
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
    emitted: emitX(book, produced, tx, { txId, txText, place }),
    sourceChain: tx.type === 'ImportTx' ? aliasOf(tx.sourceChain) : tx.type === 'ExportTx' ? 'X' : null,
    destinationChain: tx.type === 'ExportTx' ? aliasOf(tx.destinationChain) : tx.type === 'ImportTx' ? 'X' : null,
    vertex,
    assetCreated,
  }
  journal.x.push(transaction)
  tallyX(journal.tally, tx, produced)
  const signatures = credentials.map((credential) => credential.signatures.map(signatureText))
  const spent = [...transfersOf(tx).map(spentBy), ...consumedByOperations(tx)]
  const signed = spent.map((each, at) => ({ ...each, signatures: signatures[at] ?? [] }))
  book.spend(transaction, 'X', signed)
  return txText
}

/** Inputs in the order of their credentials. */
function transfersOf(tx: UnsignedXTx): XInputValue[] {
  return [...tx.inputs, ...(tx.type === 'ImportTx' ? tx.importedInputs : [])]
}

type Unsigned = Omit<Spent, 'signatures'>

function spentBy({ txID, outputIndex, assetID, input }: XInputValue): Unsigned {
  return { txId: idText(txID), index: outputIndex, asset: idText(assetID), amount: input.amount }
}

function consumedByOperations(tx: UnsignedXTx): Unsigned[] {
  if (tx.type !== 'OperationTx') return []
  return tx.operations.flatMap(({ assetID, inputIDs }) =>
    inputIDs.map(({ txID, outputIndex }) => {
      return { txId: idText(txID), index: outputIndex, asset: idText(assetID), amount: null }
    }),
  )
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
