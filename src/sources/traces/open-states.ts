import { accountByCalls, type TracedCall } from '../../../codec/evm/account-by-calls.ts'
import type { TracedAccount } from '../../../codec/evm/state-diffs.ts'
import {
  createdBy,
  isOpen,
  type ListedTransaction,
  type OpenState,
  openStates,
  type StateDiff,
  stateDiffsOf,
} from '../../../codec/evm/state-diffs.ts'
import type { Connection } from '../../define/connection.ts'
import { RpcError, TransportError } from '../../errors.ts'
import type { RpcCall, RpcOutcome } from '../../fetch/json-rpc.ts'
import { chunksOf } from '../../lib/chunks.ts'
import type { EvmBlockDiffs, EvmBlockTraces } from '../../model.ts'
import { askAgain, type LagOptions, patienceOf } from '../ask-again.ts'
import { blockCall, blockOf, hex, isObject, otherBlock } from '../evm-answers.ts'
import { createEvmCalls, mostCalls } from '../evm-calls.ts'
import { isLagging } from '../evm-refusals.ts'
import { cellFailure } from '../state/cell-failure.ts'
import { traceBlockCall, tracedOf } from './trace-answers.ts'
import { callTracer } from './tracers.ts'

type State = EvmBlockDiffs['state']

/** A value of the state after a block: of an account, or with `slot` of a slot. */
type Wanted = {
  readonly address: string
  readonly field: 'balance' | 'nonce' | 'code' | 'storage'
  readonly slot?: string
}

const methods = {
  balance: 'eth_getBalance',
  nonce: 'eth_getTransactionCount',
  code: 'eth_getCode',
  storage: 'eth_getStorageAt',
} as const

/**
 * Reads the state after a block of accounts that its diffs leave open. If the node refuses that, the calls of the block may say it: they state
 * balances, nonces and codes of contracts, and that a contract was deleted with its slots.
 */
export function createOpenStates(connection: Connection, route: string, options: LagOptions) {
  const again = { isTransient: isLagging, ...patienceOf(connection, options) }
  const calls = createEvmCalls(connection, route)

  async function readValues(
    { number, block }: EvmBlockTraces,
    wanted: readonly Wanted[],
    signal: AbortSignal | undefined,
  ): Promise<unknown[]> {
    const requested = wanted.map((each) => stateCall(number, each))
    // The header comes in the same batch, so that the values are of this block.
    const { outcomes } = await calls.ask([blockCall(hex(number), false), ...requested], { signal, together: 2 })
    const [header, ...values] = outcomes
    if (blockOf(number, header!)['hash'] !== block['hash']) throw otherBlock(number)
    return await Promise.all(values.map((outcome, at) => resultOf(number, requested[at]!, outcome)))
  }

  async function readState(record: EvmBlockTraces, wanted: readonly Wanted[], signal: AbortSignal | undefined) {
    const found: [Wanted, unknown][] = []
    for (const chunk of chunksOf(wanted, mostCalls - 1)) {
      const values = await askAgain(() => readValues(record, chunk, signal), again, signal)
      found.push(...chunk.map((each, at): [Wanted, unknown] => [each, values[at]]))
    }
    return stateOf(found)
  }

  /** The open state by the calls of a block; null if they do not say it, or the node does not trace them. */
  async function followCalls(
    { number, block, transactionHashes }: EvmBlockTraces,
    { diffs, open }: OpenBlock,
    signal: AbortSignal | undefined,
  ): Promise<State | null> {
    const { outcomes } = await calls.ask([traceBlockCall(number, callTracer)], { signal })
    const [outcome] = outcomes
    const traced = 'result' in outcome! ? tracedOf(number, transactionHashes, outcome.result) : null
    const roots = traced?.map((each) => ('result' in each ? each.result : null)) ?? null
    // The field came with EIP-6780.
    const keepsOlder = block['parentBeaconBlockRoot'] !== undefined
    return roots === null ? null : stateByCalls(roots as readonly TracedCall[], { diffs, open, keepsOlder })
  }

  return async (record: EvmBlockTraces, signal: AbortSignal | undefined): Promise<State> => {
    const diffs = diffsOf(record)
    const open = openStates(diffs)
    try {
      return await readState(record, open.flatMap(valuesOf), signal)
    } catch (error) {
      signal?.throwIfAborted()
      const state = isRefusal(error) ? await followCalls(record, { diffs, open }, signal) : null
      if (state === null) throw error
      return state
    }
  }
}

/** The diffs of a block, as far as they are objects: the decoder reports others. */
function diffsOf({ number, block, traces: [diffs = []] }: EvmBlockTraces): StateDiff[] {
  const isDiff = (each: unknown) => each === null || (isObject(each) && isObject(each['pre']) && isObject(each['post']))
  if (number === 0 || !diffs.every(isDiff)) return []
  return stateDiffsOf(diffs, (block['transactions'] as readonly ListedTransaction[]).map(createdBy))
}

function valuesOf({ address, account, slots }: OpenState): Wanted[] {
  const fields = account ? (['balance', 'nonce', 'code'] as const) : []
  return [
    ...fields.map((field) => ({ address, field })),
    ...slots.map((slot) => ({ address, field: 'storage' as const, slot })),
  ]
}

function stateCall(number: number, { address, field, slot }: Wanted): RpcCall {
  return { method: methods[field], params: [address, ...(slot === undefined ? [] : [slot]), hex(number)] }
}

async function resultOf(number: number, { method }: RpcCall, outcome: RpcOutcome): Promise<unknown> {
  if ('result' in outcome) return outcome.result
  throw await cellFailure(outcome.error, { method, number, firstWithState: async () => null })
}

function stateOf(found: readonly [Wanted, unknown][]): State {
  const state: Record<string, TracedAccount> = {}
  for (const [{ address, field, slot }, value] of found) {
    const known = state[address] ?? {}
    state[address] =
      slot === undefined ? { ...known, [field]: value } : { ...known, storage: { ...known.storage, [slot]: value } }
  }
  return state
}

type OpenBlock = { readonly diffs: readonly StateDiff[]; readonly open: readonly OpenState[] }

function stateByCalls(
  roots: readonly TracedCall[],
  { diffs, open, keepsOlder }: OpenBlock & { readonly keepsOlder: boolean },
): State | null {
  const state: Record<string, TracedAccount> = {}
  for (const { at, address, slots } of open) {
    const diff = diffs[at]!
    if (!isOpen(diff, address)) return null
    const account = accountByCalls(roots[at]!, { address, before: diff.pre[address]!, keepsOlder })
    // Calls do not state slots of a contract that still exists.
    if (account !== null && slots.length > 0) return null
    state[address] = account ?? {}
  }
  return state
}

/** Whether the node refused the state. Other failures may pass. */
function isRefusal(error: unknown): boolean {
  return !isLagging(error) && (error instanceof RpcError || (error instanceof TransportError && !error.retryable))
}
