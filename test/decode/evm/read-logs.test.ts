import { describe, expect, test } from 'vitest'
import { readEvmBlock, readEvmLogs } from '../../../src/decode/evm/blocks.ts'
import { recordedCalls } from '../node/calls.ts'
import { recordedAnswers } from './rpc-facts.ts'

const context = { network: 'n', chainId: '43112' }

describe.each(['granite', 'helicon'])('logs of %s', (recording) => {
  const chain = recordedAnswers(recording)
  const logsOf = (number: number) => chain[number]!.receipts.flatMap((receipt) => receipt.logs)

  test('give the same rows as whole blocks', () => {
    let rows = 0
    for (const [number, { block, receipts }] of chain.entries()) {
      const whole = readEvmBlock({ number, block, receipts }, context)
      const read = readEvmLogs({ number, block, logs: logsOf(number) }, context)
      expect(read).toEqual({ logs: whole.logs, tokenTransfers: whole.tokenTransfers })
      rows += read.logs.length
    }
    expect(rows).toBeGreaterThan(100)
  })

  test('from eth_getLogs by range, topic and hash give the same rows as the receipts', () => {
    const answers = recordedCalls('eth_getLogs')
      .filter((call) => call.recording === recording && call.result !== undefined && call.result.length > 0)
      .map(({ result }) => result as any[])
    expect(answers.length).toBeGreaterThanOrEqual(3)
    for (const answer of answers)
      for (const log of answer) {
        const number = Number(log.blockNumber)
        const { block } = chain[number]!
        const whole = readEvmBlock({ number, ...chain[number]! }, context)
        const unknown: string[] = []
        const told = { ...context, unknownField: (path: string) => unknown.push(path) }
        const { logs } = readEvmLogs({ number, block, logs: [log] }, told)
        expect(logs).toEqual([whole.logs[Number(log.logIndex)]])
        expect(unknown).toEqual([])
      }
  })
})

test('a log that is removed or of another block is refused', () => {
  const [, { block, receipts }] = recordedAnswers('granite') as any
  const log = receipts[0].logs[0]
  const read = (changes: object) => readEvmLogs({ number: 1, block, logs: [{ ...log, ...changes }] }, context)
  expect(read({}).logs).toHaveLength(1)
  for (const changes of [{ removed: true }, { blockHash: `0x${'1'.repeat(64)}` }, { blockNumber: '0x2' }])
    expect(() => read(changes)).toThrow(/^EVM block 1 of chain 43112: .*logs\[0\]/)
  expect(() => read({ transactionHash: '0x1' })).toThrow(/transactionHash/)
})

test('a log of the block itself is left out, as it is in no receipt, and the reader tells that and what the source remarks', () => {
  const [, { block, receipts }] = recordedAnswers('granite') as any
  const logs = [{ ...receipts[0].logs[0], transactionHash: block.hash }]
  const told: string[] = []
  const unknownField = (path: string) => told.push(path)
  expect(
    readEvmLogs({ number: 1, block, logs, remarks: ['others are left out'] }, { ...context, unknownField }).logs,
  ).toEqual([])
  expect(told).toEqual(['logs[] of no transaction', 'block: others are left out'])
})
