import type { LakeSnapshot, Slice } from '../model.ts'

/** The scope of a verification and its findings. */
export type VerifyReport = {
  readonly lake: string
  readonly snapshot: LakeSnapshot
  /**
   * `full` checks everything. `fast` checks only sizes, metadata and statistics of files. `since` does the same for the files that a
   * certificate names, and checks everything else. `against` compares rows with a certificate.
   */
  readonly mode: 'full' | 'fast' | 'since' | 'against'
  readonly findings: readonly Finding[]
  readonly remarks: readonly Remark[]
  /**
   * What could not be verified, by table. With `fast` only what was not compared with a node; with `against` nothing. Neither mode compares
   * rows with each other.
   */
  readonly unverifiable: readonly Unverifiable[]
  readonly checked: {
    readonly tables: number
    readonly files: number
    readonly bytes: number
    readonly rows: number
  }
  /** With `since`: the files that the certificate covers. `verify` checked their sizes, metadata and statistics; it did not read their rows. */
  readonly known?: VerifyReport['checked']
  /** The certificate of the rows in the lake; null without `certifying`, or when something is wrong. */
  readonly certificate: Certificate | null
  readonly seconds: number
}

/** Is called with how many of the files, records or checks of a step are done. */
export type OnProgress = (progress: { readonly what: string; readonly done: number; readonly of: number }) => void

/** The kind of a finding: a stable name that scripts may match. */
export type FindingKind =
  /** A file of the catalog is missing, has another size or other bytes, is not valid Parquet, or contradicts the catalog. */
  | 'file.gone'
  | 'file.size'
  | 'file.hash'
  | 'file.unreadable'
  | 'file.footer'
  | 'file.statistics'
  /** The catalog lists a file twice. */
  | 'file.named-twice'
  /** A file of unknown origin under `data/`: neither the catalog nor a run knows it. */
  | 'file.unknown'
  /** `lake.duckdb`, `views.sql` or `lake.ducklake` is missing, or is not what was published. */
  | 'published.gone'
  | 'published.damaged'
  /** The catalog contradicts itself. */
  | 'catalog.rows'
  | 'catalog.coverage'
  | 'catalog.table'
  /** Rows contradict each other, the coverage, or the bytes that they come from. */
  | 'rows.key'
  | 'rows.missing'
  | 'rows.beyond'
  | 'rows.parent'
  | 'rows.count'
  | 'rows.orphan'
  | 'rows.input'
  | 'rows.spent-twice'
  | 'rows.raw'
  | 'rows.value'
  /** The lake and a node, or two sources in the lake, differ. */
  | 'source.different'
  | 'source.missing'
  | 'source.extra'
  /** The lake differs from a certificate. */
  | 'certificate.different'

/** Something that is wrong in a lake, located as exactly as possible. Plain data that repairs and scripts read. */
export type Finding = {
  readonly kind: FindingKind
  /** One sentence. */
  readonly message: string
  readonly network?: string
  readonly table?: string
  /** Relative to the lake, with `/`. */
  readonly file?: string
  /** Such as `mainnet/P/block`. */
  readonly stream?: string
  /** The affected coordinates of the stream: heights of blocks, or indexes of containers. */
  readonly slice?: Slice
  /** The height of the first row; on EVM chains, its block number. */
  readonly height?: number
  /** The key of the first row. */
  readonly key?: Readonly<Record<string, string>>
  /** The streams and slices of a file that holds rows of several. */
  readonly holds?: readonly { readonly stream: string; readonly slice: Slice | null }[]
  /** The byte range of the file that holds the damage. */
  readonly bytes?: Slice
  /** The columns that are wrong or damaged, and the row group of the file, counted from 0. */
  readonly columns?: readonly string[]
  readonly rowGroup?: number
  /** The table that contradicts: either of the two may be wrong. */
  readonly otherTable?: string
  /** The value in the catalog, the other rows or the other source, and the value that was found. */
  readonly expected?: string
  readonly found?: string
  /** The number of affected rows; absent if it is unknown. */
  readonly rows?: number
}

/** Information that is not an error, such as a check that was skipped. */
export type Remark = {
  readonly message: string
  readonly table?: string
  readonly stream?: string
  /** For two sources: how many rows are equal, and by table how many rows only that table has. */
  readonly rows?: { readonly alike: number; readonly only: Readonly<Record<string, number>> }
}

/** Data that nothing in the lake can prove or contradict. */
export type Unverifiable = {
  readonly table: string
  /** Absent if it concerns every stream of the table. */
  readonly stream?: string
  /** Columns that nothing else in the lake holds; absent if it concerns rows and not their values. */
  readonly columns?: readonly string[]
  /** Columns that something else in the lake holds for some rows only. */
  readonly partly?: readonly string[]
  /** Why it cannot be verified, and what would change that. */
  readonly reason: string
}

/**
 * A short summary of the data of a lake: equal certificates mean equal chains. It leaves out values that describe the node or the run (times
 * of acceptance, wrappers, P-Chain times that may come from wrappers, ids of observations), and all observations and versions.
 */
export type Certificate = {
  readonly format: 5
  /** One entry for each covered range of blocks. */
  readonly streams: readonly {
    readonly network: string
    readonly stream: string
    readonly table: string
    /** Heights or block numbers, both included. */
    readonly from: number
    readonly to: number
    readonly count: number
    readonly firstId: string
    readonly lastId: string
    /** SHA-256 of the ids of the blocks in the order of height, each followed by a line feed. */
    readonly sha256: string
  }[]
  readonly tables: readonly {
    readonly network: string
    readonly table: string
    readonly rows: number
    /** SHA-256 of two sums: of the first and of the second eight bytes of the SHA-256 of each row. The order of rows does not matter. */
    readonly sha256: string
  }[]
  /** The SHA-256 of each file that was verified, by its path in the lake. Lakes with other files may have the same chains. */
  readonly files: Readonly<Record<string, string>>
}
