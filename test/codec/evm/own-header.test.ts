import { describe, expect, test } from 'vitest'
import { contradictionOf, headerHash, transactionBytes } from '../../../codec/evm/block-parts.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import { type Answers, recordedAnswers } from '../../decode/evm/rpc-facts.ts'

type Block = { block: any; receipts: any[] }

const bits = (digit: string) => `0x${digit.repeat(512)}`
const bitsOf = ({ logsBloom }: { logsBloom: string }) => BigInt(logsBloom)
/** A recorded block with a first receipt with logs that has bits of its own, as its header shows. */
const recorded = recordedAnswers('granite').find(({ block, receipts }) => {
  const [first, ...others] = receipts.filter(({ logs }) => logs.length > 0)
  return (
    first !== undefined && others.length > 0 && others.reduce((sum, each) => sum | bitsOf(each), 0n) !== bitsOf(block)
  )
})!
const copied = (answers: Answers): Block => structuredClone({ ...answers }) as Block
/** The same block on a chain like Ethereum. */
const ethereum = (): Block => {
  const answers = copied(recorded)
  for (const name of ['extDataHash', 'extDataGasUsed', 'blockGasCost', 'timestampMilliseconds', 'minDelayExcess'])
    delete answers.block[name]
  answers.block.hash = headerHash(answers.block, 'go-ethereum')
  return answers
}
const madeUp = (): Block => {
  const answers = copied(recorded)
  answers.block.hash = `0x${'12'.repeat(32)}`
  return answers
}
const judge = ({ block, receipts }: Block) => contradictionOf(block, receipts)
const withLogs = ({ receipts }: Block) => receipts.find(({ logs }) => logs.length > 0)
const withoutLogs = (answers: Block) => Object.assign(withLogs(answers), { logs: [] })

test.each(['granite', 'helicon', 'evm'])('%s: no recorded block contradicts its header', (recording) => {
  for (const { block, receipts } of recordedAnswers(recording)) expect(contradictionOf(block, receipts)).toBeNull()
})

const lies: [string, (answers: Block) => void, string[]][] = [
  [
    'no transactions',
    (answers) => Object.assign(answers, { receipts: [] }, { block: { ...answers.block, transactions: [] } }),
    ['transactions', 'gas', 'bloom'],
  ],
  ['a receipt less', ({ receipts }) => receipts.pop(), ['gas']],
  ['other gas', ({ receipts }) => (receipts[0].gasUsed = '0x1'), ['gas']],
  ['a receipt without its logs', (answers) => withoutLogs(answers), ['lost']],
  ['a receipt without its logs and bits', (answers) => (withoutLogs(answers).logsBloom = bits('0')), ['bloom']],
  ['a receipt without its bits', (answers) => (withLogs(answers).logsBloom = bits('0')), ['filter', 'bloom']],
]

describe.each([
  ['coreth', () => copied(recorded), true],
  ['go-ethereum', ethereum, true],
  ['an unknown chain', madeUp, false],
] as const)('a block of %s', (name, made, isKnown) => {
  test('is right', () => {
    expect(judge(made())).toBeNull()
  })

  test.each(lies)('with %s contradicts its header', (what, lie, kinds) => {
    const answers = made()
    lie(answers)
    const found = judge(answers)!
    expect(found.kinds).toEqual(expect.arrayContaining(kinds))
    // Bits without logs are of logs that are missing, whatever the header.
    expect(found.isCertain).toBe(isKnown || (name === 'an unknown chain' && what === 'a receipt without its logs'))
  })
})

