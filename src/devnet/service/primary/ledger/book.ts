import { decodeCb58, idText } from '../../../../codec/cb58.ts'
import { utxoId } from '../../../../codec/ids.ts'
import { nativeAssetText } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Asset, LedgerTx, Utxo } from './model.ts'
import { createOwnerTexts, type OwnerTexts } from './texts.ts'

/** An input as a transaction states it; `amount` is null where the input states none. */
export type Spent = {
  readonly key: string
  readonly asset: string
  readonly amount: bigint | null
  readonly signatures: readonly string[]
}

/** The UTXOs of all chains and who has consumed them. */
export type Book = {
  readonly ownerOf: OwnerTexts
  readonly assets: Map<string, Asset>
  /** Every UTXO in the order of its emission. */
  readonly utxos: readonly Utxo[]
  emit(utxo: Omit<Utxo, 'id' | 'consumption'>, txId?: Uint8Array): Utxo
  /** Notes inputs: they are linked by `link`, when every chain has emitted what it has. */
  spend(tx: LedgerTx, on: ChainAlias, inputs: readonly Spent[]): void
  /** Links noted inputs with the UTXOs they consume. Throws `RangeError` for what does not add up. */
  link(): void
}

export function keyOf(txId: string, index: number): string {
  return `${txId}:${index}`
}

/** `linked` is told of every UTXO that a transaction consumes. */
export function createBook(genesisTime: number, linked: (utxo: Utxo, tx: LedgerTx) => void): Book {
  const byKey = new Map<string, Utxo>()
  const utxos: Utxo[] = []
  let noted: { tx: LedgerTx; on: ChainAlias; inputs: readonly Spent[] }[] = []
  const consume = (tx: LedgerTx, on: ChainAlias, { key, asset, amount, signatures }: Spent): void => {
    const utxo = byKey.get(key)
    const where = `${tx.type} ${tx.txId} on ${on}`
    if (utxo === undefined) throw new RangeError(`${where} consumes ${key}, which is not there`)
    if (utxo.consumption !== null) throw new RangeError(`${where} consumes ${key} again`)
    if (utxo.livesOn !== on) throw new RangeError(`${where} consumes ${key} of ${utxo.livesOn}`)
    if (utxo.asset !== asset || (amount !== null && utxo.amount !== amount))
      throw new RangeError(
        `${where} states ${amount} of ${asset} for ${key}, which has ${utxo.amount} of ${utxo.asset}`,
      )
    if (utxo.stake !== null && utxo.stake.ended === null) throw new RangeError(`${where} consumes ${key}, a stake`)
    utxo.consumption = { tx, signatures }
    tx.consumed.push(utxo)
    linked(utxo, tx)
  }
  return {
    ownerOf: createOwnerTexts(),
    assets: new Map([[nativeAssetText, nativeAsset(genesisTime)]]),
    utxos,
    emit: (draft, txId = decodeCb58(draft.txId)) => {
      const utxo: Utxo = { id: idText(utxoId(txId, draft.index)), ...draft, consumption: null }
      const key = keyOf(draft.txId, draft.index)
      if (byKey.has(key)) throw new RangeError(`${key} is emitted twice`)
      byKey.set(key, utxo)
      utxos.push(utxo)
      return utxo
    },
    spend: (tx, on, inputs) => {
      if (inputs.length > 0) noted.push({ tx, on, inputs })
    },
    link: () => {
      const linking = noted
      noted = []
      for (const { tx, on, inputs } of linking) for (const input of inputs) consume(tx, on, input)
    },
  }
}

function nativeAsset(createdAt: number): Asset {
  const names = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 }
  return { id: nativeAssetText, ...names, type: 'secp256k1', cap: 'fixed', createdAt }
}
