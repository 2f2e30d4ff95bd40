import { createHash } from 'node:crypto'
import { MethodError, type RpcMethods, textOf } from '../http/json-rpc.ts'
import { chainTexts, type EraName, epochSeconds, timeOf } from '../network/genesis.ts'

/** The facts that a node knows about its network. All except the network id may be unknown. */
export type NetworkFacts = {
  readonly networkId: number
  readonly networkName: string
  /** Ids of the primary network's chains by alias. */
  readonly chainIds: Readonly<Partial<Record<'P' | 'X' | 'C', string>>>
  /** Activation times by upgrade, RFC 3339. */
  readonly upgrades: Readonly<Record<string, string | number>>
}

/** The methods of `/ext/info` that identify a network and report the state of the node. */
export function infoMethods(facts: NetworkFacts): RpcMethods {
  const answer = (value: unknown) => () => [JSON.stringify(value)]
  return {
    'info.getNetworkID': answer({ networkID: String(facts.networkId) }),
    'info.getNetworkName': answer({ networkName: facts.networkName }),
    'info.getBlockchainID': (parameters) => {
      const alias = textOf(parameters, 'alias')
      const known = Object.entries(facts.chainIds).find(([name, id]) => name === alias || id === alias)
      if (known === undefined) throw new MethodError(`there is no ID with alias ${alias}`)
      return [JSON.stringify({ blockchainID: known[1] })]
    },
    'info.isBootstrapped': (parameters) => {
      if (textOf(parameters, 'chain') === '') throw new MethodError("argument 'chain' not given")
      return ['{"isBootstrapped":true}']
    },
    'info.upgrades': answer(facts.upgrades),
    'info.getNodeVersion': answer({
      version: 'avalanchego/1.14.2',
      databaseVersion: 'v1.4.5',
      rpcProtocolVersion: '44',
      gitCommit: '',
      vmVersions,
    }),
    'info.getNodeID': answer({
      nodeID: 'NodeID-111111111111111111116DBWJs',
      nodePOP: { publicKey: `0x${filler(48)}`, proofOfPossession: `0x${filler(96)}` },
    }),
    'info.peers': answer({ numPeers: '0', peers: [] }),
    'info.uptime': answer({ rewardingStakePercentage: '100.0000', weightedAveragePercentage: '100.0000' }),
  }
}

/** Placeholder hex for a key. */
function filler(length: number): string {
  const digest = createHash('sha512').update(`devnet ${length}`).digest('hex')
  return digest.repeat(2).slice(0, length * 2)
}

/** Activation times of the upgrades of the simulated network, in the node's format. */
export function upgradeTimes(): Record<string, string | number> {
  const at = (name: EraName): string => new Date(timeOf(name) * 1000).toISOString().replace('.000Z', 'Z')
  return {
    apricotPhase1Time: at('apricot1'),
    apricotPhase2Time: at('apricot3'),
    apricotPhase3Time: at('apricot3'),
    apricotPhase4Time: at('apricot4'),
    apricotPhase4MinPChainHeight: 0,
    apricotPhase5Time: at('apricot5'),
    apricotPhasePre6Time: at('apricot5'),
    apricotPhase6Time: at('apricot5'),
    apricotPhasePost6Time: at('apricot5'),
    banffTime: at('banff'),
    cortinaTime: at('cortina'),
    cortinaXChainStopVertexID: chainTexts.P,
    durangoTime: at('durango'),
    etnaTime: at('etna'),
    fortunaTime: at('etna'),
    graniteTime: at('granite'),
    graniteEpochDuration: epochSeconds * 1_000_000_000,
    heliconTime: at('helicon'),
  }
}

/** Versions of the virtual machines that the node reports. */
export const vmVersions = { avm: 'v1.14.2', evm: 'v0.15.4', platform: 'v1.14.2' } as const
