/** What is published of a table: as the catalog of a lake states it. */
export type LakeTable = {
  readonly name: string
  readonly comment: string | null
  /** Every column, nested ones behind their parents. */
  readonly columns: readonly LakeColumn[]
  readonly partition: readonly LakePartitionColumn[]
  readonly files: readonly LakeFile[]
}

export type LakeColumn = {
  /** That of the Parquet files, too; of one column for ever. */
  readonly id: number
  readonly name: string
  /** DuckLake's name of the type. */
  readonly type: string
  readonly nullable: boolean
  readonly parentId: number | null
  readonly comment: string | null
}

/** DuckLake cuts a time into its numbers: a month is `year` and `month` of one column, a day those and `day`. */
export type LakePartitionColumn = { readonly columnId: number; readonly transform: string }

export type LakeFile = {
  readonly id: number
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
  /** One text for each key of the partitioning: `mainnet`, `2026-11`, `2026-11-21`; null for rows without a value. */
  readonly partition: readonly (string | null)[]
}

/** What the catalog says of a leaf column in a file. */
export type LakeFileStats = {
  readonly columnId: number
  readonly bytes: number
  /** Without the nulls. */
  readonly values: number
  readonly nulls: number
  /** Bounds of the values as DuckLake writes them; null where unknown. */
  readonly min: string | null
  readonly max: string | null
}
