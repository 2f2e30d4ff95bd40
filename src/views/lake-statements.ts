import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DerivedView, Table } from '../define/index.ts'
import { packageRoot } from '../lib/package-root.ts'
import { sqlName, sqlText } from '../lib/sql-quote.ts'
import { commentStatements } from './comment-statements.ts'
import { type TableFile, tableViewStatements } from './table-view.ts'

/** Which files each table has at a snapshot. Tables that are not named have none. */
export type LakeFiles = {
  readonly snapshotId: number
  readonly tables: readonly { readonly name: string; readonly files: readonly TableFile[] }[]
}

export type LakeViews = {
  /** Absolute. */
  readonly lakeDir: string
  readonly files: LakeFiles
  readonly tables: readonly Table[]
  readonly derived: readonly DerivedView[]
  readonly publishedAt: Date
  readonly version: string
}

/** Everything that `lake.duckdb` and `views.sql` consist of, in order; no statement ends in a semicolon. */
export async function lakeStatements(views: LakeViews): Promise<string[]> {
  const { lakeDir, files, tables, derived } = views
  const filesOf = new Map(files.tables.map((table) => [table.name, table.files]))
  const derivedStatements = await Promise.all(derived.map(derivedViewStatements))
  return [
    ...tables.flatMap((table) => tableViewStatements(table, lakeDir, filesOf.get(table.name) ?? [])),
    ...derivedStatements.flat(),
    ...lakeFactsStatements(views),
  ]
}

async function derivedViewStatements(view: DerivedView): Promise<string[]> {
  const query = await readFile(join(packageRoot(), 'schemas', 'views', `${view.name}.sql`), 'utf8')
  const columns = Object.entries(view.columns).map(([name, { comment }]) => [name, comment] as const)
  return [
    `CREATE OR REPLACE VIEW ${sqlName(view.name)} AS\n${query.trim().replace(/;$/, '')}`,
    ...commentStatements(view.name, view.comment, columns),
  ]
}

function lakeFactsStatements({ files, lakeDir, publishedAt, version }: LakeViews): string[] {
  const facts = [
    `CAST(${files.snapshotId} AS BIGINT) AS snapshot_id`,
    `CAST(${sqlText(publishedAt.toISOString())} AS TIMESTAMP WITH TIME ZONE) AS published_at`,
    `${sqlText(lakeDir)} AS lake_path`,
    `${sqlText(version)} AS chainlake_version`,
  ]
  return [
    `CREATE OR REPLACE VIEW chainlake_lake AS\nSELECT ${facts.join(',\n  ')}`,
    ...commentStatements('chainlake_lake', 'What these views show, in one row.', [
      ['snapshot_id', 'Snapshot of the catalog whose files the views list.'],
      ['published_at', 'When the views were written (UTC).'],
      ['lake_path', 'Folder of the lake; after a move run chainlake views.'],
      ['chainlake_version', 'Version of chainlake that wrote the views.'],
    ]),
  ]
}
