import { keccak256 } from '../../../codec/keccak.ts'
import { type Argument, inputOf, selectorOf, selectors } from '../../c/abi.ts'
import { erc20Contracts, type TokenContract } from '../../c/contracts.ts'
import { hex0x } from '../../lib.ts'
import { type Log, zeroAddress } from './contracts.ts'
import type { EvmState, EvmTransaction, EvmTransfer } from './state.ts'

/** A call within a transaction. Addresses are lower-case hex with 0x. */
export type InnerCall = {
  readonly type: 'CALL' | 'STATICCALL' | 'DELEGATECALL' | 'CREATE2'
  readonly from: string
  readonly to: string
  /** In wei; null for a static call, which has none. */
  readonly value: bigint | null
  readonly gas: number
  readonly gasUsed: number
  readonly input: Uint8Array
  /** Null if nothing is returned. */
  readonly output: Uint8Array | null
  /** Why it was reverted; null if it was not. */
  readonly reverted: string | null
  readonly calls: readonly InnerCall[]
}

/**
 * The calls that contracts make while they execute a transaction. A token contract of the ERC-721 or ERC-1155 asks the receiver of each event.
 * Other contracts do what the hash of the transaction says: they read a token, try in vain to move one, or create a contract. A contract that
 * receives an amount also sends half of it to itself, which changes no balance.
 */
export function innerCallsOf(transaction: EvmTransaction): readonly InnerCall[] {
  const { result, to, selector } = transaction
  if (result.called !== null) {
    const { token, logs } = result.called
    return token.standard === 'ERC-20' ? [] : logs.flatMap((log) => receiverCall(token, log, result.sender))
  }
  if (to === null || selector === null || !result.succeeded) return []
  return [...ownCall(transaction, to), ...chosenCall(transaction, to)]
}

/** The calls and all calls within them, each before those that it made. */
export function allCalls(calls: readonly InnerCall[]): InnerCall[] {
  return calls.flatMap((call) => [call, ...allCalls(call.calls)])
}

const plain = { value: 0n, ...gasOf(5_000), output: null, reverted: null, calls: [] } as const

/** A call that uses all of its gas. */
function gasOf(gas: number) {
  return { gas, gasUsed: gas }
}

/** What a contract asks the receiver of tokens, by the number of tokens in the event. */
const received = {
  'ERC-721': selectorOf('onERC721Received(address,address,uint256,bytes)'),
  'ERC-1155': selectorOf('onERC1155Received(address,address,uint256,uint256,bytes)'),
  batch: selectorOf('onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)'),
} as const

function receiverCall({ address, standard }: TokenContract, { moves }: Log, operator: string): InnerCall[] {
  const [first] = moves
  if (first === undefined || first.to === zeroAddress || standard === 'ERC-20') return []
  const selector = moves.length > 1 ? received.batch : received[standard]
  const parties = [bytesOf(operator), bytesOf(first.from)]
  const ids = moves.map(({ tokenId }) => tokenId!)
  const values = moves.map(({ value }) => value)
  const data = { bytes: new Uint8Array() }
  const single: Argument[] = standard === 'ERC-721' ? [first.tokenId!] : [first.tokenId!, first.value]
  const input = inputOf(selector, [...parties, ...(moves.length > 1 ? [ids, values] : single), data])
  const gas = { gas: receiverGas.limit, gasUsed: receiverGas.used }
  const output = new Uint8Array(32)
  output.set(Buffer.from(selector, 'hex'))
  return [{ ...plain, ...gas, type: 'CALL', from: address, to: first.to, input, output }]
}

/** Code that contracts share, and the precompiled contract that returns its input. */
const [library, identity] = [`0x${'11'.repeat(20)}`, `0x${'4'.padStart(40, '0')}`]

/** The call of a contract that keeps half of the amount that it received: by the code of a library, which repeats the whole amount. */
function ownCall({ value }: EvmTransaction, contract: string): InnerCall[] {
  if (value === 0n) return []
  const sent: InnerCall = {
    ...plain,
    type: 'CALL',
    from: contract,
    to: contract,
    value: value / 2n,
    ...gasOf(2_300),
    input: new Uint8Array(),
  }
  const input = inputOf(selectorOf('keepHalf()'), [])
  return [{ ...plain, type: 'DELEGATECALL', from: contract, to: library, value, input, calls: [sent] }]
}

function chosenCall({ hash, from }: EvmTransaction, contract: string): InnerCall[] {
  const [drawn, which] = bytesOf(hash) as Uint8Array & [number, number]
  const token = erc20Contracts[which % erc20Contracts.length]!
  const toToken = { ...plain, from: contract, to: token.address }
  switch (drawn % 4) {
    case 0: {
      const output = inputOf('', [BigInt(token.decimals)])
      return [{ ...toToken, type: 'STATICCALL', value: null, input: inputOf(selectorOf('decimals()'), []), output }]
    }
    case 1: {
      // These contracts own no tokens.
      const input = inputOf(selectors.transfer, [bytesOf(from), 1n])
      const read: InnerCall = {
        ...plain,
        type: 'STATICCALL',
        from: token.address,
        to: identity,
        value: null,
        ...gasOf(18),
        input,
      }
      const calls = [{ ...read, output: input }]
      return [{ ...toToken, type: 'CALL', input, reverted: 'transfer amount exceeds balance', calls }]
    }
    case 2:
      return [
        {
          ...plain,
          type: 'CREATE2',
          from: contract,
          to: createdBy(contract, hash),
          ...gasOf(32_000),
          input: emptyContract,
        },
      ]
    default:
      return []
  }
}

/** Code that creates a contract without code. */
const emptyContract = Uint8Array.of(0)

/** The address of a contract that a contract creates, with the hash of the transaction as salt (EIP-1014). */
function createdBy(contract: string, salt: string): string {
  const hashed = keccak256(
    Buffer.concat([Uint8Array.of(0xff), bytesOf(contract), bytesOf(salt), keccak256(emptyContract)]),
  )
  return hex0x(hashed.subarray(12))
}

function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}

/** Gas that the receiver of a token gets for its answer, and what it uses. */
export const receiverGas = { limit: 30_000, used: 2_300 } as const

/**
 * The internal transactions of wallets on the simulated chain, oldest first: contracts of ERC-721 and ERC-1155 call the receiver of a transfer, once
 * per event. Each call is described by the first transfer of its event.
 */
export function receiverCallsOf(state: EvmState, wallet: string): EvmTransfer[] {
  const received = (['ERC-721', 'ERC-1155'] as const).flatMap((standard) =>
    state.transfersWith(wallet, standard).filter(({ to }) => to === wallet && to !== zeroAddress),
  )
  const events = new Map(received.toReversed().map((transfer) => [eventOf(transfer), transfer]))
  return [...events.values()].sort((a, b) => a.block.number - b.block.number || a.logIndex - b.logIndex)
}

function eventOf({ block, logIndex }: EvmTransfer): string {
  return `${block.number}/${logIndex}`
}
