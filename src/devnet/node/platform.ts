import { decodeExactly } from '../../codec/linear/index.ts'
import { pBlock } from '../../codec/p/blocks.ts'
import { unwrap } from '../../codec/proposervm.ts'
import type { CachedChain } from '../cache/format.ts'
import type { RpcMethods } from '../http/json-rpc.ts'
import { MethodError, textOf } from '../http/parameters.ts'
import type { ContainerStore } from '../index/store.ts'
import { genesisTime } from '../network/eras.ts'
import { chainTexts, nativeAssetText, vmTexts } from '../network/genesis.ts'

export type PlatformFacts = {
  readonly store: ContainerStore
  readonly chains: () => readonly CachedChain[]
}

const evmVm = 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy'

/** The methods of `/ext/bc/P` that say how far the chain is and what belongs to it. */
export function platformMethods({ store, chains }: PlatformFacts): RpcMethods {
  return {
    'platform.getHeight': () => [`{"height":"${store.count()}"}`],
    'platform.getProposedHeight': () => [`{"height":"${store.count()}"}`],
    'platform.getTimestamp': async () => {
      const time = await lastBlockTime(store)
      return [`{"timestamp":"${new Date(time * 1000).toISOString().replace('.000Z', 'Z')}"}`]
    },
    'platform.getStakingAssetID': () => [`{"assetID":"${nativeAssetText}"}`],
    'platform.getBlockchains': () => {
      const created = chains().map(({ id, name, subnetId }) => ({ id, name, subnetID: subnetId, vmID: evmVm }))
      const genesis = (['C', 'X'] as const).map((alias) => {
        return { id: chainTexts[alias], name: `${alias}-Chain`, subnetID: chainTexts.P, vmID: vmTexts[alias] }
      })
      return [JSON.stringify({ blockchains: [...created, ...genesis] })]
    },
    'platform.getBlockchainStatus': (parameters) => {
      const id = textOf(parameters, 'blockchainid')
      if (id === '') throw new MethodError("argument 'blockchainID' not given")
      const primary = Object.entries(chainTexts).some(([alias, text]) => alias === id || text === id)
      const created = chains().some((chain) => chain.id === id)
      return [`{"status":"${primary ? 'Syncing' : created ? 'Created' : 'Unknown'}"}`]
    },
  }
}

/** Time of the last accepted block: its own since Banff, its wrapper's before; Unix seconds. */
async function lastBlockTime(store: ContainerStore): Promise<number> {
  const count = store.count()
  if (count === 0) return genesisTime
  const { bytes } = JSON.parse((await store.texts(count - 1, count)).toString('latin1')) as { bytes: string }
  const wrapper = unwrap(Buffer.from(bytes.slice(2, -8), 'hex'))
  const block = decodeExactly(pBlock, wrapper.block, 'block')
  if ('time' in block) return Number(block.time)
  return wrapper.kind === 'block' ? Number(wrapper.time) : genesisTime
}
