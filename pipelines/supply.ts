import { nodeFees, nodeSupply } from '../schemas/node-state.ts'
import { required } from '../src/decode/json/fields.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { isNotFound, type SubnetPlace } from '../src/decode/node/node.ts'
import {
  nodeCall,
  nodeStream,
  pipeline,
  type ReadRefusal,
  type StreamDeclaration,
  type Subject,
} from '../src/define/index.ts'
import { chunksOf } from '../src/lib/arrays.ts'
import {
  answeredSubject,
  blockchainIds,
  type NodeChain,
  nodeChains,
  ofSubnet,
  subnets,
  subnetsOf,
} from './shared/node.ts'
import { observedTogether } from './shared/parameters.ts'

const supplies = { supply: nodeSupply }
const fees = { fees: nodeFees }

/** Reads the supply of a subnet's staking token in its least unit (platform.getCurrentSupply, specification 4.3). */
export const supplyList = listReader({
  tables: supplies,
  items: null,
  token: null,
  complete: ({ supply }, answer) => void required(supply, answer, 'supply'),
})

/** Returns a row with the node's message if a subnet has no elastic staking and so no supply. */
export function supplyRefused(place: SubnetPlace): ReadRefusal<typeof supplies> {
  return (refusal, { observationId, observedAt }) => {
    if (!isNotFound(refusal)) return null
    const observation = { ...place, observation_id: observationId, observed_at: observedAt }
    const row = { ...observation, supply: null, height: null, error: refusal.message }
    return { rows: { supply: [row] }, items: [], next: null }
  }
}

/** Reads the fees of a chain of the asset VM (xvm.getTxFee, specification 4.1), in the least unit of the fee asset: nAVAX on the X-Chain. */
export const feesList = listReader({ tables: fees, items: null, token: null })

export const supplyPipeline = pipeline({
  name: 'supply',
  comment: 'Supply of the staking tokens of the Primary Network and of subnets, and fees of the X-Chain.',
  parameters: {
    subnets,
    'blockchain-ids': blockchainIds('Chains of the asset VM to request fees of (default: the X-Chain).'),
  },
  reads: 'node',
  tables: { ...supplies, ...fees },
  walks: ['snapshot'],
  streams: async ({ subnets: list, 'blockchain-ids': ids = ['X'] }, facts) => {
    const identity = await facts.node()
    return [
      ...chunksOf(subnetsOf(list), observedTogether).map((subnets) => supplyStream(identity.network, subnets)),
      ...chunksOf(nodeChains(identity, ids), observedTogether).map((chains) => feeStream(identity.network, chains)),
    ]
  },
})

function supplyStream(network: string, subnets: readonly string[]): StreamDeclaration {
  const subjects = subnets.map((subnetId): Subject => {
    const place = { network, subnet_id: subnetId, subject: `subnet/${subnetId}` }
    const call = nodeCall('/ext/bc/P', 'platform.getCurrentSupply', ofSubnet(subnetId))
    return answeredSubject(place.subject, call, { decode: supplyList(place), refused: supplyRefused(place) })
  })
  return {
    stream: nodeStream(network, 'supply', { subnets }),
    tables: supplies,
    walk: { kind: 'snapshot', subjects },
  }
}

function feeStream(network: string, chains: readonly NodeChain[]): StreamDeclaration {
  const subjects = chains.map(({ blockchainId, path }): Subject => {
    const place = { network, blockchain_id: blockchainId, subject: `chain/${blockchainId}` }
    return answeredSubject(place.subject, nodeCall(path, 'xvm.getTxFee'), { decode: feesList(place) })
  })
  return {
    stream: nodeStream(network, 'supply/fees', { 'blockchain-ids': chains.map(({ blockchainId }) => blockchainId) }),
    tables: fees,
    walk: { kind: 'snapshot', subjects },
  }
}
