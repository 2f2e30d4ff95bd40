import type { CatalogFile } from '../model.ts'

/** The facts of a table that chainlake publishes, from the catalog of the lake. */
export type LakeTable = {
  readonly name: string
  readonly comment: string | null
  /** Every column; nested columns come after their parents. */
  readonly columns: readonly LakeColumn[]
  readonly partition: readonly LakePartitionColumn[]
  readonly files: readonly CatalogFile[]
}

export type LakeColumn = {
  /** The permanent id of the column, also used in the Parquet files. */
  readonly id: number
  readonly name: string
  /** DuckLake's name of the type. */
  readonly type: string
  readonly nullable: boolean
  readonly parentId: number | null
  readonly comment: string | null
}

/** DuckLake cuts a time into its numbers: a month is `year` and `month` of one column, and a day is those two and `day`. */
type LakePartitionColumn = { readonly columnId: number; readonly transform: string }
