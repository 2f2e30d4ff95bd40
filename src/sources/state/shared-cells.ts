import type { Connection } from '../../define/connection.ts'
import type { EvmSubject, RangeSource, SharedRequests, WindowSource } from '../../define/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import type { EvmCell } from '../../model.ts'
import { joinWindows } from '../logs/join-windows.ts'
import { createEvmCells, type EvmCellsOptions } from './evm-cells.ts'

/** Sources of single subjects. Where several of them are missing the same blocks, they share requests. */
export function createSharedCells(
  connection: Connection,
  route: string,
  options: EvmCellsOptions,
): (subject: EvmSubject) => RangeSource<EvmCell> {
  // A run that follows makes new sources in each round.
  const subjectOf = new WeakMap<WindowSource<EvmCell>, EvmSubject>()
  const shared: SharedRequests<EvmCell> = {
    together(sources) {
      if (sources.length === 1) return sources
      const subjects = sources.map((source) => subjectOf.get(source)!)
      const names = subjects.map(({ name }) => name)
      const joined = createEvmCells(connection, route, subjects, options)
      return joinWindows<EvmCell>(joined, names, (cells) => groupBy(cells, ({ subject }) => subject))
    },
  }
  return (subject) => {
    const source = { ...createEvmCells(connection, route, [subject], options), shared }
    subjectOf.set(source, subject)
    return source
  }
}
