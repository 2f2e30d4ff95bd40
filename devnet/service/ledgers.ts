import type { IndexPath } from '../chains/network.ts'
import type { ContainerStore } from '../index/store.ts'
import { createEvmLedger } from './evm/execute.ts'
import type { EvmLedger } from './evm/state.ts'
import { createPrimaryLedger, type PrimaryLedger } from './primary/ledger/ledger.ts'
import { type L1Messages, l1MessagesOf } from './signatures.ts'

/** The data that the service is computed from. */
export type ServiceSource = {
  readonly stores: Readonly<Record<IndexPath, ContainerStore>>
  /** Seed of the network, which determines the genesis. */
  readonly seed: number
}

/** The ledgers of the chains. The first request that needs a ledger reads its chain; the ledger is extended as the head moves. */
export type Ledgers = {
  readonly primary: PrimaryLedger
  readonly evm: EvmLedger
  readonly messages: () => Promise<L1Messages>
}

export function createLedgers({ stores, seed }: ServiceSource): Ledgers {
  return {
    primary: createPrimaryLedger({ stores }, seed),
    evm: createEvmLedger(stores['C/block']),
    messages: l1MessagesOf(stores['P/block']),
  }
}
