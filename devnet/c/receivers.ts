import { tokenContracts } from './contracts.ts'
import type { CState } from './state.ts'

/** A receiver of tokens. `position` is null for receivers that never send tokens. */
export type Receiver = { readonly address: Uint8Array; readonly position: number | null }

const contractAddresses = tokenContracts.map(({ address }) => Buffer.from(address.slice(2), 'hex'))

/** An account, a wallet that only receives, or (by mistake) a contract. */
export function someReceiver(state: CState): Receiver {
  const { random } = state.network
  const draw = random.below(40)
  if (draw === 0) return { address: random.pick(contractAddresses), position: null }
  return draw < 14 ? { address: random.pick(state.wallets), position: null } : someAccountAsReceiver(state)
}

export function someAccountAsReceiver({ network, accounts }: CState): Receiver {
  const position = network.random.below(accounts.length)
  return { address: accounts[position]!.address, position }
}

/** The position of an account with a balance; null if several tries found no such account. */
export function someOwner({ network, accounts }: CState, has: (position: number) => boolean): number | null {
  for (let tries = 0; tries < 6; tries += 1) {
    const position = network.random.below(accounts.length)
    if (has(position)) return position
  }
  return null
}
