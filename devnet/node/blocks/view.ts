import type { DevnetRequest } from '../../http/request.ts'
import type { ContainerStore } from '../../index/store.ts'
import { storeUnder } from '../../index/view.ts'
import { type ChainBlocks, chainBlocks } from './chain-blocks.ts'

/** The blocks of a chain that a request sees. A fault can replace them by others. */
export type BlocksView = (request: DevnetRequest) => Promise<ChainBlocks>

/** Containers of a chain, and its block of height 0. */
export type BlockSource = { readonly store: ContainerStore; readonly genesis: () => Promise<Uint8Array> }

export function viewOfBlocks(own: BlockSource, other: () => Promise<BlockSource>): BlocksView {
  const blocks = chainBlocks(own.store, own.genesis)
  return async ({ fault }) => {
    if (fault === null) return blocks
    const seen = await storeUnder(fault, own.store, async () => (await other()).store)
    if (seen === own.store) return blocks
    return chainBlocks(seen, fault === 'other-chain' ? (await other()).genesis : own.genesis)
  }
}
