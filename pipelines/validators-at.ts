import { nodeValidatorSets, nodeValidatorsAt } from '../schemas/node-state.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { type KeyedQuestion, nodeCall, nodeStream, p, pipeline, type RowsOf } from '../src/define/index.ts'
import { isObject } from '../src/lib/json.ts'
import { ofSubnet, subnets, subnetsOf } from './shared/node.ts'
import { mustHaveValidators } from './validators.ts'

const tables = { sets: nodeValidatorSets, validators: nodeValidatorsAt }

/** Validators are the fields of an object, named by their nodes. Older nodes state the weight alone. */
const validatorList = listReader({
  tables: { validators: nodeValidatorsAt },
  items: 'validators',
  keyedBy: 'nodeID',
  token: null,
})

export const validatorsAtPipeline = pipeline({
  name: 'validators-at',
  comment:
    'Validators of the Primary Network and of subnets at P-Chain heights, from a node. One request per subnet and height.',
  parameters: {
    heights: p.list.required('P-Chain heights; inline, from a file or a query.', {
      pattern: { source: '^(0|[1-9]\\d{0,14})$', says: 'must be a height' },
      example: '1000000',
    }),
    subnets,
  },
  reads: 'node',
  tables,
  walks: ['keyed'],
  streams: async ({ heights, subnets: list }, facts) => {
    const { network } = await facts.node()
    const keys = subnetsOf(list).flatMap((subnetId) =>
      [...new Set(heights.map(Number))].map((height) => validatorsAt(network, subnetId, height)),
    )
    return [{ stream: nodeStream(network, 'validators-at', {}), tables, walk: { kind: 'keyed', keys } }]
  },
})

/** The request for the validators of a subnet at a height, and its rows. */
export function validatorsAt(network: string, subnetId: string, height: number): KeyedQuestion<typeof tables> {
  const place = { network, subnet_id: subnetId, height }
  return {
    key: { subnet_id: subnetId, height },
    request: nodeCall('/ext/bc/P', 'platform.getValidatorsAt', { height, ...ofSubnet(subnetId) }),
    decode: (answer, context) => {
      const { validators } = validatorList(place)(underOneField(answer), context).rows
      mustHaveValidators(place, validators)
      const set: RowsOf<typeof tables>['sets'][number] = {
        ...place,
        validator_count: validators.length,
        total_weight: validators.reduce((sum, { weight }) => sum + weight, 0n),
        observed_at: context.observedAt,
      }
      return { rows: { sets: [set], validators }, items: [], next: null }
    },
  }
}

/** Older nodes put the object with the validators into a field `validators`. No node id has that name. */
function underOneField(answer: unknown): unknown {
  return isObject(answer) && !Object.hasOwn(answer, 'validators') ? { validators: answer } : answer
}
