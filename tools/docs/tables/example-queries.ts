import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/lib/files/package-root.ts'

/** What a query answers, and its SQL, which runs on the lake of the demo. */
type ExampleQuery = { readonly says: string; readonly sql: string }

const text = readFileSync(join(packageRoot(), 'tools/docs/tables/example-queries.sql'), 'utf8')

/** The example queries by table or view. */
export const exampleQueries: Readonly<Record<string, ExampleQuery>> = Object.fromEntries(
  Array.from(text.matchAll(/^-- (\w+): (.+)\n([\s\S]+?);$/gm), ([, name, says, sql]) => [
    name!,
    { says: says!, sql: sql! },
  ]),
)
