import { parse } from 'yaml'
import type { ReadingContext } from '../../src/define/index.ts'
import { listSchema } from '../../src/yaml-lists/check-list.ts'
import type { ListText } from '../../src/yaml-lists/list-schema.ts'

/** A list of a YAML text. Throws when it has a mistake. */
export function listOf(text: string): ListText {
  return listSchema.parse(parse(text))
}

/** The mistakes of a list, as `path: message`. */
export function mistakesIn(text: string): string[] {
  const { error } = listSchema.safeParse(parse(text))
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}

/** A context, with the unknown fields that were reported. */
export function contextOf(): ReadingContext & { readonly unknown: string[] } {
  const unknown: string[] = []
  return {
    observationId: 'o1',
    observedAt: 5n,
    memory: new Map(),
    unknown,
    unknownField: (path) => void unknown.push(path),
  }
}

export const simpleList = `
comment: Items.
service: own
network: test
path: /items
items: items
walk: { kind: pageChain, time: seen }
table:
  name: items
  comment: Items.
  key: [item_id]
  columns:
    item_id: { path: id, type: text, comment: Id. }
    seen: { path: at, type: time, comment: Time. }
`
