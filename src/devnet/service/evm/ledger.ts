import { decodeCBlock } from '../../../codec/c/blocks.ts'
import { unwrap } from '../../../codec/proposervm.ts'
import type { GrowingNetwork } from '../../node/growing-network.ts'
import { createExecution } from './execute.ts'
import type { EvmLedger } from './state.ts'

/** So many containers are read at once; others get their turn in between. */
const chunk = 128

/** The ledger of a network's C chain, out of the bytes of its containers. Nothing is read before the first question. */
export function createEvmLedger({ stores }: Pick<GrowingNetwork, 'stores'>): EvmLedger {
  const store = stores['C/block']
  const { state, apply } = createExecution()
  const readTo = async (head: number): Promise<void> => {
    while (state.blocks.length < head) {
      const from = state.blocks.length
      const texts = await store.texts(from, Math.min(head, from + chunk))
      const containers = JSON.parse(`[${texts.toString('latin1')}]`) as readonly { readonly bytes: string }[]
      for (const { bytes } of containers) {
        // 0x before, a checksum of four bytes after.
        const { block } = unwrap(Buffer.from(bytes.slice(2, -8), 'hex'))
        apply(decodeCBlock(block, `C block ${state.blocks.length + 1}`))
      }
    }
  }
  let reading: Promise<void> = Promise.resolve()
  return {
    atHead: async () => {
      const head = store.count()
      if (state.blocks.length < head) {
        reading = reading.then(() => readTo(head))
        await reading
      }
      return state
    },
  }
}
