import type { EvmTransaction } from './state.ts'

/** Transactions in chain order, also by wallet. */
type TransactionLists = {
  readonly all: readonly EvmTransaction[]
  add(transaction: EvmTransaction): void
  with(wallet: string): readonly EvmTransaction[]
}

export function createTransactionLists(): TransactionLists {
  const all: EvmTransaction[] = []
  const byWallet = new Map<string, EvmTransaction[]>()
  const put = (wallet: string, transaction: EvmTransaction): void => {
    const list = byWallet.get(wallet)
    if (list === undefined) byWallet.set(wallet, [transaction])
    else list.push(transaction)
  }
  return {
    all,
    add: (transaction) => {
      const { from, to } = transaction
      all.push(transaction)
      put(from, transaction)
      if (to !== null && to !== from) put(to, transaction)
    },
    with: (wallet) => byWallet.get(wallet) ?? [],
  }
}