describe('a chain with other headers', () => {
  test.each([
    ['counts gas otherwise', ({ block }: Block) => (block.gasUsed = block.gasLimit), ['gas']],
    [
      'has one root of transactions',
      (answers: Block) =>
        Object.assign(answers, {
          receipts: [],
          block: { ...answers.block, transactions: [], gasUsed: '0x0', logsBloom: bits('0') },
        }),
      ['transactions'],
    ],
    [
      'has filters without bits',
      ({ block, receipts }: Block) => [block, ...receipts].map((each) => Object.assign(each, { logsBloom: bits('0') })),
      ['filter'],
    ],
    [
      'repeats the filter of the block',
      ({ block, receipts }: Block) => receipts.map((each) => Object.assign(each, { logsBloom: block.logsBloom })),
      [],
    ],
  ] as const)('%s', (_, change, kinds) => {
    const answers = madeUp()
    change(answers)
    const found = judge(answers)
    expect(found?.isCertain ?? false).toBe(false)
    expect(found?.kinds ?? []).toEqual(expect.arrayContaining([...kinds]))
  })

  test('has a header like Ethereum, without a root of the state: its other fields mean something else, as on ZKsync OS', () => {
    const nothing = `0x${'0'.repeat(64)}`
    const { block, receipts } = ethereum()
    const header = { ...block, stateRoot: nothing, transactionsRoot: nothing, logsBloom: bits('0') }
    const own = { ...header, hash: headerHash(header, 'go-ethereum') }
    expect(own.hash).not.toBeNull()
    expect(judge({ block: own, receipts })).toEqual({ isCertain: false, kinds: ['bloom'] })
    expect(judge({ block: { ...own, transactions: [], gasUsed: '0x0' }, receipts: [] })).toEqual({
      isCertain: false,
      kinds: ['transactions'],
    })
  })

  test('has filters with all bits, also in receipts without logs', () => {
    const answers = madeUp()
    withoutLogs(answers)
    for (const each of [answers.block, ...answers.receipts]) each.logsBloom = bits('f')
    expect(judge(answers)).toEqual({ isCertain: false, kinds: ['lost'] })
  })

  test('lost all logs of a block, but no bits', () => {
    const answers = madeUp()
    for (const receipt of answers.receipts) Object.assign(receipt, { logs: [], logsBloom: answers.block.logsBloom })
    expect(judge(answers)).toMatchObject({ isCertain: true })
  })
})

test('a transaction that is listed and is not in the block does not count', () => {
  const { block, receipts } = ethereum()
  const hash = `0x${'ab'.repeat(32)}`
  const sent = { type: '0x0', hash, to: `0x${'00'.repeat(20)}`, input: '0x', value: '0x0', nonce: '0x0', gas: '0x0' }
  const transactions = [...block.transactions, { ...sent, gasPrice: '0x0', v: '0x0', r: '0x0', s: '0x0' }]
  const moved = [{ topics: [] }]
  const listed = [...receipts, { transactionHash: hash, gasUsed: '0x7', logs: moved, logsBloom: bits('1') }]
  expect(contradictionOf({ ...block, transactions }, listed)).toBeNull()
  const [first, ...others] = listed
  expect(contradictionOf({ ...block, transactions }, [{ ...first, gasUsed: '0x9' }, ...others])).toEqual({
    isCertain: true,
    kinds: ['gas'],
  })
})

test('a system transaction that uses no gas does not count where the root of the others is in the header, as on HyperEVM', () => {
  const { block, receipts } = ethereum()
  const sent = { type: '0x0', nonce: '0x7', gasPrice: '0x0', gas: '0x30d40', to: `0x${'22'.repeat(20)}`, value: '0x0' }
  const transaction = { ...sent, input: '0x', v: '0x7ef', r: '0x1', s: '0x1' }
  const hash = `0x${Buffer.from(keccak256(transactionBytes(transaction)!)).toString('hex')}`
  const transactions = [{ ...transaction, hash }, ...block.transactions]
  const system = { transactionHash: hash, gasUsed: '0x0', logs: [{ topics: [] }], logsBloom: bits('1') }
  expect(contradictionOf({ ...block, transactions }, [system, ...receipts])).toBeNull()
  for (const other of [
    { ...system, gasUsed: '0x1' },
    { ...receipts[0], gasUsed: '0x0' },
  ]) {
    const listed = [other, ...(other.transactionHash === hash ? receipts : [system, ...receipts.slice(1)])]
    expect(contradictionOf({ ...block, transactions }, listed)).toMatchObject({ isCertain: true })
  }
})

test('since Helicon the gas and the filter of a header are not those of its block', () => {
  const settling = recordedAnswers('helicon').findLast(({ receipts }) => receipts.some(({ logs }) => logs.length > 0))!
  const { block, receipts } = copied(settling)
  expect(contradictionOf({ ...block, transactions: [] }, [])).toEqual({ isCertain: true, kinds: ['transactions'] })
  expect(withLogs({ block, receipts })).toBeDefined()
  withoutLogs({ block, receipts })
  expect(contradictionOf(block, receipts)).toEqual({ isCertain: true, kinds: ['lost'] })
})
