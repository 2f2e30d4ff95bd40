import type { RangeSource } from '../../define/index.ts'
import type { EmitEvent } from '../events.ts'

/** What has been said to whom: a run that follows plans its ranges again and again, and has one `emit`. */
const told = new WeakMap<EmitEvent, Set<string>>()

/** Says, once a run, that a source does not have the beginning of its range. */
export function tellBeginning({ begins }: Pick<RangeSource<unknown>, 'begins'>, emit: EmitEvent): void {
  const message = begins?.()?.notice
  const said = told.get(emit) ?? new Set()
  if (message === undefined || said.has(message)) return
  told.set(emit, said.add(message))
  emit({ kind: 'warning', message })
}
