import type { TracedAccount } from '../../../codec/evm/state-diffs.ts'
import { beforeCreation } from '../../../codec/evm/state-diffs.ts'
import type { EvmStateRead } from '../../../schemas/evm-state-reads.ts'
import type { EvmBlockDiffs } from '../../model.ts'
import { decimalOrNull } from '../numbers.ts'
import { blockPlace } from './block-row.ts'
import { keccakText } from './cell-rows.ts'
import { createdContracts } from './created-contracts.ts'
import { createKind, type Fields, objects, topFields, unknownFields, wrongField } from './fields.ts'
import type { EvmContext } from './read-block.ts'
import { readingBlock } from './reading-block.ts'
import { accountFields, accountOf, slotsOf } from './traced-account.ts'

type EvmStateReadRows = { readonly reads: EvmStateRead[] }

const headerKind = createKind('')
const readsKind = createKind('')

/** Returns the state that the transactions of a block used, as it was before each of them. Throws `DecodeError` with block and field. */
export function readEvmStateReads(record: EvmBlockDiffs, context: EvmContext): EvmStateReadRows {
  return readingBlock(record.number, context, () => rowsOf(record, context))
}

function rowsOf({ block, transactionHashes, traces: [, results = []] }: EvmBlockDiffs, context: EvmContext) {
  const header = topFields(block, headerKind)
  const place = blockPlace(header, context)
  const created = createdContracts(header)
  const reads: EvmStateRead[] = []
  const unknown = new Set<string>()
  for (const [index, answer] of objects(
    topFields({ reads: results.map((read) => read ?? {}) }, readsKind),
    'reads',
  ).entries()) {
    const own = { ...place, transaction_index: index, transaction_hash: transactionHashes[index]! }
    for (const { address, fields } of accountsOf(answer, created[index] ?? null)) {
      for (const field of unknownFields(fields)) unknown.add(field)
      const { balance, nonce, code } = accountOf(fields)
      const account = { balance: decimalOrNull(balance), balance_raw: balance.toString(), nonce }
      reads.push({ ...own, address, slot: null, ...account, code_hash: keccakText(code), slot_value: null })
      for (const [slot, value] of [...slotsOf(fields)].sort())
        reads.push({ ...own, address, slot, ...noAccount, slot_value: value })
    }
  }
  for (const field of unknown) context.unknownField?.(field)
  return { reads }
}

const noAccount = { balance: null, balance_raw: null, nonce: null, code_hash: null } as const

/** The accounts of an answer by address, without a contract that the transaction creates itself, which did not exist. */
function accountsOf(answer: Fields, created: string | null) {
  const found: { readonly address: string; readonly fields: Fields }[] = []
  const byAddress = Object.entries(answer.object).map(([name, account]) => [name.toLowerCase(), account] as const)
  for (const [position, [address, account]] of byAddress.sort(([a], [b]) => (a < b ? -1 : 1)).entries()) {
    if (!/^0x[0-9a-f]{40}$/.test(address) || typeof account !== 'object' || account === null)
      throw wrongField(answer, address, 'is no account', account)
    const before = address === created ? beforeCreation(account) : (account as TracedAccount)
    if (before !== null) found.push({ address, fields: accountFields(before, answer, 'accounts', position) })
  }
  return found
}
