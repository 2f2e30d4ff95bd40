import {
  createdBy,
  type ListedTransaction,
  type OpenState,
  openStates,
  stateDiffsOf,
} from '../../codec/evm/state-diffs.ts'
import type { Connection } from '../../define/connection.ts'
import type { RangeSource } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import type { RpcCall, RpcOutcome } from '../../fetch/json-rpc.ts'
import { chunksOf } from '../../lib/chunks.ts'
import type { EvmBlockDiffs, EvmBlockTraces, TracedAccount } from '../../model.ts'
import { askAgain } from '../ask-again.ts'
import { blockCall, blockOf, hex, isBehind, isObject } from '../evm-answers.ts'
import { createEvmCalls, mostCalls } from '../evm-calls.ts'
import { cellFailure } from '../state/cell-failure.ts'
import { createEvmTraces, type EvmTracesOptions } from './evm-traces.ts'
import { isOtherBlock } from './trace-answers.ts'

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
 * Blocks of an EVM chain with the state that their transactions changed: `createEvmTraces` with the prestate tracer, whose first tracer has
 * `diffMode`. The source also reads the state after a block of accounts that the diffs of the block leave open.
 */
export function createEvmStateDiffs(
  connection: Connection,
  route: string,
  options: Omit<EvmTracesOptions, 'transactions'>,
): RangeSource<EvmBlockDiffs> {
  const { tries = 4, waitMs = 500 } = options
  const traces = createEvmTraces(connection, route, { ...options, transactions: 'whole' })
  const calls = createEvmCalls(connection, route)

  async function withState(record: EvmBlockTraces, signal: AbortSignal | undefined): Promise<EvmBlockDiffs> {
    const wanted = openStates(diffsOf(record)).flatMap(valuesOf)
    const found: [Wanted, unknown][] = []
    for (const chunk of chunksOf(wanted, mostCalls - 1)) {
      const values = await askAgain(() => readState(record, chunk, signal), { isPassing, tries, waitMs }, signal)
      found.push(...chunk.map((each, at): [Wanted, unknown] => [each, values[at]]))
    }
    return { ...record, state: stateOf(found) }
  }

  /** Values after the block of a record. The header comes in the same batch, so that both are of this block. */
  async function readState(
    { number, block }: EvmBlockTraces,
    wanted: readonly Wanted[],
    signal: AbortSignal | undefined,
  ): Promise<unknown[]> {
    const requested = wanted.map((each) => stateCall(number, each))
    const { outcomes } = await calls.ask([blockCall(hex(number), false), ...requested], { signal })
    const [header, ...values] = outcomes
    if (blockOf(number, header!)['hash'] !== block['hash']) throw otherBlock(number)
    return await Promise.all(values.map((outcome, at) => resultOf(number, requested[at]!, outcome)))
  }

  const { head, windowSize, at, whyEmpty, link } = traces
  return {
    head,
    windowSize,
    at,
    ...(whyEmpty === undefined ? {} : { whyEmpty }),
    ...(link === undefined ? {} : { link }),
    async window(from, to, signal, turn) {
      const records: EvmBlockDiffs[] = []
      for (const record of await traces.window(from, to, signal, turn)) records.push(await withState(record, signal))
      return records
    },
  }
}

/** The diffs of a block, as far as they are objects: the decoder reports others. */
function diffsOf({ number, block, traces: [diffs = []] }: EvmBlockTraces) {
  const isDiff = (each: unknown) => isObject(each) && isObject(each['pre']) && isObject(each['post'])
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

function stateOf(found: readonly [Wanted, unknown][]): Record<string, TracedAccount> {
  const state: Record<string, TracedAccount> = {}
  for (const [{ address, field, slot }, value] of found) {
    const known = state[address] ?? {}
    state[address] =
      slot === undefined ? { ...known, [field]: value } : { ...known, storage: { ...known.storage, [slot]: value } }
  }
  return state
}

function otherBlock(number: number): TransportError {
  return new TransportError(`The node returns two different blocks with number ${number}.`, {
    code: 'evm.other-block',
    details: { 'block number': number },
    hint: 'Nothing of this window was written. Behind a load balancer nodes may disagree: use the URL of one node, or run again later.',
  })
}

/** The node lags behind, or one of several nodes behind the same URL does. */
function isPassing(error: unknown): boolean {
  return isBehind(error) || isOtherBlock(error)
}
