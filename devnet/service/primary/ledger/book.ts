import { decodeCb58, idText, utxoId } from '../../../../codec/ids.ts'
import { nativeAssetText } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Asset, LedgerTx, Utxo } from './model.ts'
import { createOwnerTexts, type OwnerTexts } from './texts.ts'

/** An input of a transaction; `amount` is null if the input states none. */
export type Spent = {
  /** The transaction of the consumed output; `index` is the index of the output. */
  readonly txId: string
  readonly index: number
  readonly asset: string
  readonly amount: bigint | null
  readonly signatures: readonly string[]
}

/** The UTXOs of all chains and the transactions that consumed them. */
export type Book = {
  readonly ownerOf: OwnerTexts
  readonly assets: Map<string, Asset>
  /** All UTXOs in the order of their emission. */
  readonly utxos: readonly Utxo[]
  /** The output of a transaction with this index; null if there is none. */
  find(txId: string, index: number): Utxo | null
  emit(utxo: Omit<Utxo, 'id' | 'consumption'>, txId?: Uint8Array): Utxo
  /** Records inputs. `link` links them once every chain has emitted its outputs. */
  spend(tx: LedgerTx, on: ChainAlias, inputs: readonly Spent[]): void
  /** Links the recorded inputs with the UTXOs that they consume. Throws `RangeError` for contradictions. */
  link(): void
}

/** Creates a book that calls `linked` with every UTXO that a transaction consumes. */
export function createBook(genesisTime: number, linked: (utxo: Utxo, tx: LedgerTx) => void): Book {
  /** The UTXOs of each transaction by index. */
  const byTx = new Map<string, Utxo[]>()
  const utxos: Utxo[] = []
  let noted: { tx: LedgerTx; on: ChainAlias; inputs: readonly Spent[] }[] = []
  const consume = (tx: LedgerTx, on: ChainAlias, spent: Spent): void => {
    const utxo = byTx.get(spent.txId)?.[spent.index]
    const wrong = utxo === undefined ? 'which is not there' : mistakeOf(utxo, on, spent)
    if (utxo === undefined || wrong !== null)
      throw new RangeError(`${tx.type} ${tx.txId} consumes ${spent.txId}:${spent.index}, ${wrong}`)
    utxo.consumption = { tx, signatures: spent.signatures }
    tx.consumed.push(utxo)
    linked(utxo, tx)
  }
  return {
    ownerOf: createOwnerTexts(),
    assets: new Map([[nativeAssetText, nativeAsset(genesisTime)]]),
    utxos,
    find: (txId, index) => byTx.get(txId)?.[index] ?? null,
    emit: (draft, txId = decodeCb58(draft.txId)) => {
      const utxo: Utxo = { id: idText(utxoId(txId, draft.index)), ...draft, consumption: null }
      const siblings = byTx.get(draft.txId) ?? []
      if (siblings[draft.index] !== undefined) throw new RangeError(`${draft.txId}:${draft.index} is emitted twice`)
      siblings[draft.index] = utxo
      byTx.set(draft.txId, siblings)
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

/** Why an input cannot consume this UTXO; null if it can. */
function mistakeOf(utxo: Utxo, on: ChainAlias, { asset, amount }: Spent): string | null {
  if (utxo.consumption !== null) return `which ${utxo.consumption.tx.txId} has consumed`
  if (utxo.livesOn !== on) return `which is on ${utxo.livesOn} and not on ${on}`
  if (utxo.stake !== null && utxo.stake.ended === null) return 'which is staked'
  if (utxo.asset === asset && (amount === null || utxo.amount === amount)) return null
  return `which holds ${utxo.amount} of ${utxo.asset} and not ${amount} of ${asset}`
}

function nativeAsset(createdAt: number): Asset {
  const names = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 }
  return { id: nativeAssetText, ...names, type: 'secp256k1', cap: 'fixed', createdAt }
}
