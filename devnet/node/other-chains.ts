import { blockTypeId } from '../../codec/fxs.ts'
import { xCodec } from '../../codec/x.ts'
import { rpcEndpoint } from '../http/json-rpc.ts'
import type { Route } from '../http/router.ts'
import type { Dialect } from '../index/methods.ts'
import { type ContainerStore, memoryStore } from '../index/store.ts'
import { createPrimaryLedger } from '../service/primary/ledger/ledger.ts'
import { xGenesisBlock } from '../x/chain/blocks.ts'
import { xBefore } from '../x/chain/chain.ts'
import type { OtherChain } from '../x/chain/other-chains.ts'
import { viewOfBlocks } from './blocks/view.ts'
import { named } from './namespaces.ts'
import { xvmMethods } from './xvm/methods.ts'

const nothing = memoryStore([])

/** The methods of a chain of the asset VM other than the X-Chain. Its path contains only its id, and no index contains it. */
export function otherChainRoute(chain: OtherChain, dialect: Dialect): Route {
  const { id, fxs, seed } = chain
  const linear = openedOnUse(chain.blocks)
  const stores = { 'P/block': nothing, 'X/block': linear, 'X/tx': nothing, 'X/vtx': nothing, 'C/block': nothing }
  const source = { store: linear, genesis: async () => xGenesisBlock(xBefore(seed), blockTypeId(fxs)) }
  const methods = xvmMethods({
    blocks: viewOfBlocks(source, async () => source),
    linear,
    vertices: nothing,
    transactions: nothing,
    ledger: createPrimaryLedger({ stores }, seed, xCodec(fxs)),
    other: { name: id, fxs },
  })
  return { path: `/ext/bc/${id}`, handle: rpcEndpoint(named('xvm', dialect, methods)) }
}

function openedOnUse(open: () => ContainerStore): ContainerStore {
  return {
    count: () => open().count(),
    texts: (from, to) => open().texts(from, to),
    indexOf: (id) => open().indexOf(id),
  }
}
