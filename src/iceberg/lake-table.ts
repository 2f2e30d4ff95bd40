/** The facts of a table that chainlake publishes, from the catalog of the lake. */
export type LakeTable = {
  readonly name: string
  readonly comment: string | null
  /** Every column; nested columns come after their parents. */
  readonly columns: readonly LakeColumn[]
  readonly partition: readonly LakePartitionColumn[]
  readonly files: readonly LakeFile[]
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

/** The catalog's statistics of a leaf column in a file. */
export type LakeFileStats = {
  readonly columnId: number
  readonly bytes: number
  /** Number of values without the nulls. */
  readonly values: number
  readonly nulls: number
  /** Bounds of the values as DuckLake writes them; null where unknown. */
  readonly min: string | null
  readonly max: string | null
}
