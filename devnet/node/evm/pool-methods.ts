import { keccak256 } from '../../../codec/keccak.ts'
import { encodeRlp } from '../../c/rlp.ts'
import { evmChainId } from '../../c/state.ts'
import type { EvmState } from '../../service/evm/state.ts'
import { data, quantity } from './hex.ts'
import type { EvmMethods } from './method.ts'
import type { EvmReader } from './reader.ts'

/** Number of the latest transactions with senders that have transactions in the pool. */
export const poolSample = 12

/**
 * The pool of the node. The senders of the latest transactions send the same again: one transaction with the next nonce is pending, and one
 * with the nonce after the next is queued. Their signatures are invented, because no block will contain them.
 */
export function poolMethods({ state }: EvmReader): EvmMethods {
  return {
    txpool_content: async () => {
      const now = await state()
      return { pending: poolOf(now, 0n), queued: poolOf(now, 2n) }
    },
    txpool_status: async () => {
      const count = Object.keys(poolOf(await state(), 0n)).length
      return { pending: quantity(count), queued: quantity(count) }
    },
  }
}

/** Transactions by sender and nonce; `ahead`: how far the nonce is above the next one. */
function poolOf(state: EvmState, ahead: bigint): Readonly<Record<string, Readonly<Record<string, object>>>> {
  const latest = new Map(state.transactions.slice(-poolSample).map((each) => [each.from, each]))
  const head = state.blocks.length
  return Object.fromEntries(
    [...latest].map(([from, { to, value, gasLimit, result }]) => {
      const nonce = state.nonce(from, head) + ahead
      const bytes = (hex: string | null) => Buffer.from((hex ?? '0x').slice(2), 'hex')
      const hash = keccak256(encodeRlp([bytes(from), nonce, bytes(to), value, gasLimit, result.price]))
      const transaction = {
        blockHash: null,
        blockNumber: null,
        from,
        gas: quantity(gasLimit),
        gasPrice: quantity(result.price),
        hash: data(hash),
        input: '0x',
        nonce: quantity(nonce),
        to,
        transactionIndex: null,
        value: quantity(value),
        type: '0x0',
        chainId: quantity(evmChainId),
        v: quantity(2 * evmChainId + 35),
        r: data(keccak256(hash)),
        s: data(hash),
      }
      return [from, { [String(nonce)]: transaction }]
    }),
  )
}
