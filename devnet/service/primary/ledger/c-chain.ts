import { type AtomicTx, cBlock, decodeExtData, type UnsignedAtomicTx } from '../../../../codec/c.ts'
import { unwrap } from '../../../../codec/containers.ts'
import { idText } from '../../../../codec/ids.ts'
import { keccak256 } from '../../../../codec/keccak.ts'
import { decodeWithSpans } from '../../../../codec/linear.ts'
import { hex0x } from '../../../lib.ts'
import { aliasOf, type Follower, type Journal, signatureText } from './book.ts'
import type { CTransaction, EvmSide, Place, Utxo } from './model.ts'
import { tallyAtomic } from './tally.ts'

/** Follows the atomic transactions of the C-Chain. */
export function createCFollower(journal: Journal): Follower {
  return {
    add: (container) => {
      const { block: bytes } = unwrap(container.bytes)
      const { value: block, spans } = decodeWithSpans(cBlock, bytes, `C ${container.index}`)
      const { txs, txIds } = decodeExtData(block.extData, `C ${container.index}`)
      if (txs.length === 0) return
      const place: Place = {
        height: Number(block.header.number),
        blockId: hex0x(keccak256(bytes.subarray(spans[0], spans[1]))),
        time: Number(block.header.timestamp),
      }
      txs.forEach((tx, position) => {
        enterAtomic(journal, tx, txIds[position]!, place)
      })
    },
  }
}

function enterAtomic(
  journal: Journal,
  { unsignedTx: tx, credentials }: AtomicTx,
  txId: Uint8Array,
  place: Place,
): void {
  const { book } = journal
  const txText = idText(txId)
  const signatures = credentials.map((credential) => credential.signatures.map(signatureText))
  const transaction: CTransaction = {
    chain: 'C',
    txId: txText,
    type: tx.type,
    place,
    order: journal.c.length,
    memo: '',
    consumed: [],
    emitted: tx.type === 'ExportTx' ? emitExports(journal, tx, txText, place) : [],
    sourceChain: tx.type === 'ImportTx' ? aliasOf(tx.sourceChain) : 'C',
    destinationChain: tx.type === 'ExportTx' ? aliasOf(tx.destinationChain) : 'C',
    evm: evmSides(tx, signatures),
  }
  journal.c.push(transaction)
  tallyAtomic(journal.tally, tx)
  if (tx.type === 'ExportTx') return
  const spent = tx.importedInputs.map(({ txID, outputIndex, assetID, input }, at) => ({
    txId: idText(txID),
    index: outputIndex,
    asset: idText(assetID),
    amount: input.amount,
    signatures: signatures[at] ?? [],
  }))
  book.spend(transaction, 'C', spent)
}

function evmSides(tx: UnsignedAtomicTx, signatures: readonly (readonly string[])[]): EvmSide[] {
  const sides = tx.type === 'ImportTx' ? tx.outputs : tx.inputs
  return sides.map(({ address, amount, assetID }, at) => ({
    address: hex0x(address),
    asset: idText(assetID),
    amount,
    signatures: tx.type === 'ImportTx' ? [] : (signatures[at] ?? []),
  }))
}

type ExportTx = Extract<UnsignedAtomicTx, { type: 'ExportTx' }>

function emitExports({ book }: Journal, tx: ExportTx, txId: string, created: Place): Utxo[] {
  const common = { origin: 'export', createdOn: 'C', livesOn: aliasOf(tx.destinationChain), created } as const
  return tx.exportedOutputs.map(({ assetID, output }, index) =>
    book.emit({ txId, index, asset: idText(assetID), amount: output.amount, owner: book.ownerOf(output), ...common }),
  )
}
