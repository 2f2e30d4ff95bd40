import { cBlock } from '../../../codec/c.ts'
import { unwrap } from '../../../codec/containers.ts'
import { decodeExactly } from '../../../codec/linear.ts'
import type { ContainerStore } from '../../index/store.ts'
import { createFollower } from '../plumbing/follow.ts'
import type { Totals } from '../plumbing/totals.ts'

/** Totals of the tables of EVM blocks, transactions and senders from the containers of the C-Chain. */
export function cBlockTotals(store: ContainerStore): () => Promise<Totals> {
  const blocks = { rows: 0, sums: { gas_limit: 0n, gas_used: 0n } }
  const transactions = { rows: 0, sums: { value: 0n, gas_limit: 0n } }
  const senders = { rows: 0, sums: {} }
  const totals = { c_blocks: blocks, c_transactions: transactions, c_senders: senders }
  return createFollower<Totals>(store, totals, (_, { bytes, index }) => {
    const { header, transactions: sent } = decodeExactly(cBlock, unwrap(bytes).block, `block ${index + 1}`)
    blocks.rows += 1
    blocks.sums.gas_limit += header.gasLimit
    blocks.sums.gas_used += header.gasUsed
    transactions.rows += sent.length
    senders.rows += sent.length
    for (const { value, gas } of sent) {
      transactions.sums.value += value
      transactions.sums.gas_limit += gas
    }
  })
}
