import { type Arguments, blockArgument, hashArgument, invalid, required } from './arguments.ts'
import { type BlockJson, withHashes } from './block-json.ts'
import { quantity } from './hex.ts'
import type { EvmMethods } from './method.ts'
import { acceptedNumber, type EvmReader } from './reader.ts'

/** Blocks, transactions and receipts by number and by hash. */
export function blockMethods({ head, block, receipts, numberOfBlock, numberOfTransaction }: EvmReader): EvmMethods {
  const shown = async (number: number, args: Arguments): Promise<BlockJson> => {
    const whole = required(args, 1)
    if (typeof whole !== 'boolean') throw invalid(1, 'json: cannot unmarshal into Go value of type bool')
    const found = await block(number)
    return whole ? found : withHashes(found)
  }
  const receiptOf = async (hash: string): Promise<object | null> => {
    const number = await numberOfTransaction(hash)
    if (number === null) return null
    return (await receipts(number)).find(({ transactionHash }) => transactionHash === hash) ?? null
  }
  return {
    eth_blockNumber: () => quantity(head()),
    eth_getBlockByNumber: async (args) => {
      const number = blockArgument(args, 0, head())
      required(args, 1)
      return shown(acceptedNumber(number, head()), args)
    },
    eth_getBlockByHash: async (args) => {
      const number = await numberOfBlock(hashArgument(args, 0))
      return number === null ? null : shown(number, args)
    },
    eth_getBlockReceipts: async (args) => {
      const block = required(args, 0)
      const isHash = typeof block === 'string' && /^0x[0-9a-f]{64}$/i.test(block)
      const number = isHash ? await numberOfBlock(block) : blockArgument(args, 0, head())
      return number === null || number > head() ? null : receipts(number)
    },
    eth_getTransactionReceipt: (args) => receiptOf(hashArgument(args, 0)),
    eth_getTransactionByHash: async (args) => {
      const hash = hashArgument(args, 0)
      const number = await numberOfTransaction(hash)
      if (number === null) return null
      const { transactions } = await block(number)
      return transactions.find((tx) => (tx as { hash: string }).hash === hash) ?? null
    },
  }
}
