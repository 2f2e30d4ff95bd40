import {
  beforeCreation,
  createdBy,
  isCodeOpen,
  isOpen,
  laterAccount,
  laterSlot,
  noDiff,
  type StateDiff,
  slotText,
  stateDiffsOf,
  type TracedAccount,
  type TracedAccounts,
} from '../../../codec/evm/state-diffs.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import type {
  evmBalanceChanges,
  evmBalances,
  evmCodeChanges,
  evmCodes,
  evmNonceChanges,
  evmNonces,
  evmStateReads,
  evmStorage,
  evmStorageChanges,
} from '../../../schemas/evm-state.ts'
import type { RowOf } from '../../define/index.ts'
import { isObject } from '../../lib/json.ts'
import type { EvmBlockDiffs, EvmCell } from '../../model.ts'
import { finish, type Reading } from '../json/fields.ts'
import { decimalOrNull, noBytes } from '../values.ts'
import {
  blockPlace,
  type EvmContext,
  type EvmPlace,
  type EvmTransactionPlace,
  indicesOf,
  readingBlock,
} from './blocks.ts'
import {
  address,
  bytes,
  hash,
  hexShape,
  objects,
  optionalAddress,
  optionalU64,
  quantityText,
  topFields,
  u64,
  u256,
  wrongField,
} from './hex-fields.ts'

type EvmStateRead = RowOf<typeof evmStateReads>

/** The chain of a cell. */
export type CellContext = { readonly network: string; readonly chainId: string }

type CellPlace = EvmPlace & { readonly block_hash: string }

/** The decoders read the same fields in every answer. */
const cellShape = hexShape()

/** Reads a cell: the place of its rows, and the results of its calls as the fields `result`, `result1` and so on. Throws `DecodeError`. */
export function readCellOf<R>(cell: EvmCell, context: CellContext, read: (at: Reading, place: CellPlace) => R): R {
  return readingBlock(cell.number, context, () => {
    const { hash: blockHash, number, timestamp, timestampMilliseconds } = cell.block
    const header = { hash: blockHash, number, timestamp, timestampMilliseconds }
    const results = cell.outcomes.map((outcome, at) => [at === 0 ? 'result' : `result${at}`, resultOf(outcome)])
    const fields = topFields({ ...header, ...Object.fromEntries(results) }, cellShape)
    return read(fields, { block_hash: hash(fields, 'hash'), ...blockPlace(fields, context) })
  })
}

function resultOf(outcome: EvmCell['outcomes'][number]): unknown {
  return 'result' in outcome ? outcome.result : undefined
}

// The rows of answers to eth_getBalance, eth_getTransactionCount, eth_getCode and eth_getStorageAt. Each function throws `DecodeError`.

export function balanceRow(cell: EvmCell, context: CellContext, address: string): RowOf<typeof evmBalances> {
  return readCellOf(cell, context, (at, place) => {
    const balance = u256(at, 'result')
    return { address, balance: decimalOrNull(balance), balance_raw: balance.toString(), ...place }
  })
}

export function nonceRow(cell: EvmCell, context: CellContext, address: string): RowOf<typeof evmNonces> {
  return readCellOf(cell, context, (at, place) => ({ address, nonce: u64(at, 'result'), ...place }))
}

export function codeRow(cell: EvmCell, context: CellContext, address: string): RowOf<typeof evmCodes> {
  return readCellOf(cell, context, (at, place) => {
    const code = bytes(at, 'result')
    return { address, code, code_hash: keccakText(code), ...place }
  })
}

export function storageRow(
  cell: EvmCell,
  context: CellContext,
  { address, slot }: { readonly address: string; readonly slot: string },
): RowOf<typeof evmStorage> {
  return readCellOf(cell, context, (at, place) => ({
    address,
    slot,
    slot_value: slotText(quantityText(at, 'result')),
    ...place,
  }))
}

export function keccakText(bytes: Uint8Array): string {
  return `0x${Buffer.from(keccak256(bytes)).toString('hex')}`
}

/** An account as the prestate tracer states it, with zeros for what it leaves out. */
export type Account = { readonly balance: bigint; readonly nonce: bigint; readonly code: Uint8Array }

