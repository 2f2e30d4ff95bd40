import { MethodError } from '../../http/json-rpc.ts'
import { hex0x } from '../../lib.ts'
import {
  type AccountState,
  type TouchedAccount,
  type TouchedState,
  touchedState,
  word,
} from '../../service/evm/changes.ts'
import { type Arguments, blockArgument, type EvmMethods, hashArgument, quantity } from './arguments.ts'
import { acceptedNumber, type EvmReader } from './reader.ts'

/** Traces by the call tracer and the prestate tracer. As on a node, another tracer is an error of each transaction. */
export function traceMethods({ head, state, traces, numberOfTransaction }: EvmReader): EvmMethods {
  /** The results of a tracer for the transactions of a block; null for an unknown tracer. */
  const resultsOf = async (number: number, { tracer, diffMode }: TracerConfig) => {
    if (tracer === 'callTracer') return await traces(number)
    if (tracer !== 'prestateTracer') return null
    return touchedState(await state(), number).map(diffMode ? stateDiffJson : prestateJson)
  }
  return {
    debug_traceBlockByNumber: async (args) => {
      const number = acceptedNumber(blockArgument(args, 0, head()), head())
      if (number === 0) throw new MethodError('genesis is not traceable')
      const config = configOf(args)
      const failed = async () =>
        (await traces(number)).map(({ txHash }) => ({ txHash, error: unknownTracer(config.tracer) }))
      return (await resultsOf(number, config)) ?? (await failed())
    },
    debug_traceTransaction: async (args) => {
      const hash = hashArgument(args, 0)
      const number = await numberOfTransaction(hash)
      if (number === null) throw new MethodError('transaction not found')
      const config = configOf(args)
      const found = await resultsOf(number, config)
      if (found === null) throw new MethodError(unknownTracer(config.tracer))
      return found.find(({ txHash }) => txHash === hash)?.result ?? null
    },
  }
}

type TracerConfig = { readonly tracer: string; readonly diffMode: boolean }

function configOf([, config]: Arguments): TracerConfig {
  const { tracer, tracerConfig } = (config ?? {}) as {
    readonly tracer?: unknown
    readonly tracerConfig?: { readonly diffMode?: unknown }
  }
  if (typeof tracer === 'string') return { tracer, diffMode: tracerConfig?.diffMode === true }
  throw new MethodError('the simulated node traces only with a tracer')
}

function unknownTracer(name: string): string {
  return `ReferenceError: ${name} is not defined at <eval>:1:2(0)`
}

type AccountJson = Readonly<Record<string, unknown>>
type AccountsJson = Readonly<Record<string, AccountJson>>

type PrestateJson = { readonly txHash: string; readonly result: AccountsJson | DiffJson }
type DiffJson = { readonly pre: AccountsJson; readonly post: AccountsJson }

/** The state that a transaction used, before it, as the prestate tracer writes it. */
function prestateJson({ hash, created, accounts }: TouchedState): PrestateJson {
  const listed = accounts.map(({ address, before, slots }): [string, AccountJson] => {
    const values = slots.map(({ slot, before: value }) => [slot, value] as const)
    return [address, accountJson(address === created ? counted(before) : before, values)]
  })
  return { txHash: hash, result: Object.fromEntries(listed) }
}

/** What a transaction changed, as the prestate tracer writes it with `diffMode`: unchanged accounts and fields are absent. */
function stateDiffJson({ hash, created, accounts }: TouchedState): PrestateJson {
  const changes = accounts
    .map((account) => (account.address === created ? { ...account, before: counted(account.before) } : account))
    .map((account) => ({ ...account, changed: changesJson(account) }))
    .filter(({ changed }) => Object.keys(changed).length > 0)
  const existing = changes.filter(({ before }) => before.nonce > 0n || before.balance > 0n || before.code.length > 0)
  return {
    txHash: hash,
    result: {
      pre: Object.fromEntries(
        existing.map(({ address, before, slots }) => {
          const changed = slots.filter((slot) => slot.before !== slot.after && slot.before !== 0n)
          const values = changed.map(({ slot, before: value }) => [slot, value] as const)
          return [address, accountJson(before, values)]
        }),
      ),
      post: Object.fromEntries(changes.map(({ address, changed }) => [address, changed])),
    },
  }
}

/** Nodes write a contract that a transaction creates itself with the nonce that it only gets by this. */
function counted(account: AccountState): AccountState {
  return { ...account, nonce: account.nonce + 1n }
}

function accountJson(
  { balance, nonce, code }: AccountState,
  slots: readonly (readonly [slot: string, value: bigint])[],
): AccountJson {
  return {
    balance: quantity(balance),
    ...(code.length === 0 ? {} : { code: hex0x(code) }),
    ...(nonce === 0n ? {} : { nonce: Number(nonce) }),
    ...(slots.length === 0 ? {} : { storage: storageJson(slots) }),
  }
}

function changesJson({ before, after, slots }: TouchedAccount): AccountJson {
  const changed = slots.filter((slot) => slot.before !== slot.after)
  const values = changed.filter((slot) => slot.after !== 0n).map(({ slot, after: value }) => [slot, value] as const)
  return {
    ...(before.balance === after.balance ? {} : { balance: quantity(after.balance) }),
    ...(Buffer.compare(before.code, after.code) === 0 ? {} : { code: hex0x(after.code) }),
    ...(before.nonce === after.nonce ? {} : { nonce: Number(after.nonce) }),
    ...(changed.length === 0 ? {} : { storage: storageJson(values) }),
  }
}

function storageJson(slots: readonly (readonly [slot: string, value: bigint])[]): AccountJson {
  return Object.fromEntries(slots.map(([slot, value]) => [`0x${slot}`, `0x${word(value)}`]))
}
