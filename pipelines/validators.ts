import { nodeDelegators } from '../schemas/node-delegators.ts'
import { nodeL1Validators } from '../schemas/node-l1-validators.ts'
import { nodeValidators } from '../schemas/node-validators.ts'
import { nodesWithDelegators, readDelegators, readValidators } from '../src/decode/node/validators.ts'
import { requestedRows } from '../src/decode/requested-rows.ts'
import { type List, type NodeCall, nodeStream, p, pipeline, type Requested, theNode } from '../src/define/index.ts'
import { chunksOf } from '../src/lib/chunks.ts'
import { observedTogether, subjectName } from './shared/evm-lists.ts'
import { listThenItems } from './shared/list-then-items.ts'
import { ofSubnet, subnets, subnetsOf } from './shared/node-parameters.ts'
import { nodeIdRule, unitPages } from './shared/service-parameters.ts'

const tables = { validators: nodeValidators, l1Validators: nodeL1Validators }
const delegators = { delegators: nodeDelegators }

export const validatorsPipeline = pipeline({
  name: 'validators',
  comment: 'Current validators and delegators of the Primary Network, of subnets and of L1s, from a node.',
  parameters: {
    subnets,
    'node-ids': p.list('Only these validators (default: all).', nodeIdRule),
    delegators: p.boolean('Ask for delegations too: one request more for each validator that has some.'),
    'unit-pages': unitPages,
  },
  reads: 'node',
  tables,
  optional: { delegators },
  walks: ['snapshot'],
  streams: async ({ subnets: list, 'node-ids': nodeIds, delegators: asksDelegators = false }, facts) => {
    const { network } = await facts.node()
    const filters = { 'node-ids': nodeIds, delegators: asksDelegators ? 'true' : undefined }
    const { parameters: shown } = nodeStream(network, '', filters)
    return chunksOf(subnetsOf(list), observedTogether).map((subnets) => ({
      stream: nodeStream(network, 'validators', { subnets, ...filters }),
      tables: asksDelegators ? { ...tables, ...delegators } : tables,
      walk: {
        kind: 'snapshot',
        subjects: subnets.map((subnetId) => {
          const place = { network, subnetId, subject: subjectName(`subnet/${subnetId}`, shown) }
          return {
            name: place.subject,
            lists: [asksDelegators ? withDelegators(place, nodeIds) : alone(place, nodeIds)],
          }
        }),
      },
    }))
  },
})

type Place = { readonly network: string; readonly subnetId: string; readonly subject: string }

function currentValidators(subnetId: string, nodeIDs: readonly string[] | undefined): NodeCall {
  const params = { ...ofSubnet(subnetId), ...(nodeIDs === undefined ? {} : { nodeIDs }) }
  return { host: 'node', endpoint: theNode, path: '/ext/bc/P', method: 'platform.getCurrentValidators', params }
}

/** Without node ids, all validators are requested. */
function requestedNodes(nodeIds: readonly string[] | undefined): Requested {
  return nodeIds === undefined ? {} : { values: [{ node_id: nodeIds }] }
}

/** One answer has all validators. */
function alone(place: Place, nodeIds: readonly string[] | undefined): List {
  return {
    request: () => currentValidators(place.subnetId, nodeIds),
    decode: (answer, context) => ({ rows: readValidators(answer, context, place), items: [], next: null }),
    requested: requestedNodes(nodeIds),
  }
}

/** A node lists delegators only in requests for one validator, so each validator with delegators is requested separately. */
function withDelegators(place: Place, nodeIds: readonly string[] | undefined): List {
  const none = { validators: [], l1Validators: [], delegators: [] }
  const list = listThenItems<string>({
    list: {
      request: currentValidators(place.subnetId, nodeIds),
      read: (answer, context) => ({
        rows: { ...none, ...readValidators(answer, context, place) },
        items: new Map(nodesWithDelegators(answer, context).map((nodeId) => [nodeId, nodeId])),
      }),
    },
    item: {
      request: (nodeId) => currentValidators(place.subnetId, [nodeId]),
      read: (answer, context, nodeId) => {
        const page = { rows: { ...none, ...readDelegators(answer, context, place) }, items: [], next: null }
        return requestedRows(page, {
          request: () => currentValidators(place.subnetId, [nodeId]),
          requested: requestedNodes([nodeId]),
        }).rows
      },
    },
    none,
  })
  return { ...list, requested: requestedNodes(nodeIds) }
}
