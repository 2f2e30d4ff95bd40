import { describe, expect, test } from 'vitest'
import { evmBlocks, evmLogs, evmTokenTransfers, evmTransactions } from '../../../schemas/evm-blocks.ts'
import { readEvmBlock } from '../../../src/decode/evm/blocks.ts'
import { noBytes } from '../../../src/decode/values.ts'
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

  test.each([
    ['0x01', null, 1],
    ['0x0', null, 0],
    ['0x', null, null],
    ['0x1', '0x1', 1],
  ])('has no receipt root where a chain writes a status there: %s', (root, status, expected) => {
    const answers = someAnswers()
    Object.assign(answers.receipts[0], { root, status })
    expect(read(answers).transactions[0]).toMatchObject({ receipt_root: null, status: expected })
  })

  test('has no bytes where a chain writes the quantity zero, such as OKTC and others of Ethermint', () => {
    const answers = someAnswers()
    answers.block.extraData = '0x0'
    answers.block.logsBloom = '0x0'
    answers.block.transactions[0].input = '0x0'
    answers.receipts[0].logs[0].data = '0x0'
    const { blocks, transactions, logs } = read(answers)
    expect(blocks[0]).toMatchObject({ extra_data: noBytes, logs_bloom: null })
    expect([transactions[0]!.input, logs[0]!.data]).toEqual([noBytes, noBytes])
    answers.block.extraData = '0x1'
    expect(() => read(answers)).toThrow(/extraData is no hexadecimal text/)
  })

  test('has authorizations with the signature in an object, and access lists, as Frontier writes them', () => {
    const answers = someAnswers()
    const [word, address] = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(20)}`]
    const signed = { odd_y_parity: true, r: word, s: '0x00ff' }
    Object.assign(answers.block.transactions[0], {
      accessList: [
        { address, storage_keys: [word] },
        { address, storageKeys: null },
      ],
      authorizationList: [
        { address, chain_id: 945, nonce: '0x6', signature: signed },
        { address, chainId: '0x1', nonce: '0x7', v: '0x1c', r: word, s: '0x0' },
        { address, chainId: '0x1', nonce: '0x8', signature: { type: 'webAuthn', webauthnData: '0x' } },
      ],
    })
    const told: string[] = []
    const { transactions } = read(answers, (path) => told.push(path))
    expect(transactions[0]).toMatchObject({
      access_list: [
        { address, storage_keys: [word] },
        { address, storage_keys: [] },
      ],
      authorization_list: [
        { signed_chain_id: 945n, address, nonce: 6n, y_parity: 1, r: word, s: '0xff' },
        { signed_chain_id: 1n, nonce: 7n, y_parity: 1, r: word, s: '0x0' },
        { signed_chain_id: 1n, nonce: 8n, y_parity: null, r: null, s: null },
      ],
    })
    expect(told).toContain('transactions[].authorizationList[].signature.webauthnData')
    expectFits(evmTransactions, transactions)
  })

  test('has the signature of an object, as Tempo writes it, with null for what it does not hold', () => {
    const word = `0x${'ab'.repeat(32)}`
    const signatures: [object, object, string][] = [
      [
        { type: 'secp256k1', r: word, s: '0x05', yParity: '0x1', v: '0x1' },
        { r: word, s: '0x5', y_parity: 1, v: 1n },
        'type',
      ],
      [{ type: 'p256', r: word, s: word, pubKeyX: word }, { r: word, s: word, y_parity: null, v: null }, 'pubKeyX'],
      [{ type: 'keychain', signature: {} }, { r: null, s: null, y_parity: null, v: null }, 'signature'],
    ]
    for (const [signature, expected, left] of signatures) {
      const answers = someAnswers()
      const [transaction] = answers.block.transactions
      for (const name of ['r', 's', 'v', 'yParity']) delete transaction[name]
      Object.assign(transaction, { type: '0x76', signature })
      const told: string[] = []
      const { transactions } = read(answers, (path) => told.push(path))
      expect(transactions[0]).toMatchObject(expected)
      expect(told).toContain(`transactions[].signature.${left}`)
      expect(told).not.toContain('transactions[].signature')
      expectFits(evmTransactions, transactions)
    }
  })

  test('is read without what a chain does not state: the columns are null', () => {
    const answers = someAnswers()
    const [transaction] = answers.block.transactions
    for (const name of ['to', 'value', 'input', 'nonce', 'gas', 'v', 'r', 's']) delete transaction[name]
    Object.assign(transaction, { type: '0x76', calls: [{ to: null, value: '0x0', input: '0x' }] })
    Object.assign(answers.block, {
      stateRoot: '0x',
      transactionsRoot: '0x',
      mixHash: '0x0',
      logsBloom: '0x',
      miner: null,
    })
    const told: string[] = []
    const { blocks, transactions } = read(answers, (path) => told.push(path))
    expect(blocks[0]).toMatchObject({
      state_root: null,
      transactions_root: null,
      mix_hash: null,
      logs_bloom: null,
      miner: null,
    })
    expect(transactions[0]).toMatchObject({
      transaction_type: 118,
      nonce: null,
      value: null,
      value_raw: null,
      input: null,
      gas_limit: null,
    })
    expect(told).toEqual(['transactions[].calls'])
    expectFits(evmBlocks, blocks)
    expectFits(evmTransactions, transactions)
  })

  test('of a rollup has the fees for L1 and what deposits state', () => {
    const answers = someAnswers()
    const word = `0x${'ab'.repeat(32)}`
    delete answers.block.transactions[0].nonce
    Object.assign(answers.block.transactions[0], { type: '0x7e', sourceHash: word, mint: '0x5', isSystemTx: false })
    Object.assign(answers.receipts[0], {
      depositNonce: '0x9',
      l1Fee: '0x7',
      l1GasUsed: '0x640',
      l1GasPrice: '0x3',
      l1FeeScalar: '0.684',
    })
    Object.assign(answers.receipts[1], { gasUsedForL1: '0x8', l1BlockNumber: '0x11b3fb3' })
    Object.assign(answers.block, { l1BlockNumber: '0x11b3fb3', blockAccessListHash: word, slotNumber: '0x2' })
    const { blocks, transactions } = read(answers)
    expect(blocks[0]).toMatchObject({ l1_block_number: 0x11b3fb3, block_access_list_hash: word, slot_number: 2n })
    expect(transactions[0]).toMatchObject({
      ...{ nonce: 9n, source_hash: word, mint: 5n, mint_raw: '5', is_system_tx: false },
      ...{ l1_fee: 7n, l1_fee_raw: '7', l1_gas_used: 1600n, l1_gas_price: 3n, l1_fee_scalar: '0.684' },
    })
    expect(transactions[1]).toMatchObject({ gas_used_for_l1: 8n, l1_block_number: 0x11b3fb3, l1_fee: null })
    expectFits(evmBlocks, blocks)
    expectFits(evmTransactions, transactions)
  })

  const zero = `0x${'0'.repeat(40)}`
  const [called, made] = [`0x${'12'.repeat(20)}`, `0x${'34'.repeat(20)}`]
  test.each([
    [called, zero, null],
    [called, called, null],
    [called, made, null],
    [null, zero, null],
    ['0x', made, made],
    ['0x0000000000000000000000000000000000008006', made, made],
  ])('says what a transaction to %s created if its receipt says %s', (to, contractAddress, expected) => {
    const answers = someAnswers()
    answers.block.transactions[0].to = to
    answers.receipts[0].contractAddress = contractAddress
    expect(read(answers).transactions[0]!.contract_address).toBe(expected)
  })

  test('may state addresses in capitals, logs without topics and data as null, and numbers as numbers', () => {
    const answers = someAnswers()
    const log = answers.receipts.flatMap(({ logs }) => logs)[0]
    Object.assign(log, { address: `0x${'AbCd'.repeat(10)}`, topics: null, data: null })
    answers.block.gasLimit = 30_000_000
    const { blocks, logs } = read(answers)
    expect(blocks[0]!.gas_limit).toBe(30_000_000n)
    expect(logs[0]).toMatchObject({ address: `0x${'abcd'.repeat(10)}`, topic0: null })
    expect(logs[0]!.data).toHaveLength(0)
  })

  test('has receipts in any order, and none for a transaction that was never executed', () => {
    const answers = someAnswers()
    const whole = read(answers)
    answers.receipts.reverse()
    expect(read(answers)).toEqual(whole)
    const last = answers.block.transactions.length - 1
    answers.receipts.shift()
    const told: string[] = []
    const { transactions } = read(answers, (path) => told.push(path))
    expect(transactions[last]).toMatchObject({
      status: null,
      gas_used: null,
      cumulative_gas_used: null,
      log_count: null,
    })
    expect(transactions.slice(0, last)).toEqual(whole.transactions.slice(0, last))
    expect(told).toEqual(['transactions[] without a receipt'])
    expectFits(evmTransactions, transactions)
  })

  /** A block with a header in a shape that is not known. Its transactions have these indices, and so do their receipts and logs. */
  const indexed = (...indices: number[]) => {
    const { block, receipts } = someAnswers()
    Object.assign(block, { nonce: '0x1' })
    for (const [at, transaction] of block.transactions.entries())
      for (const each of [transaction, receipts[at], ...receipts[at].logs])
        each.transactionIndex = `0x${(indices[at] ?? at + 100).toString(16)}`
    return { block, receipts }
  }

  test('keeps the indices of logs as stated, and says that they are not positions', () => {
    const answers = someAnswers()
    const logs = (answers.receipts as any[]).flatMap((receipt) => receipt.logs)
    for (const log of logs) log.logIndex = `0x${(Number(log.logIndex) + 3).toString(16)}`
    const told: string[] = []
    expect(read(answers, (path) => told.push(path)).logs.map((row) => row.log_index)).toEqual(
      logs.map((_, at) => at + 3),
    )
    expect(told).toEqual([expect.stringContaining('logIndex is not the position of the log in the block')])
  })

  test('may have a transaction twice, as on Hedera: the receipt is of the one that it names', () => {
    const answers = someAnswers()
    answers.block.nonce = '0x1'
    const { transactions } = answers.block
    const last = transactions.length
    for (const executed of [0, last]) {
      const twice = structuredClone(answers)
      twice.block.transactions.push({ ...twice.block.transactions[0], transactionIndex: `0x${last.toString(16)}` })
      const [first] = twice.receipts as any[]
      for (const each of [first, ...first.logs]) each.transactionIndex = `0x${executed.toString(16)}`
      const rows = read(twice).transactions
      expect(rows).toHaveLength(last + 1)
      expect(rows.filter(({ status }) => status === null).map((row) => row.transaction_index)).toEqual([
        last - executed,
      ])
    }
  })

  test('has the indices of a chain that hides some of its transactions, and says that they leave out numbers', () => {
    const answers = indexed(1, 2, 7)
    const told: string[] = []
    const { transactions, logs } = read(answers, (path) => told.push(path))
    expect(transactions.slice(0, 3).map((row) => row.transaction_index)).toEqual([1, 2, 7])
    const ofReceipts = answers.receipts.flatMap((receipt) => receipt.logs.map(() => Number(receipt.transactionIndex)))
    expect(logs.map((row) => row.transaction_index)).toEqual(ofReceipts)
    expect(told).toEqual([
      'block: transactionIndex leaves out numbers, and nothing proves that no transaction is missing',
    ])
  })

  test.each([
    ['the same index twice', indexed(0, 2, 2)],
    ['a lower index', indexed(3, 2, 4)],
    ['a gap, although the hash of the block derives from its header', { ...indexed(0, 2, 3), block: null }],
    ['another index in a receipt', { ...indexed(0, 2, 3), receipts: indexed(0, 3, 4).receipts }],
  ])('is refused with %s', (_, { block, receipts }) => {
    const whole = { block: block ?? { ...indexed(0, 2, 3).block, nonce: someAnswers().block.nonce }, receipts }
    expect(() => read(whole)).toThrow(/transactionIndex is \d+ (after|and not) \d+/)
  })

  test('leaves out a receipt of the block itself', () => {
    const answers = someAnswers()
    const whole = read(answers)
    answers.receipts.push({ ...answers.receipts[0], transactionHash: answers.block.hash })
    const told: string[] = []
    expect(read(answers, (path) => told.push(path))).toEqual(whole)
    expect(told).toEqual(['receipts[] of no transaction'])
  })

  test.each([
    ['milliseconds', 1000n],
    ['microseconds', 1_000_000n],
    ['nanoseconds', 1_000_000_000n],
  ])('has the right time if the chain writes %s', (_, perSecond) => {
    const answers = someAnswers()
    delete answers.block.timestampMilliseconds
    const timestamp = 1_700_000_123n * perSecond + perSecond / 4n
    answers.block.timestamp = `0x${timestamp.toString(16)}`
    expect(read(answers).blocks[0]).toMatchObject({ block_time: 1_700_000_123_250_000n, timestamp_seconds: timestamp })
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
    answers.block.sendRoot = '0x1'
    for (const transaction of answers.block.transactions) transaction.feeToken = '0x0'
    for (const receipt of answers.receipts) receipt.l1BlobBaseFee = '0x0'
    answers.receipts.flatMap(({ logs }) => logs)[0].more = true
    const told: string[] = []
    read(answers, (path) => told.push(path))
    expect(told.sort()).toEqual([
      ...['receipts[].l1BlobBaseFee', 'receipts[].logs[].more', 'sendRoot', 'transactions[].feeToken'],
    ])
  })
})

describe('a damaged EVM block', () => {
  const logsOf = ({ receipts }: Answers) => receipts.flatMap(({ logs }) => logs)
  const other = `0x${'12'.repeat(32)}`
  const damages: [what: string, damage: (answers: Answers) => unknown, field: string, why: RegExp][] = [
    ['a fraction', ({ block }) => (block.gasUsed = 21000.5), 'gasUsed', /no quantity/],
    ['decimal digits', ({ block }) => (block.transactions[1].value = '17'), 'transactions[1].value', /no quantity/],
    ['a quantity without digits', ({ block }) => (block.gasUsed = '0x'), 'gasUsed', /missing/],
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
    ['no transactions', ({ block }) => delete block.transactions, 'transactions', /missing/],
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
    ['no receipt', ({ receipts }) => receipts.splice(0), 'receipts', /of \d+ transactions/],
    ['an extra receipt', ({ receipts }) => receipts.push(receipts[0]), 'receipts', /two of one/],
    ['a null receipt', ({ receipts }) => (receipts[1] = null), 'receipts[1]', /no object/],
    ['one of another block', ({ receipts }) => (receipts[1].blockHash = other), 'receipts[1].blockHash', /not 0x/],
    ['of another number', ({ receipts }) => (receipts[1].blockNumber = '0x0'), 'receipts[1].blockNumber', /is 0 and/],
    [
      'of another transaction',
      ({ receipts }) => (receipts[0].transactionHash = other),
      'receipts[0].transactionHash',
      /no transaction/,
    ],
    [
      'at another place',
      ({ receipts }) => (receipts[0].transactionIndex = '0x1'),
      'receipts[0].transactionIndex',
      /not 0/,
    ],
    ['no logs', ({ receipts }) => delete receipts[0].logs, 'receipts[0].logs', /missing/],
  ]

  test.each(damages)('is refused; the error names the block and the field: %s (%#)', (_, damage, field, why) => {
    const answers = someAnswers()
    damage(answers)
    const failure = failureOf(answers)
    expect(failure.details).toMatchObject({ block_number: Number(answers.block.number), field })
    expect(failure.message).toContain(`EVM block ${Number(answers.block.number)} of chain 43112: ${field} `)
    expect(failure.message).toMatch(why)
    expect(failure.exitCode).toBe(4)
  })

  const logDamages: [what: string, damage: (log: any) => unknown, name: string][] = [
    ['an index that is none', (log) => (log.logIndex = '0xz'), 'logIndex'],
    ['another block', (log) => (log.blockHash = other), 'blockHash'],
    ['another transaction', (log) => (log.transactionHash = other), 'transactionHash'],
    ['a log that was removed', (log) => (log.removed = true), 'removed'],
    ['a log that was removed, as text', (log) => (log.removed = 'true'), 'removed'],
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

test('the reader tells what the source remarks about blocks', () => {
  const [answers] = recordedAnswers('granite')
  const told: string[] = []
  const record = { number: 0, ...answers!, remarks: ['gasUsed is another'] }
  readEvmBlock(record, { ...chain, unknownField: (path) => told.push(path) })
  expect(told).toEqual(['block: gasUsed is another'])
})
