import { type TokenContract, tokenNamed } from '../../c/contracts.ts'
import { MethodError } from '../../http/parameters.ts'
import { readCalldata } from '../../service/evm/contracts/calldata.ts'
import type { EvmState } from '../../service/evm/state.ts'
import { word } from '../../service/evm/token-storage.ts'
import { readToken, tokenAt } from '../../service/evm/token-views.ts'
import { type Arguments, addressArgument, blockNumber, invalid, required } from './arguments.ts'
import { data, quantity } from './hex.ts'
import type { EvmMethods } from './method.ts'
import { acceptedNumber, type EvmReader } from './reader.ts'
import { storageKey } from './world.ts'

/** Balances (wei), nonces and code of addresses after a block, and read-only calls of token contracts. */
export function stateMethods({ head, state }: EvmReader): EvmMethods {
  const numberAt = (args: Arguments, position: number): number => {
    const last = head()
    return acceptedNumber(blockNumber(args[position] ?? 'latest', position, last), last)
  }
  return {
    eth_getBalance: async (args) => {
      const address = addressArgument(args, 0)
      return quantity((await state()).nativeBalance(address, numberAt(args, 1)))
    },
    eth_getTransactionCount: async (args) => {
      const address = addressArgument(args, 0)
      return quantity((await state()).nonce(address, numberAt(args, 1)))
    },
    eth_getCode: async (args) => {
      const address = addressArgument(args, 0)
      return data((await state()).code(address, numberAt(args, 1)))
    },
    eth_getStorageAt: async (args) => {
      const address = addressArgument(args, 0)
      const { slot } = storageKey(required(args, 1))
      const number = numberAt(args, 2)
      return `0x${word((await state()).slot(address, slot, number))}`
    },
    eth_call: async (args) => {
      const { token, input } = callOf(required(args, 0))
      const number = numberAt(args, 1)
      if (token === null) return '0x'
      const answer = callToken(await state(), token, number, input)
      if (answer === null) throw new MethodError('execution reverted')
      return data(answer)
    },
  }
}

type Call = { readonly token: TokenContract | null; readonly input: Uint8Array }

/** Reads a call. `input` is the newer name of `data`. */
function callOf(value: unknown): Call {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(0, 'cannot unmarshal call')
  const { to, input, data: older } = value as Readonly<Record<string, unknown>>
  const hex = input ?? older ?? '0x'
  if (typeof hex !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(hex)) throw invalid(0, 'invalid hex string')
  return {
    token: typeof to === 'string' ? tokenNamed(to.toLowerCase()) : null,
    input: Buffer.from(hex.slice(2), 'hex'),
  }
}

/** Returns null if the call reverts. A call also reverts if its input ends before its arguments. */
function callToken(state: EvmState, token: TokenContract, blockNumber: number, input: Uint8Array): Uint8Array | null {
  try {
    return readToken(tokenAt(state, token, blockNumber), readCalldata(input))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
