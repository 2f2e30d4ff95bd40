import { describe, expect, test } from 'vitest'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { evmLogs } from '../../../schemas/evm-logs.ts'
import { evmTokenTransfers } from '../../../schemas/evm-token-transfers.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import { readEvmBlock } from '../../../src/decode/evm/read-block.ts'
import { DecodeError } from '../../../src/errors.ts'
import { blockFacts } from '../c/json-facts.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { recordingNames } from '../recordings.ts'
import { expectFits } from '../service/expect-fits.ts'
import { type Answers, logFacts, recordedAnswers, transactionFacts, transferFacts } from './rpc-facts.ts'

const chain = { network: 'local', chainId: '43112' }

function read({ block, receipts }: Answers, unknownField: (path: string) => void = () => {}) {
  return readEvmBlock({ number: Number(block.number), block, receipts }, { ...chain, unknownField })
}

describe('rows of recorded EVM blocks', () => {
  test.each(recordingNames)('of %s match the RPC answers for every block from the genesis block on', (recording) => {
    const answers = recordedAnswers(recording)
    const unknown = new Set<string>()
    const read1 = (each: Answers) => read(each, (path) => unknown.add(path))
    const rows = answers.map(read1)
    const blocks = rows.flatMap((each) => each.blocks)
    const transactions = rows.flatMap((each) => each.transactions)
    const logs = rows.flatMap((each) => each.logs)
    const transfers = rows.flatMap((each) => each.tokenTransfers)

    expectRows(
      blocks,
      answers.map(({ block, receipts }) => {
        const { ext_data_length: _, logs_bloom, extra_data, ...facts } = blockFacts(block) as any
        return {
          ...facts,
          network: 'local',
          chain_id: '43112',
          logs_bloom: Buffer.from(logs_bloom),
          extra_data: Buffer.from(extra_data),
          block_extra_data: Buffer.from(block.blockExtraData.slice(2), 'hex'),
          size: BigInt(block.size),
          uncles: [],
          log_count: receipts.flatMap(({ logs }) => logs).length,
        }
      }),
    )
    expectRows(transactions, answers.flatMap(transactionFacts))
    expectRows(logs, answers.flatMap(logFacts))
    expectRows(transfers, answers.flatMap(transferFacts))

    expectTable('evm_blocks', blocks)
    expectTable('evm_transactions', transactions)
    expectTable('evm_logs', logs)
    expectTable('evm_token_transfers', transfers)
    expectFits(evmBlocks, blocks)
    expectFits(evmTransactions, transactions)
    expectFits(evmLogs, logs)
    expectFits(evmTokenTransfers, transfers)
    expect([...unknown]).toEqual([])
    expect(new Set(transactions.map(({ status }) => status))).toEqual(new Set([0, 1]))
    expect(new Set(transfers.map(({ standard }) => standard))).toEqual(new Set(['erc20', 'erc721', 'erc1155']))
    expect(transfers.some(({ amount, amount_raw }) => amount === null && amount_raw.length > 38)).toBe(true)
    expect(transfers.some(({ position }) => position > 0)).toBe(true)
  })
})

/** A copy of a block with several transactions that have logs. A test may change it. */
function someAnswers(): Answers {
  const found = recordedAnswers('granite').find(
    ({ receipts }) => receipts.length > 2 && receipts.filter(({ logs }) => logs.length > 0).length > 1,
  )
  return structuredClone(found!)
}

