import type { UtxoOwner } from '../../service/primary/ledger/model.ts'

/** An owner as the methods of the P-Chain return it, with numbers as text. */
export function ownerJson({ locktime, threshold, addresses }: UtxoOwner) {
  return {
    locktime: locktime.toString(),
    threshold: String(threshold),
    addresses: addresses.map((address) => onChain('P', address)),
  }
}

/** An address with the prefix of a chain. */
export function onChain(chain: string, address: string): string {
  return `${chain}-${address}`
}
