import { Transaction } from 'micro-eth-signer'
import { expect, test } from 'vitest'
import { emptyRoot, headerShape, listRoot, receiptBytes, transactionBytes } from '../../../codec/evm/block-parts.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import { encodeRlp, type Rlp } from '../../../devnet/c/rlp.ts'
import { recordedAnswers } from '../../decode/evm/rpc-facts.ts'

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
const bytes = (text: string) => Buffer.from(text.slice(2), 'hex')
const hashOf = (item: Rlp) => hex(keccak256(encodeRlp(item)))

test.each(['granite', 'helicon'])('%s: recorded answers give the hashes and the roots of their blocks', (recording) => {
  const [answers, roots] = [recordedAnswers(recording).slice(-60), { receipts: 0 }]
  for (const { block, receipts } of answers) {
    expect(headerShape(block)).toBe('coreth')
    const sent = block.transactions.map(transactionBytes)
    expect(sent.map((each: Uint8Array) => hex(keccak256(each)))).toEqual(
      block.transactions.map(({ hash }: any) => hash),
    )
    expect(listRoot(sent)).toBe(block.transactionsRoot)
    const written = receipts.map((receipt) =>
      receiptBytes(
        receipt,
        receipt.logs.map((log: any) => ({ ...log, data: bytes(log.data) })),
      ),
    )
    // Since Helicon, the root of receipts belongs to the blocks that the block settles.
    if (block.settledHeight !== undefined) continue
    expect(listRoot(written)).toBe(block.receiptsRoot)
    roots.receipts += 1
  }
  expect(roots.receipts).toBe(recording === 'granite' ? 60 : 0)
})

/** Block 0 of Ethereum. */
const genesis = {
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: `0x${'00'.repeat(32)}`,
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: `0x${'00'.repeat(20)}`,
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  transactionsRoot: emptyRoot,
  receiptsRoot: emptyRoot,
  logsBloom: `0x${'00'.repeat(256)}`,
  difficulty: '0x400000000',
  number: '0x0',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x0',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  mixHash: `0x${'00'.repeat(32)}`,
  nonce: '0x0000000000000042',
}
const legacy: Rlp[] = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'],
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'extraData', 'mixHash', 'nonce'],
].map((name) => {
  const text = genesis[name as keyof typeof genesis]
  return text.length < 18 ? BigInt(text) : bytes(text)
})

test('the hash of a header of go-ethereum derives from it, also as the lake holds it', () => {
  expect(headerShape(genesis)).toBe('go-ethereum')
  expect(headerShape({ ...genesis, nonce: 0x42n, difficulty: '17179869184', number: 0 })).toBe('go-ethereum')
  expect(headerShape({ ...genesis, gasLimit: '0x1389' })).toBeNull()
  expect(headerShape({ ...genesis, mixHash: undefined })).toBeNull()
})

