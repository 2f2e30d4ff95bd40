import type { Slice } from '../../model.ts'

/** What is wrong, by a name that scripts may match on. */
export type FindingKind =
  /** A file that the catalog names is not there, has another size, other bytes, is no whole Parquet file, or is not what the catalog says. */
  | 'file.gone'
  | 'file.size'
  | 'file.hash'
  | 'file.unreadable'
  | 'file.footer'
  | 'file.statistics'
  /** The catalog names a file twice. */
  | 'file.named-twice'
  /** A file under `data/` that neither the catalog nor a run knows. */
  | 'file.unknown'
  /** `lake.duckdb`, `views.sql` or `lake.ducklake` is not there, or is not what was published. */
  | 'published.gone'
  | 'published.damaged'
  /** The catalog contradicts itself. */
  | 'catalog.rows'
  | 'catalog.coverage'
  | 'catalog.table'
  /** Rows that contradict each other, what is covered, or the bytes that they come from. */
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
  /** The lake and a node, or two sources in the lake, say different things. */
  | 'source.different'
  | 'source.missing'
  | 'source.extra'
  /** The lake is not what a certificate says. */
  | 'certificate.different'

/** Something that is wrong in a lake, as exactly as it is known where. Plain data, which repairs and scripts take. */
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
  /** Coordinates of the stream that it is about: indices of containers, numbers of blocks. */
  readonly slice?: Slice
  /** Height of the first row, of EVM chains the number of its block. */
  readonly height?: number
  /** Of the first row. */
  readonly key?: Readonly<Record<string, string>>
  /** Of a file that holds rows of several streams or slices. */
  readonly holds?: readonly { readonly stream: string; readonly slice: Slice | null }[]
  /** Of the file: what is wrong lies in them. */
  readonly bytes?: Slice
  /** Columns that are wrong, of bytes those whose bytes they are; the row group of the file, from 0 on. */
  readonly columns?: readonly string[]
  readonly rowGroup?: number
  /** The other table that says otherwise: either of the two may be wrong. */
  readonly otherTable?: string
  /** What the catalog, the other rows or the other source say, and what was found. */
  readonly expected?: string
  readonly found?: string
  /** Rows that it is about; absent: not told by rows. */
  readonly rows?: number
}

/** Something that is worth saying and not wrong, such as what could not be checked. */
export type Remark = {
  readonly message: string
  readonly table?: string
  readonly stream?: string
  /** Of two sources, by table, what only that one has, and what both say alike. */
  readonly rows?: { readonly alike: number; readonly only: Readonly<Record<string, number>> }
}

/** What nothing can prove here: not wrong, as far as anybody can tell, and not passed over either. */
export type Unverifiable = {
  readonly table: string
  /** Absent: every stream of the table. */
  readonly stream?: string
  /** Columns that nothing says again; absent: it is about rows, not about values in them. */
  readonly columns?: readonly string[]
  /** Columns that something says again of some rows only. */
  readonly partly?: readonly string[]
  /** Why it cannot be verified, and what would change that. */
  readonly reason: string
}
