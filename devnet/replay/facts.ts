import { unwrap } from '../../codec/containers.ts'
import { idText } from '../../codec/ids.ts'
import { decodeExactly } from '../../codec/linear.ts'
import { pBlock } from '../../codec/p.ts'
import { type ContainerStore, containerBytes } from '../index/store.ts'
import type { NetworkFacts } from '../node/info.ts'

/**
 * Facts of the network that containers reveal, for recordings without the calls that return them; null if the containers reveal nothing.
 */
export async function recordedFacts(stores: ReadonlyMap<string, ContainerStore>): Promise<NetworkFacts | null> {
  const [p, x] = [stores.get('P/block'), stores.get('X/tx')]
  const said = (p === undefined ? null : await saidByBlocks(p)) ?? (x === undefined ? null : await saidByTxs(x))
  if (said === null) return null
  const networkName = said.networkId === 12345 ? 'local' : `network-${said.networkId}`
  return { ...said, networkName, upgrades: {} }
}

type Said = Pick<NetworkFacts, 'networkId' | 'chainIds'>

/** The network and chain in the first P-Chain transaction that names its network. */
async function saidByBlocks(store: ContainerStore): Promise<Said | null> {
  for (let index = 0; index < store.count(); index += 1) {
    const block = decodeExactly(pBlock, unwrap(await containerBytes(store, index)).block, 'block')
    const txs = [...('txs' in block ? block.txs : []), ...('tx' in block ? [block.tx] : [])]
    for (const { unsignedTx } of txs) {
      if ('networkID' in unsignedTx) {
        return { networkId: unsignedTx.networkID, chainIds: { P: idText(unsignedTx.blockchainID) } }
      }
    }
  }
  return null
}

/** The network and chain of an X-Chain transaction: codec version, type, network, chain. */
async function saidByTxs(store: ContainerStore): Promise<Said | null> {
  if (store.count() === 0) return null
  const bytes = Buffer.from(await containerBytes(store, 0))
  return { networkId: bytes.readUInt32BE(6), chainIds: { X: idText(bytes.subarray(10, 42)) } }
}
