import { evmBalanceChanges } from '../../../schemas/evm-balance-changes.ts'
import { evmCodeChanges } from '../../../schemas/evm-code-changes.ts'
import { evmNonceChanges } from '../../../schemas/evm-nonce-changes.ts'
import { evmStorageChanges } from '../../../schemas/evm-storage-changes.ts'
import type { Table } from '../../define/index.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding } from '../lake/finding.ts'
import { type Checked, type LakeRows, rowCount } from '../lake/lake-rows.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { isOfCChain } from '../proofs/row-proofs.ts'
import { type ChainBlocks, inWindow } from './block-windows.ts'
import { coveredBlocks } from './verify-traced.ts'

/** How many rows are checked at once. */
const rowsAtOnce = 1_000_000
const mostFindings = 100

/** Changes of one kind of value, which follow one another. */
type Changes = {
  readonly table: Table
  /** The columns of the value before and after a change. */
  readonly before: string
  readonly after: string
  /** An SQL condition that holds only for a change that contradicts the change before it (`previous`, in block `previous_block`). */
  readonly contradicts: string
  /** Whether the rule holds on the C-Chain only. */
  readonly onlyOfCChain: boolean
}

const unequal = (before: string) => `${before} <> previous`

/** Each value before a change is the value after the last change. These rules say where no change can be missing. */
export const changes: readonly Changes[] = [
  // Atomic transfers and rewards are in no diff, but come after the transactions of a block. Other chains can mint in between.
  {
    table: evmBalanceChanges,
    before: 'balance_before_raw',
    after: 'balance_after_raw',
    contradicts: `block_number = previous_block AND ${unequal('balance_before_raw')}`,
    onlyOfCChain: true,
  },
  // Atomic exports raise nonces; without a change that shows it, none falls.
  {
    table: evmNonceChanges,
    before: 'nonce_before',
    after: 'nonce_after',
    contradicts: 'nonce_before < previous',
    onlyOfCChain: false,
  },
  {
    table: evmCodeChanges,
    before: 'code_hash_before',
    after: 'code_hash_after',
    contradicts: unequal('code_hash_before'),
    onlyOfCChain: false,
  },
  // A deletion clears slots without a row for each.
  {
    table: evmStorageChanges,
    before: 'slot_value_before',
    after: 'slot_value_after',
    contradicts: `${unequal('slot_value_before')} AND slot_value_before <> '0x${'0'.repeat(64)}'`,
    onlyOfCChain: false,
  },
]

/** Checks that changes of the same value follow one another, in the blocks that evm-state-diffs covers completely. */
export async function verifyChanges(rows: LakeRows, kind: Changes): Promise<Checked> {
  const findings: Finding[] = []
  for (const blocks of coveredBlocks(rows, kind.table)) {
    const { network, chainId } = blocks
    if (kind.onlyOfCChain && !isOfCChain({ network, chain_id: chainId }, rows.inventory)) continue
    for (const row of await contradictions(rows, kind, blocks)) findings.push(findingOf(rows, kind, row))
    if (findings.length >= mostFindings) break
  }
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}

async function contradictions(rows: LakeRows, kind: Changes, blocks: ChainBlocks): Promise<AnswerRow[]> {
  const { table, before, after, contradicts } = kind
  const files = await rows.filesBetween(table, 'block_number', { from: blocks.from, to: blocks.to - 1 })
  const parts = Math.max(1, Math.ceil(rowCount(files) / rowsAtOnce))
  const subject = 'slot' in table.columns ? 'address, slot' : 'address'
  const found: AnswerRow[] = []
  for (let part = 0; part < parts && found.length < mostFindings; part++)
    found.push(
      ...(await rows.engine.rows(
        `WITH changed AS (
          SELECT *, lag(${after}) OVER own AS previous, lag(block_number) OVER own AS previous_block
          FROM ${rows.relation(table, files)} WHERE ${inWindow(blocks)} AND hash(address) % ${parts} = ${part}
          WINDOW own AS (PARTITION BY ${subject} ORDER BY block_number, transaction_index))
        SELECT ${table.key.map((name) => `${name}::VARCHAR AS ${name}`).join(', ')},
          ${before}::VARCHAR AS found, previous::VARCHAR AS expected
        FROM changed WHERE ${contradicts} LIMIT ${mostFindings}`,
      )),
    )
  return found
}

function findingOf(rows: LakeRows, { table, before, after }: Changes, row: AnswerRow): Finding {
  return {
    kind: 'rows.value',
    message: `${before} of a row of ${table.name} is not what ${after} of the change before it says.`,
    ...placeOfRow(rows.inventory, table, row),
    columns: [before],
    key: Object.fromEntries(table.key.map((name) => [name, String(row[name])])),
    expected: row['expected'],
    found: row['found'],
  }
}
