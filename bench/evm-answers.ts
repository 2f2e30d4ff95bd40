import { provableChain, repeatedChain } from './evm-chain.ts'
import { recordedEvmBlocks } from './recorded-evm-blocks.ts'

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] }

/**
 * The JSON-RPC API of a chain with this many blocks, which repeats recorded ones. The returned function turns the body of a request into the
 * body of its answer.
 * `isProvable`: the hashes and roots of its blocks derive from them.
 */
export function evmAnswers(blocks: number, isProvable = false): (body: string) => string {
  const chain = (isProvable ? provableChain : repeatedChain)(recordedEvmBlocks())
  const answer = ({ id, method, params }: Call): string => {
    const result = resultOf(method, params)
    const outcome =
      result === null ? `"error":{"code":-32601,"message":"the method ${method} does not exist"}` : `"result":${result}`
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`
  }
  /** For programs that request logs separately from receipts. */
  function logsBetween({ fromBlock, toBlock }: { readonly fromBlock: string; readonly toBlock: string }): string {
    const texts: string[] = []
    for (let number = Number(fromBlock); number <= Math.min(Number(toBlock), blocks - 1); number++)
      texts.push(chain.logs(number))
    return `[${texts.filter((text) => text !== '').join()}]`
  }
  /** For programs that request the receipt of each transaction. Its hash ends with the number of its block. */
  function receiptOf(hash: string): string {
    const receipts = JSON.parse(chain.receipts(Number.parseInt(hash.slice(-8), 16))) as { transactionHash: string }[]
    return JSON.stringify(receipts.find(({ transactionHash }) => transactionHash === hash) ?? null)
  }
  /** The result as JSON; null for a method that is not served. */
  function resultOf(method: string, params: readonly unknown[] = []): string | null {
    const [tag, whole] = params
    if (method === 'eth_chainId') return '"0xa868"'
    if (method === 'eth_blockNumber') return `"0x${(blocks - 1).toString(16)}"`
    if (method === 'eth_getBalance') return '"0x1b1ae4d6e2ef500000"'
    if (method === 'eth_getLogs') return logsBetween(tag as { readonly fromBlock: string; readonly toBlock: string })
    if (method === 'eth_getTransactionReceipt') return receiptOf(tag as string)
    if (method === 'eth_call') return returned((tag as { readonly data: string }).data)
    // The last block is the newest one, and final. No measured program requests other tags.
    const number = tag === 'finalized' || tag === 'latest' ? blocks - 1 : Number(tag)
    if (method === 'eth_getBlockByNumber') {
      if (number >= blocks) return 'null'
      return whole === true ? chain.block(number) : chain.header(number)
    }
    if (method === 'eth_getBlockReceipts') return number < blocks ? chain.receipts(number) : 'null'
    return null
  }
  return (body) => {
    const requested = JSON.parse(body) as Call | readonly Call[]
    return isBatch(requested) ? `[${requested.map(answer).join()}]` : answer(requested)
  }
}

function isBatch(requested: Call | readonly Call[]): requested is readonly Call[] {
  return Array.isArray(requested)
}

/** The output of a token contract: a text for name() and symbol(), a number for any other input. */
function returned(input: string): string {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const text = `${word(32)}${word(4)}${Buffer.from('USDC').toString('hex').padEnd(64, '0')}`
  return `"0x${['0x06fdde03', '0x95d89b41'].includes(input) ? text : word(18)}"`
}
