import { describe, expect, test } from 'vitest'
import { headerHash, transactionBytes } from '../../../codec/evm/block-parts.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import { readEvmBlock } from '../../../src/decode/evm/blocks.ts'
import { createBlockChecks } from '../../../src/verify/evm-blocks.ts'
import { type Answers, recordedAnswers } from '../../decode/evm/rpc-facts.ts'

/** Recorded blocks of a coreth chain of which every second has transactions with logs. */
const granite = recordedAnswers('granite').slice(60, 100)

/** The same blocks with headers in another shape. The roots stay. */
const inShape = (answers: readonly Answers[], shape: 'go-ethereum' | 'subnet-evm'): Answers[] =>
  answers.map((answer) => {
    const {
      extDataHash: _,
      extDataGasUsed: __,
      blockGasCost,
      timestampMilliseconds,
      minDelayExcess,
      ...block
    } = answer.block
    const own = shape === 'go-ethereum' ? block : { ...block, blockGasCost, timestampMilliseconds, minDelayExcess }
    return withHash({ ...answer, block: own }, headerHash(own, shape)!)
  })

/** A copy of a block in which everything states another hash. */
const withHash = ({ block, receipts }: Answers, hash: string): Answers =>
  JSON.parse(JSON.stringify({ block, receipts }).replaceAll(block.hash, hash))

const madeUp = (answers: readonly Answers[]) =>
  answers.map((answer, at) => withHash(answer, `0x${String(at).padStart(64, '9')}`))

type Stored = { block: any; transactions: any[]; logs: any[] }

function stored(answers: readonly Answers[]): Stored[] {
  return answers.map((answer) => {
    const record = { number: Number(answer.block.number), ...answer }
    const { blocks, transactions, logs } = readEvmBlock(record, { network: 'evm-4711', chainId: '4711' })
    return { block: blocks[0]!, transactions, logs }
  })
}

/** The checks of blocks; `change` alters rows of a block before. */
function checked(answers: readonly Answers[], change: (blocks: Stored[]) => void = () => undefined) {
  const blocks = stored(answers)
  change(blocks)
  const checks = createBlockChecks({ networks: [] })
  for (const each of blocks) checks.add(each as Parameters<typeof checks.add>[0])
  return checks.checked()
}

const nothing = { findings: [], remarks: [] }
const firstWithLogs = (blocks: Stored[]) => blocks.findIndex(({ logs }, at) => at > 5 && logs.length > 0)
const altered = (change: (block: Stored) => void) => (blocks: Stored[]) => change(blocks[firstWithLogs(blocks)]!)

const chains = {
  coreth: granite,
  'go-ethereum': inShape(granite, 'go-ethereum'),
  'subnet-evm': inShape(granite, 'subnet-evm'),
}

describe.each(Object.entries(chains))('blocks with headers of %s', (_, answers) => {
  test('are right as their node states them', () => {
    expect(checked(answers)).toEqual(nothing)
  })

  const alterations: [string, (block: Stored) => void, string, string][] = [
    [
      'a flipped status',
      ({ transactions: [tx] }) => (tx.status = 1 - tx.status),
      'evm_transactions',
      'root of receipts',
    ],
    [
      'other data of a log',
      ({ logs: [log] }) => (log.data = Buffer.from('00', 'hex')),
      'evm_transactions',
      'root of receipts',
    ],
    [
      'a receipt without its logs and with a Bloom filter of zeros',
      (block) => {
        const [lost] = block.logs
        const of = (row: any) => row.transaction_index === lost.transaction_index
        block.logs = block.logs.filter((row) => !of(row))
        block.transactions.find(of).logs_bloom = new Uint8Array(256)
      },
      'evm_transactions',
      'root of receipts',
    ],
    [
      'other cumulative gas',
      ({ transactions }) => (transactions.at(-1).cumulative_gas_used += 1),
      'evm_transactions',
      'root of receipts',
    ],
    ['a transaction less', (block) => block.transactions.pop(), 'evm_blocks', 'root of transactions'],
    [
      'no transactions',
      (block) => Object.assign(block, { transactions: [], logs: [] }),
      'evm_blocks',
      'root of transactions',
    ],
    [
      'another value',
      ({ transactions: [tx] }) => (tx.value_raw = `${tx.value_raw}1`),
      'evm_blocks',
      'root of transactions',
    ],
    ['other gas', ({ transactions: [tx] }) => (tx.gas_used += 1), 'evm_transactions', 'not their cumulative gas'],
  ]
  test.each(alterations)('reveal %s', (_, alter, table, said) => {
    const { findings, remarks } = checked(answers, altered(alter))
    expect(findings.map((each) => `${each.table}: ${each.message}`).join()).toContain(said)
    expect(
      findings.some((each) => each.table === table && each.kind === 'rows.value' && each.height !== undefined),
    ).toBe(true)
    expect(remarks).toEqual([])
  })
})

