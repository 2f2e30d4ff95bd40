import { nodeDelegators, nodeL1Validators, nodeValidators } from '../schemas/node-state.ts'
import {
  answerObject,
  finish,
  ignore,
  objects,
  optionalCount,
  optionalObjects,
  pathOf,
  raw,
  wrong,
} from '../src/decode/json/fields.ts'
import { listReader, rowReader } from '../src/decode/list-reader.ts'
import { mustList, type SubnetPlace } from '../src/decode/node/node.ts'
import { requestedRows } from '../src/decode/requested-rows.ts'
import {
  type DecodePage,
  type List,
  type NodeCall,
  nodeCall,
  nodeStream,
  p,
  pipeline,
  type ReadingContext,
  type Requested,
  type RowsOf,
} from '../src/define/index.ts'
import { chunksOf } from '../src/lib/arrays.ts'
import { isPublic } from '../src/sources/known-networks.ts'
import { listThenItems, ofSubnet, primarySubnet, subnets, subnetsOf } from './shared/node.ts'
import { nodeIdRule, observedTogether, subjectName } from './shared/parameters.ts'

const tables = { validators: nodeValidators, l1Validators: nodeL1Validators }
const delegators = { delegators: nodeDelegators }

/** Reads the validators in an answer to platform.getCurrentValidators (specification 4.3). */
export const validatorList = listReader({
  tables,
  items: 'validators',
  token: null,
  tableOf: (item) => (raw(item, 'validationID') === undefined ? 'validators' : 'l1Validators'),
  // Only answers about one requested node id have this field.
  ignore: ['delegators'],
})

/** Throws `DecodeError` for a public network without validators, which cannot be. */
export function mustHaveValidators(place: Pick<SubnetPlace, 'network' | 'subnet_id'>, list: readonly object[]): void {
  const hasSome = place.subnet_id === primarySubnet && isPublic(place.network)
  mustList(!hasSome || list.length > 0, 'validators', 'the validators of the Primary Network', list)
}

const delegatorRow = rowReader(nodeDelegators.columns)

/** Reads the delegations in an answer to platform.getCurrentValidators with one node id; null if it has no validator. */
export function readDelegators(
  answer: unknown,
  context: ReadingContext,
  place: SubnetPlace,
): RowsOf<typeof delegators> | null {
  const { observationId: observation_id, observedAt: observed_at } = context
  const given = { ...place, observation_id, observed_at }
  const at = answerObject(answer, 'answer', context)
  const rows = objects(at, 'validators', (validator) => {
    // `validatorList` reports the unknown fields of validators.
    ignore(validator, ...Object.keys(validator.object))
    const listed = optionalObjects(validator, 'delegators', (delegator) => delegatorRow(delegator, given)) ?? []
    const counted = optionalCount(validator, 'delegatorCount') ?? listed.length
    if (counted !== listed.length)
      throw wrong(pathOf(validator, 'delegatorCount'), `counts other than ${listed.length} delegators`, counted)
    return listed
  })
  finish(at)
  return rows.length === 0 ? null : { delegators: rows.flat() }
}

export const validatorsPipeline = pipeline({
  name: 'validators',
  comment: 'Current validators and delegators of the Primary Network, of subnets and of L1s, from a node.',
  parameters: {
    subnets,
    'node-ids': p.list('Only these validators (default: all).', nodeIdRule),
    delegators: p.boolean('Ask for delegations too: one request more for each validator that has some.'),
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
          const place = { network, subnet_id: subnetId, subject: subjectName(`subnet/${subnetId}`, shown) }
          return { name: place.subject, lists: [listOf(place, nodeIds, asksDelegators)] }
        }),
      },
    }))
  },
})

function currentValidators(subnetId: string, nodeIDs: readonly string[] | undefined): NodeCall {
  const params = { ...ofSubnet(subnetId), ...(nodeIDs === undefined ? {} : { nodeIDs }) }
  return nodeCall('/ext/bc/P', 'platform.getCurrentValidators', params)
}

/** Without node ids, all validators are requested. */
function requestedNodes(nodeIds: readonly string[] | undefined): Requested {
  return nodeIds === undefined ? {} : { values: [{ node_id: nodeIds }] }
}

/** One answer has all validators. A node lists delegators only in requests for one validator: each that has some is requested by itself. */
function listOf(place: SubnetPlace, nodeIds: readonly string[] | undefined, asksDelegators: boolean): List {
  const request = currentValidators(place.subnet_id, nodeIds)
  const requested = requestedNodes(nodeIds)
  const read: DecodePage<typeof tables> = (answer, context) => {
    const page = validatorList(place)(answer, context)
    if (nodeIds === undefined) mustHaveValidators(place, page.rows.validators)
    return page
  }
  if (!asksDelegators) return { request: () => request, decode: read, requested }
  const none = { validators: [], l1Validators: [], delegators: [] }
  const list = listThenItems<string>({
    list: {
      request,
      read: (answer, context) => {
        const { rows } = read(answer, context)
        return { rows: { ...none, ...rows }, items: new Map(nodesWithDelegators(rows).map((id) => [id, id])) }
      },
    },
    item: {
      request: (nodeId) => currentValidators(place.subnet_id, [nodeId]),
      read: (answer, context, nodeId) => {
        const found = readDelegators(answer, context, place)
        if (found === null) return null
        const page = { rows: { ...none, ...found }, items: [], next: null }
        const own = currentValidators(place.subnet_id, [nodeId])
        return requestedRows(page, { request: () => own, requested: requestedNodes([nodeId]) }).rows
      },
    },
    none,
  })
  return { ...list, requested }
}

/** The ids of the nodes that may have delegators: all except those with a delegator count of 0. */
export function nodesWithDelegators({ validators }: Pick<RowsOf<typeof tables>, 'validators'>): string[] {
  return validators.filter(({ delegator_count }) => Number(delegator_count ?? 1) > 0).map(({ node_id }) => node_id)
}