const accountShape = hexShape()
for (const name of ['balance', 'nonce', 'code', 'codeHash', 'storage']) accountShape.known.add(name)

/** The fields of an account. Errors name its position among the accounts of `list`. */
function accountFields(object: TracedAccount, parent: Reading, list: string, position: number): Reading {
  const { context } = parent
  return { object: object as Reading['object'], parent, name: list, position, context, shape: accountShape }
}

/** Adds an unknown field of an account, wherever the account is. */
function accountField(unknown: Set<string>) {
  return (path: string): void => {
    unknown.add(`accounts[]${path.slice(path.lastIndexOf('.'))}`)
  }
}

/** Reads an account; a field that is absent has the value of `otherwise`. */
export function accountOf(at: Reading, otherwise: Account = { balance: 0n, nonce: 0n, code: noBytes }): Account {
  const has = (name: string) => at.object[name] !== undefined
  return {
    balance: has('balance') ? u256(at, 'balance') : otherwise.balance,
    nonce: has('nonce') ? nonceOf(at) : otherwise.nonce,
    code: has('code') ? bytes(at, 'code') : otherwise.code,
  }
}

/** The tracer writes nonces as numbers, other methods as quantities. */
function nonceOf(at: Reading): bigint {
  const value = at.object['nonce']
  if (typeof value !== 'number' && typeof value !== 'bigint') return optionalU64(at, 'nonce') ?? 0n
  const nonce = Number.isInteger(value) || typeof value === 'bigint' ? BigInt(value) : -1n
  if (nonce >= 0n && nonce < 1n << 64n) return nonce
  throw wrongField(at, 'nonce', 'is no number of 64 bits', value)
}

/** The slots of an account with their values, 0x and 64 digits each. */
function slotsOf(at: Reading): Map<string, string> {
  const storage = at.object['storage']
  if (storage === undefined || storage === null) return new Map()
  if (typeof storage !== 'object' || Array.isArray(storage)) throw wrongField(at, 'storage', 'is no object', storage)
  // Slots are names of fields, which the decoder does not remember.
  const fields = { ...at, object: storage as Reading['object'], shape: hexShape() }
  return new Map(Object.keys(storage).map((slot) => [slotText(slot), slotText(quantityText(fields, slot))]))
}

type EvmStateDiffRows = {
  readonly balances: RowOf<typeof evmBalanceChanges>[]
  readonly nonces: RowOf<typeof evmNonceChanges>[]
  readonly codes: RowOf<typeof evmCodeChanges>[]
  readonly storage: RowOf<typeof evmStorageChanges>[]
}

const [headerShape, diffsShape, readsShape] = [hexShape(), hexShape(), hexShape()]

/** Returns what the transactions of a block changed: balances, nonces, codes and slots. Throws `DecodeError` with block and field. */
export function readEvmStateDiffs(record: EvmBlockDiffs, context: EvmContext): EvmStateDiffRows {
  return readingBlock(record.number, context, () => diffRowsOf(record, context))
}

/** The diffs of a block, and what it says about the state after it. */
type BlockDiffs = {
  readonly diffs: readonly StateDiff[]
  /** The answer of the node for each transaction, for the paths in errors. */
  readonly answers: readonly Reading[]
  readonly state: EvmBlockDiffs['state']
}

/** An account of a diff: the position of its transaction, and its fields, none where the diff does not have it. */
type Changed = {
  readonly at: number
  readonly address: string
  readonly place: EvmTransactionPlace
  readonly pre: Reading
  readonly post: Reading
}

function diffRowsOf({ block, transactionHashes, traces: [results = []], state }: EvmBlockDiffs, context: EvmContext) {
  const header = topFields(block, headerShape)
  const place = blockPlace(header, context)
  const unknown = new Set<string>()
  const top = topFields({ diffs: results.map((diff) => diff ?? noDiff) }, diffsShape, accountField(unknown))
  const answers = objects(top, 'diffs')
  for (const answer of answers) expectDiff(answer)
  const sent = objects(header, 'transactions')
  const indices = indicesOf(header, sent, (path) => unknown.add(path))
  const diffs = stateDiffsOf(results, sent.map(createdContract))
  const all: BlockDiffs = { diffs, answers, state }
  const rows: EvmStateDiffRows = { balances: [], nonces: [], codes: [], storage: [] }
  for (const [at, { pre, post }] of diffs.entries()) {
    const own = { transaction_index: indices[at]!, transaction_hash: transactionHashes[at]!, ...place }
    const [before, after] = [fieldsIn(answers[at]!, 'pre', pre), fieldsIn(answers[at]!, 'post', post)]
    const none = accountFields({}, answers[at]!, 'post', 0)
    const addresses = new Set([...before.keys(), ...after.keys()])
    for (const address of [...addresses].sort()) {
      const fields = { pre: before.get(address) ?? none, post: after.get(address) ?? none }
      addRows(rows, all, { at, address, place: own, ...fields })
    }
  }
  for (const field of unknown) context.unknownField?.(field)
  return rows
}