test('fields that forks have appended are part of the hash, in the order of their chain', () => {
  const [root, other] = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`]
  const later = { baseFeePerGas: '0x7', blobGasUsed: '0x0', excessBlobGas: '0x20000', parentBeaconBlockRoot: root }
  const cancun: Rlp[] = [0, 0x20000, bytes(root)]
  const of = (more: object, items: readonly Rlp[]) =>
    headerShape({ ...genesis, ...more, hash: hashOf([...legacy, ...items]) })
  expect(of({ ...later, withdrawalsRoot: other }, [7, bytes(other), ...cancun])).toBe('go-ethereum')
  const prague = { ...later, withdrawalsRoot: other, requestsHash: root, blockAccessListHash: other, slotNumber: '0x9' }
  expect(of(prague, [7, bytes(other), ...cancun, bytes(root), bytes(other), 9])).toBe('go-ethereum')
  // A chain without withdrawals writes nothing in their place.
  expect(of(later, [7, new Uint8Array(), ...cancun])).toBe('go-ethereum')
  expect(of({ ...later, blockGasCost: '0x0' }, [7, 0, ...cancun])).toBe('subnet-evm')
  const granite = { ...later, blockGasCost: '0x0', timestampMilliseconds: '0x1', minDelayExcess: '0x2' }
  expect(of(granite, [7, 0, ...cancun, 1, 2])).toBe('subnet-evm')
  expect(of({ ...later, blockGasCost: '0x0', withdrawalsRoot: other }, [7, 0, ...cancun])).toBeNull()
})

const key = `0x${'4c'.repeat(32)}`
const list = [{ address: `0x${'11'.repeat(20)}`, storageKeys: [`0x${'22'.repeat(32)}`, `0x${'00'.repeat(32)}`] }]
const shared = { nonce: 3n, gasLimit: 90_000n, to: `0x${'33'.repeat(20)}`, value: 5n, data: '0x0102', chainId: 4_711n }
const fees = { maxFeePerGas: 30n, maxPriorityFeePerGas: 2n }
const signed = Transaction.prepare({ type: 'eip1559', ...shared, ...fees, accessList: list }).signBy(key)
const permit = { chainId: 4_711n, address: `0x${'44'.repeat(20)}`, nonce: 0n, yParity: 1, r: 0x55n, s: 0x66n }

test.each([
  ['legacy', { type: 'legacy', ...shared, gasPrice: 30n }],
  ['eip2930', { type: 'eip2930', ...shared, gasPrice: 30n, accessList: list }],
  ['eip1559', { type: 'eip1559', ...shared, ...fees, accessList: list }],
  [
    'eip4844',
    {
      type: 'eip4844',
      ...shared,
      ...fees,
      accessList: [],
      maxFeePerBlobGas: 9n,
      blobVersionedHashes: [`0x01${'77'.repeat(31)}`],
    },
  ],
  ['eip7702', { type: 'eip7702', ...shared, ...fees, accessList: list, authorizationList: [permit] }],
])('the hash of a transaction of type %s derives from its fields', (name, unsigned) => {
  const { raw, hash } = Transaction.prepare(unsigned as Parameters<typeof Transaction.prepare>[0]).signBy(key)
  const { gasLimit, data, ...same } = raw as any
  const type = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'].indexOf(name)
  const v = type === 0 ? BigInt(same.yParity) + 35n + 2n * shared.chainId : undefined
  const stated = { ...same, gas: gasLimit, input: data, type, v }
  expect(hex(keccak256(transactionBytes(stated)!))).toBe(`0x${hash.replace(/^0x/, '')}`)
  expect(transactionBytes({ ...stated, nonce: undefined })).toBeNull()
})

test('transactions and receipts of other types, or without a field, are not encoded', () => {
  const { gasLimit, data, ...same } = signed.raw as any
  const stated = { ...same, gas: gasLimit, input: data, type: '0x2' }
  expect(transactionBytes(stated)).not.toBeNull()
  for (const type of ['0x5', '0x7e', '0xff']) expect(transactionBytes({ ...stated, type })).toBeNull()
  const receipt = { type: '0x2', status: '0x1', cumulativeGasUsed: '0x5208', logsBloom: genesis.logsBloom }
  expect(receiptBytes(receipt, [])).not.toBeNull()
  expect(receiptBytes({ ...receipt, type: '0x7e' }, [])).toBeNull()
  expect(receiptBytes({ ...receipt, logsBloom: null }, [])).toBeNull()
  // Before Byzantium, a receipt has the root of the state. RSK writes the status there as well.
  const { status: _, ...old } = receipt
  expect(receiptBytes({ ...old, type: null, root: genesis.stateRoot }, [])).toEqual(
    encodeRlp([bytes(genesis.stateRoot), 0x5208, bytes(genesis.logsBloom), []]),
  )
  expect(receiptBytes(old, [])).toBeNull()
})

/** The root by the definition of the yellow paper (appendix D), by nibbles as text. */
function plainRoot(values: readonly Uint8Array[]): string {
  const entries = values.map((value, at) => ({ path: Buffer.from(encodeRlp(at)).toString('hex'), value }))
  const pack = (nibbles: string, flag: number) =>
    Buffer.from(nibbles.length % 2 === 1 ? `${flag + 1}${nibbles}` : `${flag}0${nibbles}`, 'hex')
  const node = (some: typeof entries): Rlp => {
    const [first] = some
    if (first === undefined) return new Uint8Array()
    if (some.length === 1) return [pack(first.path, 2), first.value]
    let shared = 0
    while (some.every(({ path }) => path[shared] === first.path[shared])) shared += 1
    const cut = (from: number, of = some) => of.map(({ path, value }) => ({ path: path.slice(from), value }))
    if (shared > 0) return [pack(first.path.slice(0, shared), 0), below(cut(shared))]
    const digits = [...'0123456789abcdef'].map((digit) =>
      cut(
        1,
        some.filter(({ path }) => path[0] === digit),
      ),
    )
    return [...digits.map(below), new Uint8Array()]
  }
  const below = (some: typeof entries): Rlp => {
    const made = node(some)
    if (made instanceof Uint8Array) return made
    const encoded = encodeRlp(made)
    return encoded.length < 32 ? { encoded } : keccak256(encoded)
  }
  return hex(keccak256(encodeRlp(node(entries))))
}

test.each([1, 2, 17, 127, 128, 129, 256, 300])('the root of a list of %i values is that of the definition', (count) => {
  // Short values are parts of their parents.
  const values = Array.from({ length: count }, (_, at) => Buffer.alloc(1 + (at % 70), at))
  expect(listRoot(values)).toBe(plainRoot(values))
})
