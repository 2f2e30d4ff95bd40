import { zeroAddress } from './contracts/contract.ts'
import type { EvmTransfer, Standard } from './state.ts'

/** Transfers in chain order, also by contract and by wallet. */
type TransferLists = {
  readonly all: readonly EvmTransfer[]
  add(transfer: EvmTransfer): void
  of(contract: string): readonly EvmTransfer[]
  with(wallet: string, standard: Standard): readonly EvmTransfer[]
}

export function createTransferLists(): TransferLists {
  const all: EvmTransfer[] = []
  const byContract = new Map<string, EvmTransfer[]>()
  const byWallet = new Map<string, EvmTransfer[]>()
  const put = (lists: Map<string, EvmTransfer[]>, key: string, transfer: EvmTransfer): void => {
    const list = lists.get(key)
    if (list === undefined) lists.set(key, [transfer])
    else list.push(transfer)
  }
  return {
    all,
    add: (transfer) => {
      const { token, from, to } = transfer
      all.push(transfer)
      put(byContract, token.address, transfer)
      if (from !== zeroAddress) put(byWallet, token.standard + from, transfer)
      if (to !== zeroAddress && to !== from) put(byWallet, token.standard + to, transfer)
    },
    of: (contract) => byContract.get(contract) ?? [],
    with: (wallet, standard) => byWallet.get(standard + wallet) ?? [],
  }
}
