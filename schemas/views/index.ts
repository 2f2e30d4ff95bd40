import { type DerivedView, latestViews } from '../../src/define/index.ts'
import { tables } from '../index.ts'
import { addressActivityQuery } from '../shared/address-activity.ts'
// npm run ids writes this file from the .sql files of this folder: their comments, and the types that DuckDB finds. You may change its order.
import written from './views.json' with { type: 'json' }

const declared: Readonly<Record<string, Omit<DerivedView, 'name'>>> = written

/** Every derived view. Each comes after the views that it reads. */
export const derivedViews: readonly DerivedView[] = [
  ...latestViews(tables),
  ...Object.entries(declared).map(([name, view]) => {
    if (name !== 'address_activity') return { name, ...view }
    // Only a publication needs the query, and commands that read a lake start faster without it.
    return {
      name,
      ...view,
      get query() {
        return addressActivityQuery(tables)
      },
    }
  }),
]

export function builtInView(name: string): DerivedView {
  const view = derivedViews.find((each) => each.name === name)
  if (view === undefined) throw new Error(`There is no view ${name}.`)
  return view
}
