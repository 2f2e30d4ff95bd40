import { recordedLines } from '../../recorded.ts'

/** Facts that the RPC states of an EVM block and its receipts, in the form of the rows of the lake. */

export type Answers = { readonly block: any; readonly receipts: any[] }

const recorded = new Map<string, readonly Answers[]>()

/** Blocks and receipts of a recording, from the genesis block on; parsed once. */
export function recordedAnswers(recording: string): readonly Answers[] {
  const known = recorded.get(recording) ?? readAnswers(recording)
  recorded.set(recording, known)
  return known
}

function readAnswers(recording: string): Answers[] {
  const receipts = recordedLines(`${recording}/c-receipts`).map((line) => JSON.parse(line).result)
  return recordedLines(`${recording}/c-blocks`).map((line, at) => ({
    block: JSON.parse(line).result,
    receipts: receipts[at],
  }))
}

function integer(hex: string | null | undefined): bigint | null {
  return hex === undefined || hex === null ? null : BigInt(hex)
}

function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}

export function transactionFacts({ block, receipts }: Answers): object[] {
  return block.transactions.map((tx: any, index: number) => {
    const receipt = receipts[index]
    return {
      block_number: Number(block.number),
      transaction_index: index,
      transaction_hash: tx.hash,
      transaction_type: Number(tx.type),
      from_address: tx.from,
      to_address: tx.to,
      nonce: integer(tx.nonce),
      value: integer(tx.value),
      value_raw: BigInt(tx.value).toString(),
      gas_limit: integer(tx.gas),
      gas_price: integer(tx.gasPrice),
      max_fee_per_gas: integer(tx.maxFeePerGas),
      max_priority_fee_per_gas: integer(tx.maxPriorityFeePerGas),
      input: bytesOf(tx.input),
      access_list:
        tx.accessList?.map(({ address, storageKeys }: any) => ({ address, storage_keys: storageKeys })) ?? null,
      signed_chain_id: integer(tx.chainId),
      y_parity: tx.yParity === undefined ? null : Number(tx.yParity),
      v: integer(tx.v),
      r: tx.r,
      s: tx.s,
      status: Number(receipt.status),
      receipt_root: null,
      gas_used: Number(receipt.gasUsed),
      cumulative_gas_used: Number(receipt.cumulativeGasUsed),
      effective_gas_price: integer(receipt.effectiveGasPrice),
      blob_gas_used: null,
      contract_address: receipt.contractAddress,
      log_count: receipt.logs.length,
    }
  })
}

export function logFacts({ receipts }: Answers): object[] {
  return receipts
    .flatMap(({ logs }) => logs)
    .map((log) => ({
      block_number: Number(log.blockNumber),
      transaction_index: Number(log.transactionIndex),
      transaction_hash: log.transactionHash,
      log_index: Number(log.logIndex),
      address: log.address,
      topic0: log.topics[0] ?? null,
      topic1: log.topics[1] ?? null,
      topic2: log.topics[2] ?? null,
      topic3: log.topics[3] ?? null,
      data: bytesOf(log.data),
    }))
}

/** Transfers by their event signatures, read like an ABI decoder: by following the offsets. */
export function transferFacts({ receipts }: Answers): object[] {
  return receipts.flatMap(({ logs }) => logs).flatMap(movesOf)
}

function movesOf(log: any): object[] {
  const [signature, ...topics] = log.topics as string[]
  const word = (at: number): bigint => BigInt(`0x${log.data.slice(2 + 64 * at, 66 + 64 * at)}`)
  const party = (at: number) => `0x${topics[at]!.slice(-40)}`
  const parties = (from: number, to: number, operator: number | null) => ({
    log_index: Number(log.logIndex),
    token_address: log.address,
    from_address: party(from),
    to_address: party(to),
    operator_address: operator === null ? null : party(operator),
  })
  const moved = (token_id: bigint | null, amount: bigint) => ({
    token_id: token_id === null ? null : String(token_id),
    amount: String(amount).length > 38 ? null : amount,
    amount_raw: String(amount),
  })
  switch (signature?.slice(0, 10)) {
    case '0xddf252ad':
      return topics.length === 2
        ? [{ standard: 'erc20', position: 0, ...parties(0, 1, null), ...moved(null, word(0)) }]
        : [{ standard: 'erc721', position: 0, ...parties(0, 1, null), ...moved(BigInt(topics[2]!), 1n) }]
    case '0xc3d58168':
      return [{ standard: 'erc1155', position: 0, ...parties(1, 2, 0), ...moved(word(0), word(1)) }]
    case '0x4a39dc06': {
      const [ids, amounts] = [Number(word(0)) / 32, Number(word(1)) / 32]
      return Array.from({ length: Number(word(ids)) }, (_, position) => ({
        standard: 'erc1155',
        position,
        ...parties(1, 2, 0),
        ...moved(word(ids + 1 + position), word(amounts + 1 + position)),
      }))
    }
    default:
      return []
  }
}
