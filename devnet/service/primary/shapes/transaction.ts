import type { Dialect } from '../../../index/methods.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { LedgerTx } from '../ledger/model.ts'
import type { Assets } from './assets.ts'
import { cTransactionHead } from './c-transaction.ts'
import { pTransactionHead } from './p-transaction.ts'
import { createUtxoTexts, inTransaction } from './utxo.ts'
import { xTransactionHead } from './x-transaction.ts'

/** Returns the JSON text of a transaction. */
export type TransactionText = (tx: LedgerTx) => string

/** Creates the texts of the transactions of a chain: the fields of the transaction, then its UTXOs. */
export function createTransactionTexts(assets: Assets, chain: ChainAlias, dialect: Dialect): TransactionText {
  const utxo = inTransaction(createUtxoTexts(assets, chain, dialect))
  return (tx) => {
    const head = JSON.stringify(headOf(assets, tx, dialect)).slice(0, -1)
    const consumed = `,"consumedUtxos":[${tx.consumed.map(utxo).join()}]`
    const emitted = `,"emittedUtxos":[${tx.emitted.map(utxo).join()}]`
    // The real service lists only the side of an atomic transaction that has UTXOs.
    if (tx.chain === 'C' && dialect === 'node') return `${head}${tx.type === 'ImportTx' ? consumed : emitted}}`
    return `${head}${consumed}${emitted}}`
  }
}

function headOf(assets: Assets, tx: LedgerTx, dialect: Dialect): object {
  if (tx.chain === 'P') return pTransactionHead(assets, tx)
  return tx.chain === 'X' ? xTransactionHead(assets, tx, dialect) : cTransactionHead(assets, tx, dialect)
}
