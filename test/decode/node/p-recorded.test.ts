import { describe, expect, test } from 'vitest'
import { blockchainsList, readBlockchainStatus } from '../../../pipelines/blockchains.ts'
import { pFeesList, validatorFeesList } from '../../../pipelines/p-fees.ts'
import { subnetList } from '../../../pipelines/subnets.ts'
import { supplyList, supplyRefused } from '../../../pipelines/supply.ts'
import { nodesWithDelegators, readDelegators, validatorList } from '../../../pipelines/validators.ts'
import { validatorsAt } from '../../../pipelines/validators-at.ts'
import {
  nodeBlockchains,
  nodeDelegators,
  nodeL1Validators,
  nodePFees,
  nodeSubnets,
  nodeSupply,
  nodeValidatorFees,
  nodeValidators,
  nodeValidatorsAt,
} from '../../../schemas/node-state.ts'
import { DecodeError } from '../../../src/errors.ts'
import { nodeId } from '../made-ids.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'
import { recordedCalls } from './calls.ts'
import { expectSaid } from './expect-said.ts'

const primary = '11111111111111111111111111111111LpoYY'
const place = (params: any) => ({ network: 'local', subject: 'subject', subnet_id: params.subnetID ?? primary })

describe('recorded answers to platform.getCurrentValidators', () => {
  const calls = recordedCalls('platform.getCurrentValidators')
  const answered = calls.filter(({ refusal }) => refusal === null)

  test('give rows with the same data, field by field', () => {
    let leaves = 0
    const counts = { validators: 0, l1Validators: 0, delegators: 0 }
    for (const { result, params } of answered) {
      const context = testContext()
      const { validators, l1Validators } = validatorList(place(params))(result, context).rows
      const isOne = params.nodeIDs?.length === 1
      const { delegators } = (isOne && readDelegators(result, context, place(params))) || { delegators: [] }
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
        expect(row).toMatchObject({ network: 'local', subject: 'subject', subnet_id: place(params).subnet_id })
    }
    expect(counts).toEqual({ validators: 40, l1Validators: 14, delegators: 4 })
    expect(leaves).toBeGreaterThan(900)
  })

  test('show which nodes need a request for their delegators', () => {
    const whole = answered.filter(({ params }) => params.nodeIDs === undefined && params.subnetID === undefined)
    const nodesIn = (result: any) => nodesWithDelegators(validatorList(place({}))(result, testContext()).rows)
    for (const { result } of whole) {
      const expected = result.validators.filter(({ delegatorCount }: any) => delegatorCount !== '0')
      expect(nodesIn(result)).toEqual(expected.map(({ nodeID }: any) => nodeID))
    }
    const [{ delegatorCount: _, ...silent }] = whole[0]!.result.validators
    expect(nodesIn({ validators: [silent] })).toEqual([silent.nodeID])
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
      const rows = blockchainsList({ network: 'local', subject: 'blockchains' })(result, context).rows.blockchains
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
        refusal === null ? supplyList(place(params))(result, context) : supplyRefused(place(params))(refusal, context)
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

describe('recorded fees', () => {
  const cases = [
    {
      read: pFeesList,
      table: nodePFees,
      config: 'platform.getFeeConfig',
      state: 'platform.getFeeState',
      leaves: 13,
      names: {
        'state.timestamp': 'state_time',
        'state.price': 'price_per_gas',
        'state.capacity': 'gas_capacity',
        'state.excess': 'gas_excess',
        'config.weights': 'gas_weights',
        'config.maxCapacity': 'max_gas_capacity',
        'config.maxPerSecond': 'max_gas_per_second',
        'config.targetPerSecond': 'target_gas_per_second',
        'config.minPrice': 'min_price_per_gas',
        'config.excessConversionConstant': 'excess_conversion_constant',
      },
    },
    {
      read: validatorFeesList,
      table: nodeValidatorFees,
      config: 'platform.getValidatorFeeConfig',
      state: 'platform.getValidatorFeeState',
      leaves: 7,
      names: {
        'state.timestamp': 'state_time',
        'state.price': 'fee_per_second',
        'state.excess': 'validator_excess',
        'config.capacity': 'max_active_validator_count',
        'config.target': 'target_active_validator_count',
        'config.minPrice': 'min_fee_per_second',
        'config.excessConversionConstant': 'excess_conversion_constant',
      },
    },
  ]

  test.each(cases)('$state: rows have the same data as the state and the configuration', (each) => {
    const configs = recordedCalls(each.config)
    const states = recordedCalls(each.state)
    expect(states.length).toBe(2)
    for (const [i, { result }] of states.entries()) {
      const context = testContext()
      const answer = { config: configs[i]!.result, state: result }
      const { rows } = each.read({ network: 'local', blockchain_id: primary, subject: 'chain/P' })(answer, context)
      const [row, ...others] = Object.values(rows).flat() as object[]
      expect([others, context.unknown]).toEqual([[], []])
      expectFits(each.table, [row!])
      expect(expectSaid(each.table, row!, answer, each.names)).toBe(each.leaves)
    }
  })
})

describe('recorded subnets', () => {
  test('give rows with the same data, and null for the empty id', () => {
    const answered = recordedCalls('platform.getSubnet').filter(({ refusal }) => refusal === null)
    expect(answered.length).toBe(6)
    for (const { result, params } of answered) {
      const context = testContext()
      const place = { network: 'local', subnet_id: params.subnetID, subject: 'subnets' }
      const { subnets } = subnetList(place)(result, context).rows
      expect(context.unknown).toEqual([])
      expectFits(nodeSubnets, subnets)
      const { isPermissioned, controlKeys, threshold, locktime, ...none } = result
      const names = { controlKeys: 'owner_addresses', threshold: 'owner_threshold', locktime: 'owner_locktime' }
      const said = { isPermissioned, controlKeys, threshold, locktime }
      expect(expectSaid(nodeSubnets, subnets[0]!, said, names)).toBe(4)
      expect(new Set(Object.values(none))).toEqual(new Set([primary, null]))
      expect(subnets[0]).toMatchObject({
        transformation_tx_id: null,
        conversion_id: null,
        manager_chain_id: null,
        manager_address: null,
      })
    }
  })
})

describe('recorded validators at a height', () => {
  test('give a row for each node, and their sum', () => {
    const calls = recordedCalls('platform.getValidatorsAt')
    expect(calls.length).toBe(2)
    for (const { result, params } of calls) {
      const context = testContext()
      const { sets, validators } = validatorsAt('local', primary, params.height).decode(result, context).rows
      expect(context.unknown).toEqual([])
      expectFits(nodeValidatorsAt, validators)
      const expected = Object.entries<any>(result)
      expect(validators.map(({ node_id }) => node_id)).toEqual(expected.map(([name]) => name))
      for (const [i, [, said]] of expected.entries())
        expect(expectSaid(nodeValidatorsAt, validators[i]!, said, { publicKey: 'bls_public_key' })).toBe(2)
      const total = expected.reduce((sum, [, { weight }]) => sum + BigInt(weight), 0n)
      expect(sets).toMatchObject([
        {
          height: params.height,
          validator_count: expected.length,
          total_weight: total,
          observed_at: context.observedAt,
        },
      ])
    }
  })

  const at = validatorsAt('local', primary, 1)

  test('are also read from answers with weights alone, and an empty set is a row', () => {
    const { rows } = at.decode({ validators: { [nodeId('a')]: 2000000000000000 } }, testContext())
    expect(rows.validators).toMatchObject([{ node_id: nodeId('a'), weight: 2000000000000000n, bls_public_key: null }])
    expect(at.decode({}, testContext()).rows).toMatchObject({ sets: [{ validator_count: 0 }], validators: [] })
  })

  test.each([
    [{ [nodeId('a')]: { weight: '-1' } }],
    [{ [nodeId('a')]: { publicKey: 'no hex', weight: '1' } }],
    [{ [nodeId('a')]: {} }],
    [{ a: { weight: '1' } }],
    [null],
    [[]],
  ])('are refused where a field lies: %j', (answer) => {
    expect(() => at.decode(answer, testContext())).toThrow(DecodeError)
  })
})
