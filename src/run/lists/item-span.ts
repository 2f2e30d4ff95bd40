import type { ItemSpan } from '../job/events.ts'

/** The span of a list in Unix seconds, for an event; nothing where a time is unknown. */
export function spanOf(
  from: number | null,
  at: number | null,
  to: number | null,
): { readonly span: ItemSpan } | Record<string, never> {
  return from === null || at === null || to === null ? {} : { span: { from, at, to } }
}