describe('an EVM block', () => {
  test('is read with only the fields that every chain has; the other columns are null', () => {
    const { number, hash, parentHash, timestamp, miner, gasUsed } = someAnswers().block
    const { blocks } = read({
      block: { number, hash, parentHash, timestamp, miner, gasUsed, transactions: [] },
      receipts: [],
    })
    const present = Object.entries(blocks[0]!).filter(([, value]) => value !== null)
    expect(present.map(([name]) => name)).toEqual([
      'network',
      'chain_id',
      'block_number',
      'block_time',
      'block_hash',
      'parent_hash',
      'miner',
      'gas_used',
      'timestamp_seconds',
      'transaction_count',
      'log_count',
    ])
  })

  test('is the same row whatever total difficulty the version of the node states', () => {
    const rowsOf = (totalDifficulty?: string) => {
      const { block, receipts } = someAnswers()
      return read({ block: { ...block, totalDifficulty }, receipts })
    }
    expect(rowsOf('0x0')).toEqual(rowsOf('0x2a'))
    expect(rowsOf()).toEqual(rowsOf('0x2a'))
  })

  test('is read with withdrawals, blobs and authorizations', () => {
    const answers = someAnswers()
    const word = `0x${'ab'.repeat(32)}`
    const address = `0x${'CD'.repeat(20)}`
    answers.block.withdrawals = [{ index: '0x1', validatorIndex: '0x2', address, amount: '0x3' }]
    Object.assign(answers.block.transactions[0], {
      maxFeePerBlobGas: '0x5',
      blobVersionedHashes: [word],
      authorizationList: [{ chainId: '0x0', address, nonce: '0x7', yParity: '0x1', r: '0x00ff', s: '0x0' }],
    })
    Object.assign(answers.receipts[0], { blobGasUsed: '0x20000', blobGasPrice: '0x9' })
    const { blocks, transactions } = read(answers)
    const lower = address.toLowerCase()
    expect(blocks[0]!.withdrawals).toEqual([{ withdrawal_index: 1n, validator_index: 2n, address: lower, amount: 3n }])
    expect(transactions[0]).toMatchObject({
      max_fee_per_blob_gas: 5n,
      blob_versioned_hashes: [word],
      authorization_list: [{ signed_chain_id: 0n, address: lower, nonce: 7n, y_parity: 1, r: '0xff', s: '0x0' }],
      blob_gas_used: 131_072n,
      blob_gas_price: 9n,
    })
    expectFits(evmBlocks, blocks)
    expectFits(evmTransactions, transactions)
  })

  test('is read with a receipt root and no status (before Byzantium), without type and price (before Berlin)', () => {
    const answers = someAnswers()
    delete answers.receipts[0].status
    delete answers.receipts[0].effectiveGasPrice
    delete answers.block.transactions[0].type
    answers.receipts[0].root = answers.block.stateRoot
    expect(read(answers).transactions[0]).toMatchObject({
      status: null,
      receipt_root: answers.block.stateRoot,
      transaction_type: 0,
      effective_gas_price: null,
    })
  })

  test('keeps a number of 256 bits as text, and its number column is null', () => {
    const answers = someAnswers()
    answers.block.transactions[0].value = `0x${'f'.repeat(64)}`
    const [row] = read(answers).transactions
    expect([row!.value, row!.value_raw]).toEqual([null, (2n ** 256n - 1n).toString()])
  })

  test('keeps the seconds of a time that does not fit a timestamp, and its time column is null', () => {
    const answers = someAnswers()
    answers.block.timestamp = '0xffffffffffffffff'
    delete answers.block.timestampMilliseconds
    expect(read(answers).blocks[0]).toMatchObject({ block_time: null, timestamp_seconds: 2n ** 64n - 1n })
  })

  test('reports each field without a column once', () => {
    const answers = someAnswers()
    answers.block.l1BlockNumber = '0x1'
    for (const transaction of answers.block.transactions) transaction.mint = '0x0'
    for (const receipt of answers.receipts) receipt.l1Fee = '0x0'
    answers.receipts.flatMap(({ logs }) => logs)[0].more = true
    const told: string[] = []
    read(answers, (path) => told.push(path))
    expect(told.sort()).toEqual(['l1BlockNumber', 'receipts[].l1Fee', 'receipts[].logs[].more', 'transactions[].mint'])
  })
})

