import type { DerivedView, Table } from '../define/index.ts'
import { sqlText } from '../lib/text/sql-quote.ts'
import type { LakeSnapshot } from '../model.ts'
import type { Store } from '../store/store.ts'
import { addressAt } from './location.ts'
import {
  commentedEmptyTableScript,
  emptyTableScript,
  type TableFile,
  tableViewScript,
  unreachedScript,
} from './table-view.ts'
import { readViewQuery } from './view-query.ts'
import { viewScript } from './view-script.ts'

/** The files of each table at a snapshot. A table that is not listed has no files. */
export type LakeFiles = {
  readonly snapshot: LakeSnapshot
  readonly tables: readonly { readonly name: string; readonly files: readonly TableFile[] }[]
}

type LakeViews = {
  /** Absolute path. */
  readonly lakeDir: string
  readonly store: Store
  /** Where readers find the lake; null: where its files are. */
  readonly location?: string | null
  readonly files: LakeFiles
  readonly tables: readonly Table[]
  readonly derived: readonly DerivedView[]
  /** Views among `derived` whose queries depend on the lake, with these queries. */
  readonly filledViews?: readonly DerivedView[]
  readonly publishedAt: Date
  readonly version: string
}

/** The scripts of `lake.duckdb` and `views.sql`, one for each view. */
export type LakeScripts = {
  /** Views over the files of tables, and empty views of tables without files. */
  readonly tables: readonly TableScript[]
  /** Views over tables and over earlier views. */
  readonly derived: readonly string[]
  /** Those of the derived views that depend on the lake. */
  readonly filled: readonly string[]
  /** The view `chainlake_lake`, which describes what the views show. */
  readonly facts: string
}

type TableScript = {
  readonly text: string
  /** The script that creates the view here, where the files may be out of reach. */
  readonly here: string
  /** Whether the table has files. */
  readonly isFilled: boolean
}

export async function lakeScripts(views: LakeViews): Promise<LakeScripts> {
  const { store, location = null, files, tables, filledViews = [] } = views
  const derived = views.derived.map((view) => filledViews.find(({ name }) => name === view.name) ?? view)
  const addresses = location === null ? store : { address: (path: string) => addressAt(location, path) }
  const isReached = location === null && store.remote === null
  const filesOf = new Map(files.tables.map((table) => [table.name, table.files]))
  return {
    tables: tables.map((table) => {
      const own = filesOf.get(table.name) ?? []
      const text = tableViewScript(table, addresses, own)
      const isFilled = own.length > 0
      return { text, here: isFilled && !isReached ? unreachedScript(table, text) : text, isFilled }
    }),
    derived: await derivedScripts(derived),
    filled: await derivedScripts(filledViews),
    facts: lakeFactsScript(views),
  }
}

/** Every view of a lake without files, each after the views that it reads. */
export async function emptyLakeScripts({ tables, derived }: Pick<LakeViews, 'tables' | 'derived'>): Promise<string[]> {
  // DuckDB looks at every file of a table for each view over it, and comments cost the most time. So the views over views come before the
  // views of tables with comments.
  return [...tables.map(emptyTableScript), ...(await derivedScripts(derived)), ...tables.map(commentedEmptyTableScript)]
}

/**
 * `addr(text)`: an address as the tables of a lake have it, `0x` in lower case or bech32 without chain prefix. Other texts stay. See
 * `bareAddress` of src/decode.
 */
export const addressMacro = `CREATE OR REPLACE MACRO addr(address) AS
  CASE WHEN regexp_matches(address, '^([0-9A-Za-z]+-)?0[xX][0-9A-Fa-f]+$') THEN lower(regexp_replace(address, '^[0-9A-Za-z]+-', ''))
  ELSE regexp_replace(address, '^[0-9A-Za-z]+-([a-z][a-z0-9]*1[02-9ac-hj-np-z]{38})$', '\\1') END;`

/** The same for the views of this program, with what they share. */
export async function builtInScripts(declared: Pick<LakeViews, 'tables' | 'derived'>): Promise<string[]> {
  return [addressMacro, ...(await emptyLakeScripts(declared))]
}

function derivedScripts(derived: readonly DerivedView[]): Promise<string[]> {
  return Promise.all(derived.map(derivedViewScript))
}

async function derivedViewScript(view: DerivedView): Promise<string> {
  return viewScript({ ...view, query: await readViewQuery(view) })
}

/** What a reader of views over files elsewhere needs to know first; empty for a lake in a folder. */
export function remoteNote({
  store: { remote, address },
  location = null,
}: Pick<LakeViews, 'store' | 'location'>): string {
  if (location !== null) return `The data files are at ${location}.`
  return remote === null ? '' : `The data files are at ${address('')}. First run ${remote.accessSql}.`
}

/** The view with facts about the lake. */
export const lakeFactsName = 'chainlake_lake'

function lakeFactsScript(views: LakeViews): string {
  const { files, lakeDir, location = null, publishedAt, version } = views
  const facts = [
    `${sqlText(files.snapshot.lakeId)} AS lake_id`,
    `CAST(${files.snapshot.snapshotId} AS BIGINT) AS snapshot_id`,
    `CAST(${sqlText(publishedAt.toISOString())} AS TIMESTAMP WITH TIME ZONE) AS published_at`,
    `${sqlText(location ?? lakeDir)} AS lake_path`,
    `${sqlText(version)} AS chainlake_version`,
  ]
  return viewScript({
    name: lakeFactsName,
    query: `SELECT\n  ${facts.join(',\n  ')}`,
    comment: `What these views show, in one row. ${remoteNote(views)}`.trimEnd(),
    columns: {
      lake_id: { comment: 'A UUID that the lake has from its beginning; a copy or a restored backup has the same.' },
      snapshot_id: { comment: 'Snapshot of the catalog whose files the views list.' },
      published_at: { comment: 'When the views were written (UTC).' },
      lake_path: { comment: 'Where the views read the lake: its folder, or the location of chainlake views.' },
      chainlake_version: { comment: 'Version of chainlake that wrote the views.' },
    },
  })
}
