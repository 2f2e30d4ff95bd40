import type { TracedAccount } from '../../../codec/evm/state-diffs.ts'
import {
  isCodeOpen,
  isOpen,
  laterAccount,
  laterSlot,
  noDiff,
  type StateDiff,
  stateDiffsOf,
  type TracedAccounts,
} from '../../../codec/evm/state-diffs.ts'
import type { EvmBalanceChange } from '../../../schemas/evm-balance-changes.ts'
import type { EvmCodeChange } from '../../../schemas/evm-code-changes.ts'
import type { EvmNonceChange } from '../../../schemas/evm-nonce-changes.ts'
import type { EvmStorageChange } from '../../../schemas/evm-storage-changes.ts'
import type { EvmBlockDiffs } from '../../model.ts'
import { decimalOrNull } from '../numbers.ts'
import { blockPlace } from './block-row.ts'
import { keccakText } from './cell-rows.ts'
import { createdContracts } from './created-contracts.ts'
import { createKind, type Fields, objects, topFields, unknownFields, wrongField } from './fields.ts'
import type { EvmTransactionPlace } from './place.ts'
import type { EvmContext } from './read-block.ts'
import { readingBlock } from './reading-block.ts'
import { type Account, accountFields, accountOf, slotsOf } from './traced-account.ts'

export type EvmStateDiffRows = {
  readonly balances: EvmBalanceChange[]
  readonly nonces: EvmNonceChange[]
  readonly codes: EvmCodeChange[]
  readonly storage: EvmStorageChange[]
}

const headerKind = createKind('')
const diffsKind = createKind('')

/** Returns what the transactions of a block changed: balances, nonces, codes and slots. Throws `DecodeError` with block and field. */
export function readEvmStateDiffs(record: EvmBlockDiffs, context: EvmContext): EvmStateDiffRows {
  return readingBlock(record.number, context, () => rowsOf(record, context))
}

/** The diffs of a block, and what it says about the state after it. */
type BlockDiffs = {
  readonly diffs: readonly StateDiff[]
  /** The answer of the node for each transaction, for the paths in errors. */
  readonly answers: readonly Fields[]
  readonly state: EvmBlockDiffs['state']
  readonly unknown: Set<string>
}

/** An account of a diff: the position of its transaction, and its fields, none where the diff does not have it. */
type Changed = {
  readonly at: number
  readonly address: string
  readonly place: EvmTransactionPlace
  readonly pre: Fields
  readonly post: Fields
}

function rowsOf({ block, transactionHashes, traces: [results = []], state }: EvmBlockDiffs, context: EvmContext) {
  const header = topFields(block, headerKind)
  const place = blockPlace(header, context)
  const answers = objects(topFields({ diffs: results.map((diff) => diff ?? noDiff) }, diffsKind), 'diffs')
  for (const answer of answers) expectDiff(answer)
  const diffs = stateDiffsOf(results, createdContracts(header))
  const all: BlockDiffs = { diffs, answers, state, unknown: new Set() }
  const rows: EvmStateDiffRows = { balances: [], nonces: [], codes: [], storage: [] }
  for (const [at, { pre, post }] of diffs.entries()) {
    const own = { ...place, transaction_index: at, transaction_hash: transactionHashes[at]! }
    const [before, after] = [fieldsIn(all, answers[at]!, 'pre', pre), fieldsIn(all, answers[at]!, 'post', post)]
    const none = accountFields({}, answers[at]!, 'post', 0)
    const addresses = new Set([...before.keys(), ...after.keys()])
    for (const address of [...addresses].sort()) {
      const fields = { pre: before.get(address) ?? none, post: after.get(address) ?? none }
      addRows(rows, all, { at, address, place: own, ...fields })
    }
  }
  for (const field of all.unknown) context.unknownField?.(field)
  return rows
}

function expectDiff(answer: Fields): void {
  for (const name of ['pre', 'post']) {
    const accounts = answer.object[name]
    if (typeof accounts !== 'object' || accounts === null || Array.isArray(accounts))
      throw wrongField(answer, name, 'is no object of accounts', accounts)
    for (const [address, account] of Object.entries(accounts)) {
      if (!/^0x[0-9a-f]{40}$/i.test(address)) throw wrongField(answer, name, 'has a name that is no address', address)
      if (typeof account !== 'object' || account === null) throw wrongField(answer, name, 'has no object', account)
    }
  }
}

function addRows(rows: EvmStateDiffRows, all: BlockDiffs, changed: Changed): void {
  const { address, place } = changed
  const before = accountOf(changed.pre)
  const after = accountAfter(all, changed, before)
  if (before.balance !== after.balance)
    rows.balances.push({
      ...place,
      address,
      balance_before: decimalOrNull(before.balance),
      balance_before_raw: before.balance.toString(),
      balance_after: decimalOrNull(after.balance),
      balance_after_raw: after.balance.toString(),
    })
  if (before.nonce !== after.nonce)
    rows.nonces.push({ ...place, address, nonce_before: before.nonce, nonce_after: after.nonce })
  if (Buffer.compare(before.code, after.code) !== 0)
    rows.codes.push({
      ...place,
      address,
      code_before: before.code,
      code_hash_before: keccakText(before.code),
      code_after: after.code,
      code_hash_after: keccakText(after.code),
    })
  for (const [slot, [was, is]] of slotChanges(all, changed))
    if (was !== is) rows.storage.push({ ...place, address, slot, slot_value_before: was, slot_value_after: is })
}

/** The fields of accounts by address. */
function fieldsIn(
  all: BlockDiffs,
  answer: Fields,
  list: 'pre' | 'post',
  accounts: TracedAccounts,
): Map<string, Fields> {
  return new Map(
    Object.entries(accounts).map(([address, account], position) => {
      const fields = accountFields(account, answer, list, position)
      for (const field of unknownFields(fields)) all.unknown.add(field)
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

function laterFields({ answers }: BlockDiffs, { at, address }: Changed, account: TracedAccount | undefined): Fields {
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