function expectDiff(answer: Reading): void {
  for (const name of ['pre', 'post']) {
    const accounts = answer.object[name]
    if (!isObject(accounts)) throw wrongField(answer, name, 'is no object of accounts', accounts)
    for (const [address, account] of Object.entries(accounts)) {
      if (!/^0x[0-9a-f]{40}$/i.test(address)) throw wrongField(answer, name, 'has a name that is no address', address)
      if (typeof account !== 'object' || account === null) throw wrongField(answer, name, 'has no object', account)
    }
    expectNames(answer, name, accounts as TracedAccounts)
  }
}

/** Refuses slots that are none, and accounts and slots that come twice: some nodes write a name in another form, so that one would be lost. */
function expectNames(answer: Reading, name: string, accounts: TracedAccounts): void {
  const expectOnce = (what: string, names: readonly string[], formOf: (name: string) => string): void => {
    const forms = names.map(formOf)
    if (new Set(forms).size === forms.length) return
    const twice = forms.find((form, at) => forms.indexOf(form) !== at)!
    throw wrongField(answer, name, `has ${what} twice`, twice)
  }
  expectOnce('an account', Object.keys(accounts), (address) => address.toLowerCase())
  for (const { storage } of Object.values(accounts)) {
    const slots = Object.keys(storage ?? {})
    const other = slots.find((slot) => !/^0x[0-9a-f]{1,64}$/i.test(slot))
    if (other !== undefined) throw wrongField(answer, name, 'has a name that is no slot', other)
    expectOnce('a slot', slots, slotText)
  }
}

function addRows(rows: EvmStateDiffRows, all: BlockDiffs, changed: Changed): void {
  const { address, place } = changed
  const before = accountOf(changed.pre)
  const after = accountAfter(all, changed, before)
  if (before.balance !== after.balance)
    rows.balances.push({
      address,
      balance_before: decimalOrNull(before.balance),
      balance_before_raw: before.balance.toString(),
      balance_after: decimalOrNull(after.balance),
      balance_after_raw: after.balance.toString(),
      ...place,
    })
  if (before.nonce !== after.nonce)
    rows.nonces.push({ address, nonce_before: before.nonce, nonce_after: after.nonce, ...place })
  if (Buffer.compare(before.code, after.code) !== 0)
    rows.codes.push({
      address,
      code_before: before.code,
      code_hash_before: keccakText(before.code),
      code_after: after.code,
      code_hash_after: keccakText(after.code),
      ...place,
    })
  for (const [slot, [was, is]] of slotChanges(all, changed))
    if (was !== is) rows.storage.push({ address, slot, slot_value_before: was, slot_value_after: is, ...place })
}

function fieldsIn(answer: Reading, list: 'pre' | 'post', accounts: TracedAccounts): Map<string, Reading> {
  return new Map(
    Object.entries(accounts).map(([address, account], position) => {
      const fields = accountFields(account, answer, list, position)
      finish(fields)
      return [address, fields]
    }),
  )
}

/** The account after its transaction. If the diff does not state it: as the next diff with it begins, or the state after the block. */
function accountAfter(all: BlockDiffs, changed: Changed, before: Account): Account {
  const { at, address } = changed
  const diff = all.diffs[at]!
  const stated = accountOf(changed.post, before)
  if (!isCodeOpen(diff, address)) return stated
  const later = laterAccount(all.diffs, at, address)
  const found = accountOf(laterFields(all, changed, later ?? all.state[address]))
  return isOpen(diff, address) ? found : { ...stated, code: found.code }
}

