import type { Connection } from '../../define/connection.ts'
import type { RangeSource } from '../../define/index.ts'
import type { EvmBlockDiffs } from '../../model.ts'
import { createEvmTraces, type EvmTracesOptions } from './evm-traces.ts'
import { createOpenStates } from './open-states.ts'

/**
 * Blocks of an EVM chain with the state that their transactions changed: `createEvmTraces` with the prestate tracer, whose first tracer has
 * `diffMode`. The source also reads the state after a block of accounts that the diffs of the block leave open.
 */
export function createEvmStateDiffs(
  connection: Connection,
  route: string,
  options: Omit<EvmTracesOptions, 'transactions'>,
): RangeSource<EvmBlockDiffs> {
  const traces = createEvmTraces(connection, route, { ...options, transactions: 'whole' })
  const readState = createOpenStates(connection, route, options)
  // These two would return records without their state; traces have neither.
  const { shared: _, one: __, ...own } = traces
  return {
    ...own,
    async window(from, to, signal, turn) {
      const records: EvmBlockDiffs[] = []
      for (const record of await traces.window(from, to, signal, turn))
        records.push({ ...record, state: await readState(record, signal) })
      return records
    },
  }
}
