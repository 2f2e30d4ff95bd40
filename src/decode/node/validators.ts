import { nodeDelegators } from '../../../schemas/node-delegators.ts'
import { nodeL1Validators } from '../../../schemas/node-l1-validators.ts'
import { nodeValidators } from '../../../schemas/node-validators.ts'
import type { ReadingContext, RowsOf } from '../../define/index.ts'
import { answerObject, finish, ignore, objects, optionalObjects, type Reading, raw } from '../json/fields.ts'
import { nodeId, optionalCount } from '../json/value-fields.ts'
import { listReader, rowReader } from '../list-reader.ts'
import type { SubnetPlace } from './place.ts'

const tables = { validators: nodeValidators, l1Validators: nodeL1Validators }
type ValidatorRows = RowsOf<typeof tables>
type DelegatorRows = RowsOf<{ delegators: typeof nodeDelegators }>

const validatorList = listReader({
  tables,
  items: 'validators',
  token: null,
  tableOf: (item) => (isOfL1(item) ? 'l1Validators' : 'validators'),
  // Only answers about one requested node id have this field.
  ignore: ['delegators'],
})

/** Reads the validators in an answer to platform.getCurrentValidators (specification 4.3). */
export function readValidators(answer: unknown, context: ReadingContext, place: SubnetPlace): ValidatorRows {
  const { network, subnetId: subnet_id, subject } = place
  return validatorList({ network, subnet_id, subject })(answer, context).rows
}

const delegatorRow = rowReader(nodeDelegators.columns)

/** Reads the delegations in an answer to platform.getCurrentValidators with one node id. */
export function readDelegators(answer: unknown, context: ReadingContext, place: SubnetPlace): DelegatorRows {
  const { network, subnetId: subnet_id, subject } = place
  const { observationId: observation_id, observedAt: observed_at } = context
  const given = { network, subnet_id, subject, observation_id, observed_at }
  const delegators: DelegatorRows['delegators'] = []
  readList(answer, context, (at) => {
    optionalObjects(at, 'delegators', (delegator) => delegators.push(delegatorRow(delegator, given)))
    ignoreValidator(at)
  })
  return { delegators }
}

/** Returns the ids of the nodes that may have delegators: all except those with a delegator count of 0. */
export function nodesWithDelegators(answer: unknown, context: ReadingContext): string[] {
  const ids: string[] = []
  readList(answer, context, (at) => {
    if (!isOfL1(at) && optionalCount(at, 'delegatorCount') !== 0) ids.push(nodeId(at, 'nodeID'))
    ignoreValidator(at)
  })
  return ids
}

function readList(answer: unknown, context: ReadingContext, read: (at: Reading) => void): void {
  const at = answerObject(answer, 'answer', context)
  objects(at, 'validators', read)
  finish(at)
}

function isOfL1(at: Reading): boolean {
  return raw(at, 'validationID') !== undefined
}

/** `readValidators` reads these fields and reports unknown ones. */
function ignoreValidator(at: Reading): void {
  ignore(at, ...(Object.keys(at.object) as [string, ...string[]]))
}
