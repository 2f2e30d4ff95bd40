import { describe, expect, test } from 'vitest'
import { decodeSupply, supplyRefused } from '../../../pipelines/supply.ts'
import { nodeBlockchains } from '../../../schemas/node-blockchains.ts'
import { nodeDelegators } from '../../../schemas/node-delegators.ts'
import { nodeL1Validators } from '../../../schemas/node-l1-validators.ts'
import { nodeSupply } from '../../../schemas/node-supply.ts'
import { nodeValidators } from '../../../schemas/node-validators.ts'
import { readBlockchainStatus, readBlockchains } from '../../../src/decode/node/blockchains.ts'
import { nodesWithDelegators, readDelegators, readValidators } from '../../../src/decode/node/validators.ts'
import { nodeId } from '../made-ids.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'
import { recordedCalls } from './calls.ts'
import { expectSaid } from './expect-said.ts'

const primary = '11111111111111111111111111111111LpoYY'
const place = (params: any) => ({ network: 'local', subject: 'subject', subnetId: params.subnetID ?? primary })

describe('recorded answers to platform.getCurrentValidators', () => {
  const calls = recordedCalls('platform.getCurrentValidators')
  const answered = calls.filter(({ refusal }) => refusal === null)

  test('give rows with the same data, field by field', () => {
    let leaves = 0
    const counts = { validators: 0, l1Validators: 0, delegators: 0 }
    for (const { result, params } of answered) {
      const context = testContext()
      const { validators, l1Validators } = readValidators(result, context, place(params))
      const { delegators } = readDelegators(result, context, place(params))
      expect(context.unknown).toEqual([])
      expectFits(nodeValidators, validators)
      expectFits(nodeL1Validators, l1Validators)
      expectFits(nodeDelegators, delegators)
      const ofL1 = result.validators.filter(({ validationID }: any) => validationID !== undefined)
      const others = result.validators.filter(({ validationID }: any) => validationID === undefined)
      expect([validators.length, l1Validators.length]).toEqual([others.length, ofL1.length])
      validators.forEach((row, i) => {
        const { delegationFee, delegators: _, ...said } = others[i]
        leaves += expectSaid(nodeValidators, row, said, signerNames)
        expect(row.delegation_shares).toBe(Math.round(Number(delegationFee) * 10_000))
      })
      l1Validators.forEach((row, i) => {
        leaves += expectSaid(nodeL1Validators, row, ofL1[i], { publicKey: 'bls_public_key' })
      })
      const delegations = others.flatMap(({ delegators = [] }: any) => delegators)
      expect(delegators.length).toBe(delegations.length)
      delegators.forEach((row, i) => {
        leaves += expectSaid(nodeDelegators, row, delegations[i])
      })
      counts.validators += validators.length
      counts.l1Validators += l1Validators.length
      counts.delegators += delegators.length
      for (const row of [...validators, ...l1Validators, ...delegators])
        expect(row).toMatchObject({ network: 'local', subject: 'subject', subnet_id: place(params).subnetId })
    }
    expect(counts).toEqual({ validators: 40, l1Validators: 14, delegators: 4 })
    expect(leaves).toBeGreaterThan(900)
  })

  test('show which nodes need a request for their delegators', () => {
    const whole = answered.filter(({ params }) => params.nodeIDs === undefined && params.subnetID === undefined)
    for (const { result } of whole) {
      const expected = result.validators.filter(({ delegatorCount }: any) => delegatorCount !== '0')
      expect(nodesWithDelegators(result, testContext())).toEqual(expected.map(({ nodeID }: any) => nodeID))
    }
    const silent = { validators: [{ nodeID: nodeId('a') }, { nodeID: nodeId('b'), validationID: 'v' }] }
    expect(nodesWithDelegators(silent, testContext())).toEqual([nodeId('a')])
  })

  test('include refusals only for requests with an invalid node id', () => {
    const refused = calls.filter(({ refusal }) => refusal !== null)
    expect(refused.map(({ params }) => params.nodeIDs)).toEqual([['x'], ['x']])
  })
})

const signerNames = {
  'signer.publicKey': 'bls_public_key',
  'signer.proofOfPossession': 'bls_proof_of_possession',
}

describe('recorded blockchains', () => {
  test('give rows with the same data', () => {
    for (const { result } of recordedCalls('platform.getBlockchains')) {
      const context = testContext()
      const rows = readBlockchains(result, context, { network: 'local', subject: 'blockchains' })
      expect(context.unknown).toEqual([])
      expectFits(nodeBlockchains, rows)
      expect(rows.length).toBe(result.blockchains.length)
      const names = { id: 'blockchain_id', name: 'blockchain_name', vmID: 'vm_id' }
      rows.forEach((row, i) => {
        expect(expectSaid(nodeBlockchains, row, result.blockchains[i], names)).toBe(4)
      })
    }
  })

  test('have a status, except in requests without a valid blockchain id', () => {
    const calls = recordedCalls('platform.getBlockchainStatus')
    const answered = calls.filter(({ refusal }) => refusal === null)
    expect(answered.length).toBe(16)
    for (const { result } of answered) expect({ status: readBlockchainStatus(result, testContext()) }).toEqual(result)
    expect(calls.filter(({ refusal }) => refusal !== null).map(({ params }) => params)).toEqual([
      { blockchainID: 'nope' },
      {},
      { blockchainID: 'nope' },
      {},
    ])
  })
})

describe('recorded supplies', () => {
  const calls = recordedCalls('platform.getCurrentSupply')

  test('give rows with the same data, or with the error of the node', () => {
    const kinds = { supply: 0, error: 0, failure: 0 }
    for (const { result, refusal, params } of calls) {
      const context = testContext()
      const page =
        refusal === null ? decodeSupply(place(params))(result, context) : supplyRefused(place(params))(refusal, context)
      if (page === null) {
        expect(params).toEqual({ subnetID: 'x' })
        kinds.failure++
        continue
      }
      expectFits(nodeSupply, page.rows.supply)
      const [row] = page.rows.supply
      if (refusal === null) {
        expect(expectSaid(nodeSupply, row!, result)).toBe(2)
        expect(row!.error).toBeNull()
        kinds.supply++
      } else {
        expect(row).toMatchObject({ supply: null, height: null, error: refusal.message, subnet_id: params.subnetID })
        kinds.error++
      }
    }
    expect(kinds).toEqual({ supply: 4, error: 10, failure: 2 })
  })
})
