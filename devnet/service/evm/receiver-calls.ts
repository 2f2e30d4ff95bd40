import { zeroAddress } from './contracts/contract.ts'
import type { EvmState, EvmTransfer } from './state.ts'

/** Gas that the receiver of a token gets for its answer, and what it uses. */
export const receiverGas = { limit: 30_000, used: 2_300 } as const

/**
 * The internal transactions of wallets on the simulated chain, oldest first: contracts of ERC-721 and ERC-1155 call the receiver of a transfer, once
 * per event. Each call is described by the first transfer of its event.
 */
export function receiverCallsOf(state: EvmState, wallet: string): EvmTransfer[] {
  const received = (['ERC-721', 'ERC-1155'] as const).flatMap((standard) =>
    state.transfersWith(wallet, standard).filter(({ to }) => to === wallet && to !== zeroAddress),
  )
  const events = new Map(received.toReversed().map((transfer) => [eventOf(transfer), transfer]))
  return [...events.values()].sort((a, b) => a.block.number - b.block.number || a.logIndex - b.logIndex)
}

function eventOf({ block, logIndex }: EvmTransfer): string {
  return `${block.number}/${logIndex}`
}
