import { z } from 'zod'
import { checkList } from './check-list.ts'
import { isItemsPath } from './list-decoder.ts'
import { type ListTexts, listShape } from './list-schema.ts'

/** A list of a JSON service, with all rules that concern it alone. */
export const listSchema = listShape.superRefine((list, context) => {
  checkList(list, context)
  if (list.items !== undefined && !isItemsPath(list.items))
    context.addIssue({
      code: 'custom',
      path: ['items'],
      message: 'must be fields with dots between them, such as result.rows, or []',
    })
})

/** Why a name cannot be taken; null for a name that is free. */
type NameRule = (name: string) => string | null

/** The lists of chainlake.yaml. Their pipelines and tables must have names of their own. */
export function listsSchema(rules: { readonly pipeline: NameRule; readonly table: NameRule }) {
  return z
    .record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be in lower case with dashes, such as my-list'), listSchema)
    .superRefine((lists, context) => {
      const owners = new Map<string, string>()
      for (const [name, { table }] of Object.entries(lists as ListTexts)) {
        const report = (path: PropertyKey[], message: string | null) => {
          if (message !== null) context.addIssue({ code: 'custom', path: [name, ...path], message })
        }
        report([], rules.pipeline(name))
        report(['table', 'name'], rules.table(table.name))
        const owner = owners.get(table.name)
        report(
          ['table', 'name'],
          owner === undefined ? null : `${table.name} is already the table of the list ${owner}`,
        )
        owners.set(table.name, owner ?? name)
      }
    })
}