describe('a damaged EVM block', () => {
  const logsOf = ({ receipts }: Answers) => receipts.flatMap(({ logs }) => logs)
  const other = `0x${'12'.repeat(32)}`
  const damages: [what: string, damage: (answers: Answers) => unknown, field: string, why: RegExp][] = [
    ['a number', ({ block }) => (block.gasUsed = 21000), 'gasUsed', /no quantity/],
    ['decimal digits', ({ block }) => (block.transactions[1].value = '17'), 'transactions[1].value', /no quantity/],
    [
      'a quantity without digits',
      ({ block }) => (block.transactions[1].nonce = '0x'),
      'transactions[1].nonce',
      /no qu/,
    ],
    ['a negative one', ({ block }) => (block.gasLimit = '-0x1'), 'gasLimit', /no quantity/],
    ['odd digits', ({ block }) => (block.transactions[0].input = '0x123'), 'transactions[0].input', /hexadecimal/],
    ['bytes that are none', ({ block }) => (block.extraData = '0xzz'), 'extraData', /hexadecimal/],
    ['a short hash', ({ block }) => (block.parentHash = '0x12'), 'parentHash', /no hash/],
    ['a long address', ({ block }) => (block.transactions[0].to = other), 'transactions[0].to', /no address/],
    [
      '65 bits',
      ({ block }) => (block.transactions[0].nonce = `0x1${'0'.repeat(16)}`),
      'transactions[0].nonce',
      /larger/,
    ],
    [
      'gas of 64 bits',
      ({ receipts }) => (receipts[0].gasUsed = `0x8${'0'.repeat(15)}`),
      'receipts[0].gasUsed',
      /larger/,
    ],
    ['a block without hash', ({ block }) => delete block.hash, 'hash', /missing/],
    ['hashes for transactions', ({ block }) => (block.transactions = [other]), 'transactions[0]', /no object/],
    ['no transactions', ({ block }) => (block.transactions = null), 'transactions', /missing/],
    [
      'a transaction out of order',
      ({ block }) => block.transactions.reverse(),
      'transactions[0].transactionIndex',
      /not 0/,
    ],
    [
      'one of another block',
      ({ block }) => (block.transactions[1].blockHash = other),
      'transactions[1].blockHash',
      /not 0x/,
    ],
    ['a missing receipt', ({ receipts }) => receipts.pop(), 'receipts', /of \d+ transactions/],
    ['an extra receipt', ({ receipts }) => receipts.push(receipts[0]), 'receipts', /of \d+ transactions/],
    ['a null receipt', ({ receipts }) => (receipts[1] = null), 'receipts[1]', /no object/],
    ['one of another block', ({ receipts }) => (receipts[1].blockHash = other), 'receipts[1].blockHash', /not 0x/],
    ['of another number', ({ receipts }) => (receipts[1].blockNumber = '0x0'), 'receipts[1].blockNumber', /is 0 and/],
    [
      'of another transaction',
      ({ receipts }) => (receipts[0].transactionHash = other),
      'receipts[0].transactionHash',
      /not/,
    ],
    [
      'at another place',
      ({ receipts }) => (receipts[0].transactionIndex = '0x1'),
      'receipts[0].transactionIndex',
      /not 0/,
    ],
    ['receipts in another order', ({ receipts }) => receipts.reverse(), 'receipts[0].transactionHash', /is not/],
    ['no logs', ({ receipts }) => delete receipts[0].logs, 'receipts[0].logs', /missing/],
  ]

  test.each(damages)('is refused; the error names the block and the field: %s (%#)', (_, damage, field, why) => {
    const answers = someAnswers()
    damage(answers)
    const failure = failureOf(answers)
    expect(failure.details).toMatchObject({ block_number: Number(answers.block.number), field })
    expect(failure.message).toContain(`EVM block ${Number(answers.block.number)}: ${field} `)
    expect(failure.message).toMatch(why)
    expect(failure.exitCode).toBe(4)
  })

  const logDamages: [what: string, damage: (log: any) => unknown, name: string][] = [
    ['an index that is none', (log) => (log.logIndex = '0xz'), 'logIndex'],
    ['another block', (log) => (log.blockHash = other), 'blockHash'],
    ['another transaction', (log) => (log.transactionHash = other), 'transactionHash'],
    ['a log that was removed', (log) => (log.removed = true), 'removed'],
    ['five topics', (log) => (log.topics = Array.from({ length: 5 }, () => other)), 'topics'],
    ['a short topic', (log) => (log.topics = ['0x00']), 'topics[0]'],
  ]

  test.each(logDamages)('is refused; the error names the field of the log: %s', (_, damage, name) => {
    const answers = someAnswers()
    damage(logsOf(answers).at(-1))
    const failure = failureOf(answers)
    expect(failure.details['field']).toMatch(/^receipts\[\d+\]\.logs\[\d+\]\./)
    expect(failure.details['field']).toMatch(new RegExp(`\\.${name.replace(/[[\]]/g, '\\$&')}$`))
  })

  test('is refused when two logs of a transaction have one index', () => {
    const answers = someAnswers()
    const { logs } = answers.receipts.find((receipt) => receipt.logs.length > 1)!
    logs[1].logIndex = logs[0].logIndex
    expect(failureOf(answers).details['field']).toMatch(/\.logs\[1\]\.logIndex$/)
  })

  test.each([[null], [{}], ['0x']])('is refused when the receipts are no list: %j', (receipts) => {
    expect(failureOf({ ...someAnswers(), receipts: receipts as any }).details['field']).toBe('receipts')
  })
})

function failureOf(answers: Answers): DecodeError {
  try {
    read(answers)
  } catch (cause) {
    if (cause instanceof DecodeError) return cause
    throw cause
  }
  return expect.fail('the block was read')
}
