import type { GrowingNetwork } from '../chains/growing-network.ts'
import { createEvmLedger } from './evm/execute.ts'
import type { EvmLedger } from './evm/state.ts'
import { createPrimaryLedger, type PrimaryLedger } from './primary/ledger/ledger.ts'
import { type L1Messages, l1MessagesOf } from './signatures.ts'

/** The ledgers of the chains. The first request that needs a ledger reads its chain; the ledger is extended as the head moves. */
export type Ledgers = Pick<GrowingNetwork, 'stores'> & {
  readonly primary: PrimaryLedger
  readonly evm: EvmLedger
  readonly messages: () => Promise<L1Messages>
}

/** `seed`: that of the network, which determines the genesis. */
export function createLedgers({ stores }: Pick<GrowingNetwork, 'stores'>, seed: number): Ledgers {
  return {
    stores,
    primary: createPrimaryLedger({ stores }, seed),
    evm: createEvmLedger(stores['C/block']),
    messages: l1MessagesOf(stores['P/block']),
  }
}
