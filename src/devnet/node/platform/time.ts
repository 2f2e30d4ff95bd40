import { decodeExactly } from '../../../codec/linear/index.ts'
import { pBlock } from '../../../codec/p/blocks.ts'
import { unwrap } from '../../../codec/proposervm.ts'
import { type ContainerStore, containerBytes } from '../../index/store.ts'
import { genesisTime } from '../../network/eras.ts'

/** Time of the last accepted block: its own since Banff, its wrapper's before; Unix seconds. */
export async function lastBlockTime(store: ContainerStore): Promise<number> {
  const count = store.count()
  if (count === 0) return genesisTime
  const wrapper = unwrap(await containerBytes(store, count - 1))
  const block = decodeExactly(pBlock, wrapper.block, 'block')
  if ('time' in block) return Number(block.time)
  return wrapper.kind === 'block' ? Number(wrapper.time) : genesisTime
}