test('a header that does not give its hash is wrong between headers that do', () => {
  const answers = chains['go-ethereum']
  const change = (at: number) => (blocks: Stored[]) => (blocks.at(at)!.block.gas_limit += 1n)
  const { findings, remarks } = checked(answers, change(7))
  expect(findings).toMatchObject([{ table: 'evm_blocks', columns: ['block_hash'], kind: 'rows.value' }])
  expect(remarks).toEqual([])
  // After a fork, the headers of a chain may have fields that this version does not know.
  const afterwards = (blocks: Stored[]) => {
    for (const at of [-1, -2, -3]) change(at)(blocks)
  }
  expect(checked(answers, afterwards)).toMatchObject({
    findings: [],
    remarks: [{ message: expect.stringMatching(/hash of 3 of 40 blocks of chain evm-4711\/4711 does not derive/) }],
  })
})

test('transactions that a chain lists without having them in the block are no contradiction', () => {
  const answers = chains['go-ethereum'].map(({ block, receipts }): Answers => {
    const at = {
      blockHash: block.hash,
      blockNumber: block.number,
      transactionIndex: `0x${receipts.length.toString(16)}`,
    }
    const hash = `0x${'ab'.repeat(32)}`
    const sent = { ...at, hash, from: `0x${'00'.repeat(20)}`, to: `0x${'00'.repeat(20)}`, input: '0x', value: '0x0' }
    const zeros = { nonce: '0x0', gas: '0x0', gasPrice: '0x0', type: '0x0', v: '0x0', r: '0x0', s: '0x0' }
    const receipt = { ...at, transactionHash: hash, status: '0x1', gasUsed: '0x0', cumulativeGasUsed: '0x0', logs: [] }
    return {
      block: { ...block, transactions: [...block.transactions, { ...sent, ...zeros }] },
      receipts: [...receipts, { ...receipt, logsBloom: `0x${'00'.repeat(256)}` }],
    }
  })
  expect(checked(answers)).toEqual(nothing)
  expect(
    checked(
      answers,
      altered(({ transactions: [tx] }) => (tx.status = 1 - tx.status)),
    ).findings,
  ).toHaveLength(1)
})

