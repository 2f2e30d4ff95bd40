import { describe, expect, test } from 'vitest'
import { serviceStream } from '../../../src/define/index.ts'
import { holdsLogs } from '../../../src/sources/stored-logs.ts'

const [topic, otherTopic] = [`0x${'aa'.repeat(32)}`, `0x${'bb'.repeat(32)}`]
const contracts = Array.from({ length: 5 }, (_, at) => `0x${String(at).repeat(40)}`)
const [contract = '', , third = ''] = contracts
const slice = { from: 10, to: 20 }
const wanted = { network: 'local', chainId: '43112', contract, topic }

const blocks = { origin: serviceStream('local', 'evm-blocks', {}, '43112'), slice, ends: null }
const logs = (parameters: Parameters<typeof serviceStream>[2], chain = '43112') => ({
  origin: serviceStream('local', 'evm-logs', parameters, chain),
  slice,
  ends: null,
})

describe('a stream holds the wanted logs', () => {
  test.each([
    ['of all blocks', blocks, wanted],
    ['of all blocks of any contract', blocks, { ...wanted, contract: null }],
    ['of any contract and topic', logs({}), wanted],
    ['with its topic', logs({ topics: [topic] }), wanted],
    ['of its contract among others', logs({ contracts: [contract, third] }), wanted],
    ['of the first contract of a long list', logs({ contracts }), wanted],
    ['of another contract of a long list', logs({ contracts }), { ...wanted, contract: third }],
    ['with any topic of its contract', logs({ contracts: [contract] }), { ...wanted, topic: null }],
  ])('%s', (_, covered, own) => {
    expect(holdsLogs(covered, own)).toBe(true)
  })
})

describe('a stream does not hold the wanted logs', () => {
  test.each([
    ['of another chain', logs({}, '431120'), wanted],
    [
      'of some blocks only',
      { ...blocks, origin: serviceStream('local', 'evm-blocks', { step: 100 }, '43112') },
      wanted,
    ],
    ['of another contract', logs({ contracts: [third] }), wanted],
    ['of another long list', logs({ contracts: contracts.slice(3) }), wanted],
    ['of any contract', logs({ contracts: [contract] }), { ...wanted, contract: null }],
    ['with another topic', logs({ topics: [otherTopic] }), wanted],
    ['with any topic', logs({ topics: [topic] }), { ...wanted, topic: null }],
    ['with any third topic', logs({ thirdTopics: [topic] }), wanted],
  ])('%s', (_, covered, own) => {
    expect(holdsLogs(covered, own)).toBe(false)
  })
})
