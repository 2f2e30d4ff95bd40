import { describe, expect, test } from 'vitest'
import { blockchainsList } from '../../../pipelines/blockchains.ts'
import { subnetsPipeline } from '../../../pipelines/subnets.ts'
import { readDelegators, validatorList } from '../../../pipelines/validators.ts'
import { nodeValidators } from '../../../schemas/node-state.ts'
import { isNotFound, isUnknownMethod } from '../../../src/decode/node/node.ts'
import { id, nodeId, owner as ownerText } from '../made-ids.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'

const place = { network: 'local', subject: 's', subnet_id: 'subnet' }
const owner = { locktime: '0', threshold: '1', addresses: [`P-${ownerText('a', 'local')}`] }
const validator = {
  txID: id('tx'),
  nodeID: nodeId('a'),
  startTime: '1791000000',
  endTime: '1822514400',
  weight: '18446744073709551615',
  delegationFee: '6.2500',
  validationRewardOwner: owner,
}
const readValidators = (answer: unknown, context = testContext()) => validatorList(place)(answer, context).rows
const read = (changes: object) => readValidators({ validators: [{ ...validator, ...changes }] })
const rowOf = (changes: object) => read(changes).validators[0]!

describe('a validator', () => {
  test('requires only its transaction, node, times and weight', () => {
    const { delegationFee: _, validationRewardOwner: __, ...least } = validator
    const { validators } = readValidators({ validators: [least] })
    expectFits(nodeValidators, validators)
    expect(validators).toMatchObject([{ weight: 18446744073709551615n, delegation_shares: null, uptime: null }])
    for (const field of Object.keys(least))
      expect(() => read({ [field]: undefined }), field).toThrow(`The answer has no field validators[0].${field}.`)
  })

  test('keeps delegation shares exactly, and is refused with invalid shares', () => {
    const shares = {
      '0': 0,
      '2.0000': 20_000,
      '6.2500': 62_500,
      '33.3333': 333_333,
      '100.0000': 1_000_000,
      '0.1': 1_000,
    }
    for (const [delegationFee, expected] of Object.entries(shares))
      expect(rowOf({ delegationFee }).delegation_shares).toBe(expected)
    for (const delegationFee of ['6.25001', '-1', '1e1', 'many', '100.0001'])
      expect(() => read({ delegationFee })).toThrow('validators[0].delegationFee')
  })

  test('is refused when a time does not fit its column or an owner is invalid', () => {
    expect(() => read({ endTime: '253402300800' })).toThrow('validators[0].endTime of the answer is no time')
    expect(() => read({ startTime: 'soon' })).toThrow('validators[0].startTime')
    expect(() => read({ validationRewardOwner: { ...owner, addresses: 'P-a' } })).toThrow(
      'validators[0].validationRewardOwner.addresses',
    )
    expect(() => read({ validationRewardOwner: 7 })).toThrow('validators[0].validationRewardOwner')
  })

  test('may spell its proof of possession as the specification does (proofOfPosession)', () => {
    const signer = { publicKey: '0xAB', proofOfPosession: '0xCD' }
    expect(rowOf({ signer })).toMatchObject({ bls_public_key: '0xab', bls_proof_of_possession: '0xcd' })
  })

  test('with unknown fields still gives a row, and each unknown field is reported once', () => {
    const context = testContext()
    const answer = { validators: [{ ...validator, rank: 1 }], more: true }
    readValidators(answer, context)
    expect(context.unknown).toEqual(['validators[].rank', 'more'])
    const delegator = { ...validator, rewardOwner: owner, luck: 1 }
    const delegated = testContext()
    readDelegators({ validators: [{ ...validator, rank: 1, delegators: [delegator] }] }, delegated, place)
    expect(delegated.unknown).toEqual([
      'validators[].delegators[].delegationFee',
      'validators[].delegators[].validationRewardOwner',
      'validators[].delegators[].luck',
    ])
  })
})

test('answers with a wrong structure or a missing field are refused', () => {
  for (const answer of [null, 'x', [], { validators: {} }, { validators: [1] }])
    expect(() => readValidators(answer)).toThrow()
  expect(() =>
    blockchainsList(place)({ blockchains: [{ id: id('a'), name: 'b', subnetID: id('c') }] }, testContext()),
  ).toThrow('The answer has no field blockchains[0].vmID.')
})

describe('a refusal of a node', () => {
  const refusal = (message: string, code = -32000) => ({ code, message })

  test('is recognized as "not found" by its message', () => {
    for (const message of [
      'not found',
      'nil transaction ID',
      'fetching tx: reading tx: not found',
      "asset 'z' not found",
    ])
      expect(isNotFound(refusal(message))).toBe(true)
    expect(isNotFound(refusal('not found, try again'))).toBe(false)
    expect(isUnknownMethod(refusal('unsupported encoding in method'))).toBe(false)
    expect(isNotFound(refusal("couldn't unmarshal an argument."))).toBe(false)
  })

  test('is recognized as "unknown method", which is not "not found"', () => {
    for (const unknown of [
      refusal('Method not found', -32601),
      refusal(`rpc: can't find method "avm.getTxStatus"`),
      refusal('the method eth_baseFee is not supported', -32004),
      refusal('The method eth_baseFee does not exist / is not available'),
      refusal('Unsupported method: eth_getChainConfig', -32600),
      refusal('rpc: service/method request ill-formed: "admin_getVMConfig"'),
    ]) {
      expect(isUnknownMethod(unknown)).toBe(true)
      expect(isNotFound(unknown)).toBe(false)
    }
  })
})

describe('an empty list that a node writes as null', () => {
  test('of subnets is an observation without subnets', async () => {
    const facts = { node: async () => ({ network: 'local' }) } as never
    const [declared] = await subnetsPipeline.streams({ subnets: [id('unknown')] } as never, facts)
    const { walk } = declared as any
    const page = walk.subjects[0].lists[0].decode({ subnets: null }, testContext(), null)
    expect(page).toEqual({ rows: { subnets: [] }, items: [], next: null })
  })

  test('of validators has no delegators, and a missing list is refused', () => {
    expect(readDelegators({ validators: null }, testContext(), place)).toBeNull()
    expect(() => readDelegators({}, testContext(), place)).toThrow('The answer has no field validators.')
  })
})
