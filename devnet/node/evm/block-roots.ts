import { listRoot, receiptBytes } from '../../../codec/evm/block-parts.ts'
import { bloomOf } from '../../../codec/keccak.ts'
import type { Roots } from '../../c/header.ts'
import type { SignedTx } from '../../c/transactions.ts'
import { deployContracts } from '../../service/evm/contracts/contracts.ts'
import { logsOf } from '../../service/evm/execute.ts'
import { data } from './hex.ts'
import { writtenBy } from './log-json.ts'

/**
 * Executes the blocks of a new chain in order, and returns what their headers state of transactions and receipts. The receipts are those
 * that the node returns of the same chain.
 */
export function createReceipts(): (transactions: readonly SignedTx[]) => Roots {
  const contracts = deployContracts()
  return (transactions) => {
    const logsBloom = new Uint8Array(256)
    let cumulativeGasUsed = 0
    const receipts = transactions.map(({ type, sender, to, input, gasUsed }) => {
      const caller = data(sender)
      const contract = to === null ? undefined : contracts.get(data(to))
      const called = contract === undefined ? [] : logsOf(contract, caller, { input })
      const logs = (called ?? []).map((log) => {
        const { topics, data: text } = writtenBy(contract!.token.standard, log, caller)
        return { address: contract!.token.address, topics, data: Buffer.from(text.slice(2), 'hex') }
      })
      const own = bloomOf(logs.flatMap(({ address, topics }) => [address, ...topics]))
      for (const [at, byte] of own.entries()) logsBloom[at]! |= byte
      cumulativeGasUsed += gasUsed
      return receiptBytes({ type, status: called === null ? 0 : 1, cumulativeGasUsed, logsBloom: own }, logs)
    })
    const root = (values: readonly (Uint8Array | null)[]) => Buffer.from(listRoot(values)!.slice(2), 'hex')
    return { transactionsRoot: root(transactions.map(({ bytes }) => bytes)), receiptsRoot: root(receipts), logsBloom }
  }
}
