import { decodeCBlock } from '../../../codec/c.ts'
import { unwrap } from '../../../codec/containers.ts'
import type { GrowingNetwork } from '../../chains/growing-network.ts'
import { createFollower } from '../plumbing/follow.ts'
import { createExecution } from './execute.ts'
import type { EvmLedger } from './state.ts'

/** The ledger of a network's C-Chain, computed from the bytes of its containers. The first request starts the reading. */
export function createEvmLedger({ stores }: Pick<GrowingNetwork, 'stores'>): EvmLedger {
  const execution = createExecution()
  const follow = createFollower(stores['C/block'], execution, ({ apply }, { index, bytes }) => {
    apply(decodeCBlock(unwrap(bytes).block, `C container ${index}`))
  })
  return { atHead: async () => (await follow()).state }
}
