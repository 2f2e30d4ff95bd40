import { programs } from './programs.ts'
import { startServer } from './server-process.ts'
import type { Question, Subject } from './subject.ts'

/** Blocks and their receipts that fit into a batch of forty calls. */
const batchBlocks = 20

/** Blocks of an EVM chain with transactions, receipts, logs and token transfers, from recorded answers. */
export const evmBlocks: Subject = {
  name: 'evm-blocks',
  sizes: [20_000, 60_000],
  item: 'block',
  answers: 'evmBlocks',
  async serve(size) {
    const { url, close } = await startServer(programs.staticEvm, [String(size)])
    return {
      url,
      close,
      args: ['evm-blocks', '--chain', url, '--from', '0', '--to', String(size)],
      rendersFirst: false,
      questions: async () =>
        Array.from({ length: Math.ceil(size / batchBlocks) }, (_, at) =>
          question(at * batchBlocks, Math.min((at + 1) * batchBlocks, size)),
        ),
    }
  },
}

function question(from: number, to: number): Question {
  const calls = []
  for (let number = from; number < to; number++) {
    const block = `0x${number.toString(16)}`
    calls.push({ jsonrpc: '2.0', id: 2 * number, method: 'eth_getBlockByNumber', params: [block, true] })
    calls.push({ jsonrpc: '2.0', id: 2 * number + 1, method: 'eth_getBlockReceipts', params: [block] })
  }
  return { method: 'POST', path: '/', body: JSON.stringify(calls) }
}
