import type { ReadingContext, StreamDeclaration } from '../../define/index.ts'
import type { Stretch } from '../../model.ts'
import type { ListRun } from '../rows/lake-run.ts'
import { createListUnit, type ListUnit } from '../rows/list-unit.ts'
import { filesThatMayHold } from '../rows/visible-files.ts'

/** The input of a walk over a list that is committed while it is read, in any order. */
export type ChainOptions<W> = {
  readonly stream: StreamDeclaration
  readonly walk: W
  readonly run: ListRun
  readonly context: () => ReadingContext
  /** The time now in milliseconds since 1970. */
  readonly nowMs: () => number
}

/** Rows after which a unit is committed. */
export const unitRows = 65_536

export const noStretch: Stretch = {
  topKeys: [],
  topTime: null,
  bottomKeys: [],
  bottomTime: null,
  token: null,
  tokenAtMs: null,
  end: false,
  hole: null,
  items: 0,
}

export function newChainUnit({ stream, run }: Pick<ChainOptions<unknown>, 'stream' | 'run'>): ListUnit {
  return createListUnit(run, stream.tables, 0, filesThatMayHold(run))
}
