import { nodePFees, nodeValidatorFees } from '../schemas/node-state.ts'
import { type ListReader, listReader } from '../src/decode/list-reader.ts'
import { type List, nodeCall, nodeStream, pipeline } from '../src/define/index.ts'
import { listThenItems, nodeChains } from './shared/node.ts'

const tables = { fees: nodePFees, validatorFees: nodeValidatorFees }
const none = { fees: [], validatorFees: [] }

/** The configuration and the state are two answers: both together, as the fields `config` and `state`, are one row. */
export const pFeesList = listReader({ tables: { fees: nodePFees }, items: null, token: null })
export const validatorFeesList = listReader({ tables: { validatorFees: nodeValidatorFees }, items: null, token: null })

export const pFeesPipeline = pipeline({
  name: 'p-fees',
  comment:
    'Price of gas on the P-Chain and fee of active validators of L1s, with the configuration of both, from a node.',
  parameters: {},
  reads: 'node',
  tables,
  walks: ['snapshot'],
  streams: async (_, facts) => {
    const identity = await facts.node()
    const { network } = identity
    const [chain] = nodeChains(identity, ['P'])
    const subject = `chain/${chain?.blockchainId}`
    const given = { network, blockchain_id: chain?.blockchainId, subject }
    const lists = [
      configThenState('platform.getFeeConfig', 'platform.getFeeState', pFeesList, given),
      configThenState('platform.getValidatorFeeConfig', 'platform.getValidatorFeeState', validatorFeesList, given),
    ]
    return [
      { stream: nodeStream(network, 'p-fees', {}), walk: { kind: 'snapshot', subjects: [{ name: subject, lists }] } },
    ]
  },
})

function configThenState(
  config: string,
  state: string,
  read: ListReader<any>,
  given: Parameters<ListReader<any>>[0],
): List {
  const call = (method: string) => nodeCall('/ext/bc/P', method)
  return listThenItems<unknown>({
    list: {
      request: call(config),
      read: (answer) => ({ rows: none, items: new Map([['state', answer]]) }),
    },
    item: {
      request: () => call(state),
      read: (answer, context, known) => ({ ...none, ...read(given)({ config: known, state: answer }, context).rows }),
    },
    none,
  })
}
