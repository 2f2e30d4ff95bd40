import { createHash } from 'node:crypto'
import type { NodeBlock } from './evm-node.ts'

/** Small EVM chains that tests give the shapes of other chains. Blocks, transactions, receipts and frames may be changed. */

export const hexOf = (number: number | bigint) => `0x${number.toString(16)}`
export const hashOf = (name: string) => `0x${createHash('sha256').update(name).digest('hex')}`
export const addressOf = (name: string) => hashOf(name).slice(0, 42)
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
export const zeroAddress = `0x${'0'.repeat(40)}`

const wordOf = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`
const none = `0x${'0'.repeat(512)}`

export type OtherBlock = NodeBlock & {
  readonly block: any
  readonly receipts: any[]
  traces: { txHash: string; result: any }[]
}

/** A block of three, each but the first with two transactions of one log, as go-ethereum writes them. */
export function otherChain(name: string, count = 3): OtherBlock[] {
  const blocks: OtherBlock[] = []
  for (let number = 0; number < count; number++) {
    const parentHash = blocks.at(-1)?.block.hash ?? hashOf('')
    blocks.push(number === 0 ? blockOf(name, number, parentHash, 0) : blockOf(name, number, parentHash, 2))
  }
  return blocks
}

const gas = 50_000

function blockOf(name: string, number: number, parentHash: string, transactionCount: number): OtherBlock {
  const place = { blockHash: hashOf(`${name} ${number}`), blockNumber: hexOf(number) }
  const transactions = Array.from({ length: transactionCount }, (_, index) => ({
    ...place,
    transactionIndex: hexOf(index),
    hash: hashOf(`${name} ${number} ${index}`),
    from: addressOf(`sender ${index}`),
    to: addressOf('token'),
    nonce: hexOf(number),
    value: hexOf(index),
    gas: hexOf(60_000),
    gasPrice: '0x77359400',
    input: '0xa9059cbb',
    type: '0x0',
    v: '0x25',
    r: hashOf(`r ${number} ${index}`),
    s: hashOf(`s ${number} ${index}`),
  }))
  const receipts = transactions.map(({ hash, from, to, transactionIndex }, index) => ({
    ...place,
    transactionHash: hash,
    transactionIndex,
    from,
    to,
    type: '0x0',
    status: '0x1',
    contractAddress: null,
    gasUsed: hexOf(gas),
    cumulativeGasUsed: hexOf(gas * (index + 1)),
    effectiveGasPrice: '0x77359400',
    logsBloom: none,
    logs: [logOf({ ...place, transactionHash: hash, transactionIndex }, { from, index })],
  }))
  const block = {
    number: place.blockNumber,
    hash: place.blockHash,
    parentHash,
    nonce: '0x0000000000000000',
    sha3Uncles: hashOf('uncles'),
    logsBloom: none,
    transactionsRoot: hashOf(`transactions ${number}`),
    stateRoot: hashOf(`state ${number}`),
    receiptsRoot: hashOf(`receipts ${number}`),
    miner: addressOf('miner'),
    difficulty: '0x0',
    extraData: '0x',
    size: '0x400',
    gasLimit: '0x1c9c380',
    gasUsed: hexOf(gas * transactionCount),
    timestamp: hexOf(1_700_000_000 + number),
    mixHash: hashOf('mix'),
    uncles: [],
    transactions,
  }
  const traces = transactions.map((each) => ({ txHash: each.hash, result: frameOf(each) }))
  return { block, receipts, traces }
}

/** A log of a transfer. */
export function logOf(place: object, { from, index }: { readonly from: string; readonly index: number }) {
  return {
    ...place,
    address: addressOf('token'),
    topics: [transferTopic, wordOf(from), wordOf(addressOf('sink'))],
    data: `0x${'7'.padStart(64, '0')}`,
    logIndex: hexOf(index),
    removed: false,
  }
}

/** The call of a transaction. */
export function frameOf({ from, to, value, gas: limit, input }: Record<string, unknown>) {
  return {
    type: 'CALL',
    from,
    to,
    value,
    gas: limit,
    gasUsed: hexOf(gas),
    input,
    output: '0x',
    calls: undefined as any,
  }
}
