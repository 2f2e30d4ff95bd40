import { idText } from '../../../../codec/ids.ts'
import type { UnsignedXTx, XState } from '../../../../codec/x.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Book } from './book.ts'
import type { OutputKind, Place, Utxo } from './model.ts'
import { aliasOf, hexOf } from './texts.ts'

const kinds: Readonly<Record<XState['type'], OutputKind>> = {
  'secp256k1fx.TransferOutput': 'transfer',
  'secp256k1fx.MintOutput': 'mint',
  'nftfx.MintOutput': 'nft_mint',
  'nftfx.TransferOutput': 'nft_transfer',
  'propertyfx.MintOutput': 'property_mint',
  'propertyfx.OwnedOutput': 'property_owned',
}

/** An output of an X-Chain transaction with its asset, in index order (wire-format.md 1.6). */
export type XProduced = {
  readonly asset: string
  readonly state: XState
  readonly origin: 'output' | 'export'
}

/** All outputs of a transaction. The asset that a CreateAssetTx creates has the id of that transaction. */
export function producedByX(tx: UnsignedXTx, txText: string): XProduced[] {
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

type Emission = { readonly txId: Uint8Array; readonly txText: string; readonly place: Place }

/** Emits the outputs that `producedByX` returned. */
export function emitX(
  book: Book,
  produced: readonly XProduced[],
  tx: UnsignedXTx,
  { txId, txText, place }: Emission,
): Utxo[] {
  const destination: ChainAlias = tx.type === 'ExportTx' ? aliasOf(tx.destinationChain) : 'X'
  return produced.map(({ asset, state, origin }, index) =>
    book.emit(
      {
        txId: txText,
        index,
        asset,
        amount: amountOfState(state),
        kind: kinds[state.type],
        groupId: 'groupID' in state ? state.groupID : null,
        payload: 'payload' in state ? hexOf(state.payload) : null,
        owner: book.ownerOf(state),
        stakeableLocktime: null,
        origin,
        createdOn: 'X',
        livesOn: origin === 'export' ? destination : 'X',
        created: place,
        rewardType: null,
        stake: null,
      },
      txId,
    ),
  )
}
