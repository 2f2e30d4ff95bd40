import type { TracedAccount } from '../../../codec/evm/state-diffs.ts'
import type { EvmBlockDiffs } from '../../../src/model.ts'
import { recordedLines } from '../../recorded.ts'
import { type Answers, recordedAnswers } from './rpc-facts.ts'

/** A diff of the prestate tracer as the node wrote it. */
export type Diff = {
  readonly pre: Readonly<Record<string, TracedAccount>>
  readonly post: Readonly<Record<string, TracedAccount>>
}
export type Diffed = { readonly txHash: string; readonly result: Diff }

/** A block with its diffs. */
export type DiffedAnswers = Answers & { readonly diffs: readonly Diffed[] }

/** A recorded call of the prestate tracer, by block number or by transaction. */
export type PrestateCall = { readonly method: string; readonly params: readonly any[]; readonly result?: any }

let calls: readonly PrestateCall[] | null = null
let known: readonly DiffedAnswers[] | null = null

export function prestateCalls(method: string): PrestateCall[] {
  calls ??= recordedLines('evm/prestates').map((line) => JSON.parse(line) as PrestateCall)
  return calls.filter((call) => call.method === method)
}

/** The recorded blocks with their diffs, from the genesis block on, which has none; parsed once. */
export function diffedAnswers(): readonly DiffedAnswers[] {
  known ??= readAnswers()
  return known
}

function readAnswers(): DiffedAnswers[] {
  const found = new Map(prestateCalls('debug_traceBlockByNumber').map(({ params, result }) => [params[0], result]))
  return recordedAnswers('evm').map((each) => ({ ...each, diffs: found.get(each.block.number) ?? [] }))
}

/** A contract that destroyed itself in many blocks, but existed before: it only lost its balance, in block 43 (EIP-6780). */
export const emptied = '0x48fa47da1a7bd44e0f75a6efdf528743c4c3c8fd'

/** Contracts without code that transactions of the blocks 19 and 21 created; diffs do not state them. */
const withoutCode = ['0x8c51140034c8fe1404104ce4955909733506fe1c', '0xe2e8ff985f8ed82a1a3b52c02a3269efb67188db']

/**
 * The state after a block of accounts that diffs leave open, by what is known of them: it was not recorded at each block. All other contracts
 * of these were created and destroyed in one transaction.
 */
export function stateAfter(address: string): Required<Pick<TracedAccount, 'balance' | 'nonce' | 'code'>> {
  if (address === emptied) return { balance: '0x0', nonce: '0x1', code: '0x33ff' }
  return { balance: '0x0', nonce: withoutCode.includes(address) ? '0x1' : '0x0', code: '0x' }
}

/** A block as the source gives it: with the state after it of every account in its diffs that is not in `post`. */
export function recordOf({ block, receipts, diffs }: DiffedAnswers, ...reads: readonly unknown[][]): EvmBlockDiffs {
  const created = receipts.map(({ contractAddress }) => contractAddress).filter((address) => address !== null)
  const open = [...diffs.flatMap(({ result }) => Object.keys(result.pre)), ...created]
  const slots = Object.fromEntries(
    diffs.flatMap(({ result }) =>
      Object.values(result.pre)
        .flatMap(({ storage }) => Object.keys(storage ?? {}))
        .map((slot) => [slot, zeros]),
    ),
  )
  return {
    number: Number(block.number),
    block,
    transactionHashes: block.transactions.map(({ hash }: any) => hash),
    traces: [diffs.map(({ result }) => result), ...reads],
    state: Object.fromEntries(open.map((address) => [address, { ...stateAfter(address), storage: slots }])),
  }
}

export const zeros = `0x${'0'.repeat(64)}`

type Place = { readonly block_number: number; readonly transaction_index: number; readonly address: string }
type Values = { balance: bigint; nonce: bigint; code: string; storage: Readonly<Record<string, any>> }

/** What the diffs of a block change, by column of the rows: computed by the receipts and by what is known of open accounts. */
export function diffFacts({ block, receipts, diffs }: DiffedAnswers) {
  const facts = { balances: [] as object[], nonces: [] as object[], codes: [] as object[], storage: [] as object[] }
  for (const [at, { result }] of diffs.entries()) {
    const { contractAddress: created, status } = receipts[at]
    const addresses = new Set([
      ...Object.keys(result.pre),
      ...Object.keys(result.post),
      ...(created === null ? [] : [created]),
    ])
    for (const address of [...addresses].sort()) {
      const place = { block_number: Number(block.number), transaction_index: at, address }
      const isOpen = !(address in result.post)
      const pre = valuesOf(result.pre[address] ?? {})
      const stated = isOpen ? stateAfter(address) : { ...result.pre[address], ...result.post[address] }
      const before = address === created ? { ...pre, nonce: 0n } : pre
      const after = valuesOf({ ...stated, ...(isOpen ? {} : { storage: result.post[address]!.storage ?? {} }) })
      const nonce = address === created && !isOpen ? BigInt(status) : after.nonce
      addFacts(facts, place, before, { ...after, nonce })
    }
  }
  return facts
}

function valuesOf({ balance = 0, nonce = 0, code = '0x', storage = {} }: TracedAccount): Values {
  return { balance: BigInt(balance as string), nonce: BigInt(nonce as string), code: code as string, storage }
}

function addFacts(facts: ReturnType<typeof diffFacts>, place: Place, before: Values, after: Values): void {
  if (before.balance !== after.balance)
    facts.balances.push({
      ...place,
      balance_before: before.balance < 10n ** 38n ? before.balance : null,
      balance_before_raw: String(before.balance),
      balance_after: after.balance < 10n ** 38n ? after.balance : null,
      balance_after_raw: String(after.balance),
    })
  if (before.nonce !== after.nonce)
    facts.nonces.push({ ...place, nonce_before: before.nonce, nonce_after: after.nonce })
  if (before.code !== after.code)
    facts.codes.push({
      ...place,
      code_before: Buffer.from(before.code.slice(2), 'hex'),
      code_after: Buffer.from(after.code.slice(2), 'hex'),
    })
  for (const slot of [...new Set([...Object.keys(before.storage), ...Object.keys(after.storage)])].sort()) {
    const [was, is] = [before.storage[slot] ?? zeros, after.storage[slot] ?? zeros]
    if (was !== is) facts.storage.push({ ...place, slot, slot_value_before: was, slot_value_after: is })
  }
}
