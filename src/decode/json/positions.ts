import type { ReadingContext } from '../../define/index.ts'

/** Returns the position of a row in its group. Positions count up over the pages of a slice; see `positionsOf`. */
export type Positions = (group: string, row: string) => number

/**
 * Numbers the rows of a group (for example the events of a block) that the source does not number. If items of a list moved to a later
 * page, that page repeats them: the n-th of several equal rows keeps the position that the n-th had on an earlier page. Only new rows get
 * the next position of their group. Call it once per page.
 */
export function positionsOf(context: ReadingContext): Positions {
  const memory = memoryOf(context)
  const seen = new Map<string, number>()
  return (group, row) => {
    const positions = memory.get(group) ?? { next: 0, of: new Map<string, number[]>() }
    if (positions.next === 0) memory.set(group, positions)
    const name = `${group} ${row}`
    const nth = seen.get(name) ?? 0
    seen.set(name, nth + 1)
    const known = positions.of.get(row)
    if (known === undefined) positions.of.set(row, [positions.next])
    else if (nth < known.length) return known[nth]!
    else known.push(positions.next)
    return positions.next++
  }
}

type Group = { next: number; readonly of: Map<string, number[]> }

function memoryOf(context: ReadingContext): Map<string, Group> {
  const known = context.memory.get('positions') as Map<string, Group> | undefined
  if (known !== undefined) return known
  const memory = new Map<string, Group>()
  context.memory.set('positions', memory)
  return memory
}