function laterFields({ answers }: BlockDiffs, { at, address }: Changed, account: TracedAccount | undefined): Reading {
  if (account === undefined) throw wrongField(answers[at]!, 'post', 'does not state an account that pre has', address)
  return accountFields(account, answers[at]!, 'after', 0)
}

const empty = `0x${'0'.repeat(64)}`

/** The values before and after of each slot that the diff names, by slot. */
function slotChanges(all: BlockDiffs, changed: Changed): [string, [string, string]][] {
  const { at, address } = changed
  const before = slotsOf(changed.pre)
  const after = isOpen(all.diffs[at]!, address)
    ? new Map([...before.keys()].map((slot) => [slot, slotAfter(all, changed, slot)]))
    : slotsOf(changed.post)
  const slots = [...new Set([...before.keys(), ...after.keys()])].sort()
  return slots.map((slot) => [slot, [before.get(slot) ?? empty, after.get(slot) ?? empty]])
}

function slotAfter(all: BlockDiffs, changed: Changed, slot: string): string {
  const { at, address } = changed
  const later = laterSlot(all.diffs, at, { address, slot }) ?? { value: all.state[address]?.storage?.[slot] }
  if (later.value === undefined) return empty
  return slotsOf(laterFields(all, changed, { storage: { [slot]: later.value } })).get(slot)!
}

/** Returns the state that the transactions of a block used, as it was before each of them. Throws `DecodeError` with block and field. */
export function readEvmStateReads(record: EvmBlockDiffs, context: EvmContext): { readonly reads: EvmStateRead[] } {
  return readingBlock(record.number, context, () => readRowsOf(record, context))
}

function readRowsOf({ block, transactionHashes, traces: [, results = []] }: EvmBlockDiffs, context: EvmContext) {
  const header = topFields(block, headerShape)
  const place = blockPlace(header, context)
  const sent = objects(header, 'transactions')
  const reads: EvmStateRead[] = []
  const unknown = new Set<string>()
  const indices = indicesOf(header, sent, (path) => unknown.add(path))
  for (const [at, answer] of objects(
    topFields({ reads: results.map((read) => read ?? {}) }, readsShape, accountField(unknown)),
    'reads',
  ).entries()) {
    const own = { transaction_index: indices[at]!, transaction_hash: transactionHashes[at]!, ...place }
    for (const { address, fields } of accountsOf(answer, createdContract(sent[at]!))) {
      finish(fields)
      const { balance, nonce, code } = accountOf(fields)
      const account = { balance: decimalOrNull(balance), balance_raw: balance.toString(), nonce }
      reads.push({ address, slot: null, code_hash: keccakText(code), slot_value: null, ...account, ...own })
      for (const [slot, value] of [...slotsOf(fields)].sort())
        reads.push({ address, slot, slot_value: value, ...noAccount, ...own })
    }
  }
  for (const field of unknown) context.unknownField?.(field)
  return { reads }
}

const noAccount = { balance: null, balance_raw: null, nonce: null, code_hash: null } as const

/** The accounts of an answer by address, without a contract that the transaction creates itself, which did not exist. */
function accountsOf(answer: Reading, created: string | null) {
  const found: { readonly address: string; readonly fields: Reading }[] = []
  const byAddress = Object.entries(answer.object).map(([name, account]) => [name.toLowerCase(), account] as const)
  for (const [position, [address, account]] of byAddress.sort(([a], [b]) => (a < b ? -1 : 1)).entries()) {
    if (!/^0x[0-9a-f]{40}$/.test(address) || typeof account !== 'object' || account === null)
      throw wrongField(answer, address, 'is no account', account)
    const before = address === created ? beforeCreation(account) : (account as TracedAccount)
    if (before !== null) found.push({ address, fields: accountFields(before, answer, 'accounts', position) })
  }
  expectNames(answer, 'accounts', answer.object as TracedAccounts)
  return found
}

/** The contract that a transaction creates itself; null if it creates none. */
function createdContract(transaction: Reading): string | null {
  return createdBy({
    from: address(transaction, 'from'),
    to: optionalAddress(transaction, 'to'),
    nonce: `0x${u64(transaction, 'nonce').toString(16)}`,
  })
}
