import type { Range } from '../../define/index.ts'
import type { Slice } from '../../model.ts'

/**
 * What a walk asks for of a source whose last coordinate is `head`; empty when that lies before `from`. One past the last integer that
 * is exact there is none.
 */
export function wantedSlice({ from, to }: Pick<Range, 'from' | 'to'>, head: number): Slice {
  return { from, to: Math.max(from, Math.min(to ?? head + 1, head + 1, Number.MAX_SAFE_INTEGER)) }
}
