import { describe, expect, test } from 'vitest'
import { encodeCb58, nodeIdText } from '../../codec/ids.ts'
import { checked, partRules } from '../../devnet/service/plumbing/rules.ts'
import { nodeBlocksPipeline } from '../../pipelines/node-blocks.ts'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../pipelines/rest-utxos.ts'
import { rewardsPipeline } from '../../pipelines/rewards.ts'
import { signaturesPipeline } from '../../pipelines/signatures.ts'
import { checkValue } from '../../src/config/parameter-values.ts'
import type { Parameter } from '../../src/define/index.ts'

/** An id of that many bytes; the first `zeros` bytes are zero. */
const idOf = (bytes: number, zeros: number) => Uint8Array.from({ length: bytes }, (_, at) => (at < zeros ? 0 : 0xff))
const zeros = (bytes: number) => Array.from({ length: bytes + 1 }, (_, count) => count)
const isFine = (parameter: Parameter, text: string) =>
  'value' in checkValue(parameter, parameter.kind === 'list' ? [text] : text)

describe('short ids that begin with zero bytes', () => {
  const nodeIds = zeros(20).map((count) => nodeIdText(idOf(20, count)))
  test('are accepted as node ids, including the empty id', () => {
    expect(nodeIds.at(-1)).toBe('NodeID-111111111111111111116DBWJs')
    for (const pipeline of [nodeBlocksPipeline, rewardsPipeline])
      for (const id of nodeIds) expect([id, isFine(pipeline.parameters['node-ids'], id)]).toEqual([id, true])
    for (const id of nodeIds) expect(checkParts(id).nodeId).toBe(id)
  })

  const others = { network: 'fuji', blockchainId: 'p-chain', chainId: '1', address: `0x${'0'.repeat(40)}` }
  const checkParts = (nodeId: string) => checked(partRules, (name) => [{ nodeId, ...others }[name]!])
  test('are refused when they are no node ids, also by the simulated network', () => {
    for (const text of ['NodeID-', 'NodeID-1', 'NodeID-0OIl', nodeIds[0]!.slice(7), `${nodeIds[0]}1111111`])
      expect([text, isFine(rewardsPipeline.parameters['node-ids'], text)]).toEqual([text, false])
    expect(() => checkParts('NodeID-111111111111111111116DBWJt')).toThrow(/nodeId must be a node id/)
  })

  test('are accepted as ids of transactions, subnets, assets and validations', () => {
    const parameters: readonly Parameter[] = [
      signaturesPipeline.parameters['tx-hashes'],
      signaturesPipeline.parameters['signing-subnet-id'],
      restUtxosPipeline.parameters['asset-id'],
      restTransactionsPipeline.parameters['l1-validation-id'],
    ]
    for (const count of zeros(32)) {
      const id = encodeCb58(idOf(32, count))
      for (const parameter of parameters) expect([id, isFine(parameter, id)]).toEqual([id, true])
    }
  })
})
