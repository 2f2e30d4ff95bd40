import type { NetworkIdentity } from '../../define/index.ts'
import { type ErrorFacts, OtherSourceError } from '../../errors.ts'
import { inTransaction, type Session } from '../session/session.ts'

/** The identity of a network, from known constants or from its node. */
export type NetworkFacts = Omit<NetworkIdentity, 'warnings'>

export async function readNetwork(session: Session, name: string): Promise<NetworkFacts | null> {
  const [source] = await session.rows('SELECT * FROM chainlake.source WHERE network = $1', [name])
  if (source === undefined) return null
  const chains = await session.rows(
    'SELECT alias, blockchain_id, vm_id, subnet_id FROM chainlake.source_chain WHERE network = $1 ORDER BY alias',
    [name],
  )
  return {
    network: source['network'],
    networkId: source['network_id'],
    hrp: source['hrp'],
    nativeAssetId: source['native_asset_id'],
    durangoTime: source['durango_time'],
    chains: chains.map((chain) => ({
      alias: chain['alias'],
      blockchainId: chain['blockchain_id'],
      vmId: chain['vm_id'],
      subnetId: chain['subnet_id'],
    })),
  }
}

/**
 * Stores the identity of a network. It fills in unknown facts; known facts must not change.
 *
 * @throws OtherSourceError when the lake has other ids for the network.
 */
export async function recordNetwork(session: Session, facts: NetworkFacts): Promise<void> {
  await inTransaction(session, async () => {
    const stored = await readNetwork(session, facts.network)
    if (stored !== null) verifySameNetwork(stored, facts)
    const merged = stored === null ? facts : merge(stored, facts)
    if (stored !== null && JSON.stringify(order(stored)) === JSON.stringify(order(merged))) return
    await session.run('DELETE FROM chainlake.source WHERE network = $1', [facts.network])
    await session.run('DELETE FROM chainlake.source_chain WHERE network = $1', [facts.network])
    const { network, networkId, hrp, nativeAssetId, durangoTime } = merged
    await session.append('chainlake', 'source', [[network, networkId, hrp, nativeAssetId, durangoTime]])
    await session.append(
      'chainlake',
      'source_chain',
      merged.chains.map(({ alias, blockchainId, vmId, subnetId }) => [network, alias, blockchainId, vmId, subnetId]),
    )
  })
}

/** @throws OtherSourceError when stored and new ids differ. */
export function verifySameNetwork(stored: NetworkFacts, facts: NetworkFacts): void {
  const pairs: [string, string | number | null, string | number | null | undefined][] = [
    ['network id', stored.networkId, facts.networkId],
    ['address prefix', stored.hrp, facts.hrp],
    ['native asset', stored.nativeAssetId, facts.nativeAssetId],
    ['Durango time', stored.durangoTime, facts.durangoTime],
    ...stored.chains.flatMap((chain): typeof pairs => {
      const now = facts.chains.find(({ alias }) => alias === chain.alias)
      return [
        [`id of chain ${chain.alias}`, chain.blockchainId, now?.blockchainId],
        [`subnet of chain ${chain.alias}`, chain.subnetId, now?.subnetId],
        [`VM of chain ${chain.alias}`, chain.vmId, now?.vmId],
      ]
    }),
  ]
  const different = pairs.filter(([, known, given]) => known !== null && (given ?? null) !== null && known !== given)
  if (different.length === 0) return
  const details: Record<string, ErrorFacts[string]> = { network: facts.network }
  for (const [what, known, given] of different) {
    details[`${what} in the lake`] = known
    details[`${what} at the node`] = given
  }
  throw new OtherSourceError(`The network ${facts.network} of the node differs from the one in the lake.`, {
    details,
    hint: 'Nothing was written. Use a node of the same network, or another --lake.',
  })
}

function merge(stored: NetworkFacts, facts: NetworkFacts): NetworkFacts {
  const known = new Map(stored.chains.map((chain) => [chain.alias, chain]))
  for (const chain of facts.chains)
    known.set(chain.alias, { ...chain, vmId: known.get(chain.alias)?.vmId ?? chain.vmId })
  return {
    ...stored,
    nativeAssetId: stored.nativeAssetId ?? facts.nativeAssetId,
    durangoTime: stored.durangoTime ?? facts.durangoTime,
    chains: [...known.values()],
  }
}

/** The facts as a list in canonical order, for comparison. */
function order(facts: NetworkFacts): unknown {
  const chains = [...facts.chains].sort((a, b) => (a.alias < b.alias ? -1 : 1))
  return [
    facts.networkId,
    facts.hrp,
    facts.nativeAssetId,
    facts.durangoTime,
    chains.map(({ alias, blockchainId, vmId, subnetId }) => [alias, blockchainId, vmId, subnetId]),
  ]
}