test('system transactions that use no gas are no part of the roots, as on HyperEVM', () => {
  const transaction = {
    ...{ type: '0x0', nonce: '0x7', gasPrice: '0x0', gas: '0x30d40', from: `0x${'22'.repeat(20)}`, value: '0x0' },
    ...{ to: `0x${'33'.repeat(20)}`, input: '0x', v: '0x7ef', r: '0x1', s: '0x1' },
  }
  const hash = `0x${Buffer.from(keccak256(transactionBytes(transaction)!)).toString('hex')}`
  const withSystem = inShape(granite, 'go-ethereum').map(({ block, receipts }, at) => {
    if (at % 3 > 0) return { block, receipts }
    const place = { blockHash: block.hash, blockNumber: block.number, transactionHash: hash }
    const receipt = { ...place, gasUsed: '0x0', cumulativeGasUsed: '0x0', status: '0x1', type: '0x0', logs: [] }
    const placed = (list: readonly any[]) =>
      list.map((each, at) => ({ ...each, transactionIndex: `0x${at.toString(16)}` }))
    const transactions = placed([{ ...transaction, ...place, hash }, ...block.transactions])
    const moved = placed([{ ...receipt, logsBloom: `0x${'0'.repeat(512)}` }, ...receipts])
    return {
      block: { ...block, transactions },
      receipts: moved.map((each) => ({
        ...each,
        logs: each.logs.map((log: object) => ({ ...log, transactionIndex: each.transactionIndex })),
      })),
    }
  })
  expect(checked(withSystem as Answers[])).toEqual(nothing)
  const changed = checked(
    withSystem as Answers[],
    altered(({ transactions }) => (transactions.at(-1).value_raw = '99')),
  )
  expect(changed.findings).not.toEqual([])
})

describe('blocks with hashes that do not derive', () => {
  const unknown = expect.stringMatching(
    /^The hash of 40 of 40 blocks of chain evm-4711\/4711 does not derive from the header/,
  )

  test('are not compared with their headers, and this is said once', () => {
    expect(checked(madeUp(granite))).toEqual({ findings: [], remarks: [{ table: 'evm_blocks', message: unknown }] })
  })

  test.each([
    ['the first transaction uses no gas', [0, 21_000, 42_000], [0, 21_000, 21_000], 0],
    ['cumulative gas is 0', [0, 0, 0], [5, 6, 7], 1],
    ['the last transaction states 0', [5, 11, 0], [5, 6, 0], 1],
  ] as const)('may count gas as they like: %s', (_, cumulative, used, remarks) => {
    const sums = [0, 21_000, 42_000]
    const found = checked(madeUp(granite), (blocks) => {
      for (const { transactions } of blocks)
        for (const [at, tx] of transactions.entries()) {
          const running =
            remarks === 0 ? sums[Math.min(at, 2)]! + 21_000 * Math.max(0, at - 2) : cumulative[Math.min(at, 2)]!
          tx.cumulative_gas_used = running
          tx.gas_used = remarks === 0 ? (at === 0 ? 0 : 21_000) : used[Math.min(at, 2)]!
        }
    })
    expect(found.findings).toEqual([])
    expect(found.remarks).toHaveLength(1 + remarks)
    if (remarks > 0) expect(found.remarks[1]!.message).toMatch(/cumulative gas .* is not the sum/)
  })

  test.each([0, 255])('may have Bloom filters of bytes %i', (byte) => {
    const same = (blocks: Stored[]) => {
      for (const { transactions } of blocks)
        for (const tx of transactions) tx.logs_bloom = new Uint8Array(256).fill(byte)
    }
    expect(checked(madeUp(granite), same).findings).toEqual([])
  })

  test('have wrong Bloom filters only where other blocks have right ones', () => {
    const alter = ({ transactions }: Stored) => {
      for (const tx of transactions) tx.logs_bloom = new Uint8Array(256).fill(1)
    }
    expect(checked(madeUp(granite), altered(alter)).findings).toMatchObject([{ columns: ['logs_bloom'] }])
    const { findings, remarks } = checked(madeUp(granite), (blocks) => {
      for (const each of blocks) alter(each)
    })
    expect(findings).toEqual([])
    expect(remarks.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^The Bloom filters of receipts of/),
    )
  })
})

test('since Helicon only the root of transactions is that of the block', () => {
  const answers = recordedAnswers('helicon').slice(-30)
  const { findings, remarks } = checked(answers)
  expect(findings).toEqual([])
  expect(remarks.map(({ message }) => message)).toEqual([
    'The roots of 30 of 30 blocks of chain evm-4711/4711 were not all derived: since Helicon they state the root of receipts of the blocks that they settle.',
  ])
  expect(checked(answers, (blocks) => blocks[9]!.transactions.pop()).findings).toMatchObject([
    { columns: ['transactions_root'] },
  ])
})
