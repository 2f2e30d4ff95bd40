import { DefinitionError } from '../errors.ts'
import { sqlName } from '../lib/text.ts'

/** How a column is stored. Arrow, Parquet, the catalog and the views derive from this. */
export type ColumnType =
  | { readonly kind: 'text' }
  | { readonly kind: 'int64' }
  | { readonly kind: 'double' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'decimal'; readonly precision: 20 | 38 }
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'blob' }
  | { readonly kind: 'list'; readonly item: Column }
  | { readonly kind: 'struct'; readonly fields: Columns }

/**
 * `dictionary` for values that repeat; `plain` for unique values (hashes) and for amounts; `delta` for counting numbers and times.
 * Compression alone makes amounts smaller than a dictionary does (measured: 2 % of the files, 5 to 14 % of the encoder's time).
 */
export type ColumnEncoding = 'dictionary' | 'plain' | 'delta'

type TextReader =
  | 'address'
  | 'chainId'
  | 'hash'
  | 'hex'
  | 'id'
  | 'json'
  | 'nodeId'
  | 'owner'
  | 'text'
  | 'tokenId'
  | 'word'
type BytesReader = 'bytes' | 'encoded' | 'memo'
type WholeReader = 'count' | 'decimal' | 'difference' | 'digits' | 'int64' | 'sum' | 'u32' | 'u64' | 'u8' | 'whole'
type FractionReader = 'double' | 'fraction' | 'latitude' | 'longitude' | 'percent' | 'shares'
type TimeReader = 'date' | 'iso' | 'microseconds' | 'milliseconds' | 'month' | 'nanoseconds' | 'seconds' | 'time'

/** How a value of a JSON answer is read: `src/decode/json/kinds.ts` defines what each of them accepts. */
export type ReaderName = TextReader | BytesReader | WholeReader | FractionReader | TimeReader | 'flag'

/**
 * How a value of an answer of an EVM node is read, which writes numbers as hexadecimal text: `src/decode/evm/hex-fields.ts` defines these
 * and what the others of these names accept there. `data`: bytes that may be null or empty; `filled`: bytes that are no value if there
 * are none; `quantity`: a number as hexadecimal text; `scalar`: a text, or a number as text.
 */
type HexReaderName = 'data' | 'filled' | 'quantity' | 'scalar'

/** A declared column. `V` is the type of its value in a row (including `null` where the column is nullable). */
export type Column<V = any> = {
  readonly type: ColumnType
  readonly nullable: boolean
  readonly comment: string
  readonly encoding: ColumnEncoding
  /** Where an answer has the value: see `at`. Columns without a path have values of the request, or of code. */
  readonly path?: string
  /** How the value at the path is read. */
  readonly reader?: ReaderName | HexReaderName
  /** Values that the source writes for null. */
  readonly nullValues?: readonly string[]
  /** It always has the same value for a key, whenever the run reads it. Others may be states, or names that services change. */
  readonly isLasting?: true
  /** `verify` cannot check its values: nothing else in a lake holds them, or something else holds them for some rows only. */
  readonly isUnproven?: 'never' | 'partly'
  /** Never set: it only carries the type of the value. */
  readonly value?: V
}

/** A column as `t` declares it, which can also say where its values come from. */
export type DeclaredColumn<V = any> = Column<V> & {
  /**
   * The column with the path of its value in an item of an answer, and the name of its reader where the type has several: a double may be a
   * fraction or a percentage. Steps are names with dots between them. `a|b`: one of two fields, which are equal if both are there. If the
   * column is nullable, any step of its path may be missing, unless the path marks those that may: in `a?.b` an `a` has a `b`. `/a`: a
   * field of the answer itself. `a[].b`: the list of the `b` of each object in a list. A decimal that is read as `digits` is null if it
   * has more than 38 of them; it also fills its twin with all digits, `<name>_raw`.
   */
  readonly at: (path: string, reader?: ReaderName | HexReaderName) => DeclaredColumn<V>
  /** The column with the mark `isLasting`. */
  readonly lasting: () => DeclaredColumn<V>
  /** The column with the mark `isUnproven`: nothing else in a lake holds its values. */
  readonly unproven: () => DeclaredColumn<V>
  /** The column with the mark `isUnproven`: something else holds its values for some rows only. */
  readonly partlyUnproven: () => DeclaredColumn<V>
}

/** The columns of a table by name. */
export type Columns = { readonly [name: string]: Column }

/** The row that a set of columns describes. */
export type RowOfColumns<C extends Columns> = { -readonly [K in keyof C]: ValueOf<C[K]> }
/** The type of the values of a column. */
export type ValueOf<C> = C extends Column<infer V> ? V : never

/** The option of a column that may be null. */
export const nullable = { nullable: true } as const
type Nullable = typeof nullable
type Options = { readonly nullable?: boolean }

/** What declared columns inherit, so that a column itself is plain data. */
const ofEachColumn = {
  at(this: Column, path: string, reader: Column['reader'] = this.reader): DeclaredColumn {
    return declared({ ...this, path, ...(reader === undefined ? {} : { reader }) })
  },
  lasting(this: Column): DeclaredColumn {
    return declared({ ...this, isLasting: true })
  },
  unproven(this: Column): DeclaredColumn {
    return declared({ ...this, isUnproven: 'never' })
  },
  partlyUnproven(this: Column): DeclaredColumn {
    return declared({ ...this, isUnproven: 'partly' })
  },
}

function declared(column: Column): DeclaredColumn {
  return Object.assign(Object.create(ofEachColumn), column)
}

function column(
  type: ColumnType,
  encoding: ColumnEncoding,
  reader: Column['reader'],
  comment: string,
  options: Options = {},
): DeclaredColumn {
  if (comment.trim() === '') throw new DefinitionError('A column needs a comment.')
  const nullable = options.nullable === true
  return declared({ type, nullable, comment, encoding, ...(reader === undefined ? {} : { reader }) })
}

type Declare<V> = {
  (comment: string): DeclaredColumn<V>
  (comment: string, options: Nullable): DeclaredColumn<V | null>
}

function declare<V>(type: ColumnType, encoding: ColumnEncoding, reader: ReaderName): Declare<V> {
  return (comment: string, options?: Options) => column(type, encoding, reader, comment, options)
}

function list<V>(item: Column<V>, comment: string): DeclaredColumn<V[]>
function list<V>(item: Column<V>, comment: string, options: Nullable): DeclaredColumn<V[] | null>
function list(item: Column, comment: string, options?: Options): DeclaredColumn {
  return column({ kind: 'list', item }, item.encoding, item.reader, comment, options)
}

function struct<C extends Columns>(fields: C, comment: string): DeclaredColumn<RowOfColumns<C>>
function struct<C extends Columns>(
  fields: C,
  comment: string,
  options: Nullable,
): DeclaredColumn<RowOfColumns<C> | null>
function struct(fields: Columns, comment: string, options?: Options): DeclaredColumn {
  return column({ kind: 'struct', fields }, 'dictionary', undefined, comment, options)
}

/** The columns with their paths below an object of the answer, such as `asset`. */
export function below<C extends Columns>(object: string, columns: C): C {
  const moved = Object.entries(columns).map(([name, column]): [string, Column] => {
    if (column.path === undefined) return [name, column]
    const path = column.path.split('|').map((each) => `${object}.${each}`)
    return [name, declared({ ...column, path: path.join('|') })]
  })
  return Object.fromEntries(moved) as C
}

/**
 * Column types and the values that a row holds. text, cb58, hex, address: `string`; int64: a safe integer or a `bigint` within int64; u64
 * (DECIMAL(20,0)) and decimal38 (DECIMAL(38,0)): `bigint`; timestamp: `bigint`, microseconds since 1970 UTC; blob: `Uint8Array`; list: an
 * array; struct: an object.
 */
export const t = {
  /** Text with values that repeat: names, kinds, states. */
  text: declare<string>({ kind: 'text' }, 'dictionary', 'text'),
  /** An id as CB58 text, stored without a dictionary because most ids are unique. */
  cb58: declare<string>({ kind: 'text' }, 'plain', 'id'),
  /** A hash or other bytes as `0x` lower-case hex text, mostly unique. */
  hex: declare<string>({ kind: 'text' }, 'plain', 'hex'),
  /** An address, a node id, or an id that many rows share: text with a dictionary. */
  address: declare<string>({ kind: 'text' }, 'dictionary', 'address'),
  /** BIGINT: heights, indices, counts, gas. */
  int64: declare<number | bigint>({ kind: 'int64' }, 'delta', 'count'),
  /** DOUBLE: only for values that the source itself gives as binary or rounded fractions. */
  double: declare<number>({ kind: 'double' }, 'plain', 'fraction'),
  /** BOOLEAN: true or false. */
  boolean: declare<boolean>({ kind: 'boolean' }, 'plain', 'flag'),
  /** DECIMAL(20,0): any unsigned 64-bit integer that a chain accepts unchecked. */
  u64: declare<bigint>({ kind: 'decimal', precision: 20 }, 'plain', 'u64'),
  /** DECIMAL(38,0): sums of u64, wei, token amounts. */
  decimal38: declare<bigint>({ kind: 'decimal', precision: 38 }, 'plain', 'sum'),
  /** TIMESTAMP WITH TIME ZONE, microseconds, UTC. */
  timestamp: declare<bigint>({ kind: 'timestamp' }, 'delta', 'seconds'),
  /** BLOB: bytes. */
  blob: declare<Uint8Array>({ kind: 'blob' }, 'plain', 'bytes'),
  list,
  struct,
}

const duckdbTypes = {
  text: 'VARCHAR',
  int64: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  blob: 'BLOB',
} as const

/** The DuckDB type of a column, as in `DECIMAL(20,0)`, `VARCHAR[]` or `STRUCT("a" BIGINT)`. */
export function duckdbType(type: ColumnType): string {
  if (type.kind === 'decimal') return `DECIMAL(${type.precision},0)`
  if (type.kind === 'list') return `${duckdbType(type.item.type)}[]`
  if (type.kind !== 'struct') return duckdbTypes[type.kind]
  const fields = Object.entries(type.fields).map(([name, field]) => `${sqlName(name)} ${duckdbType(field.type)}`)
  return `STRUCT(${fields.join(', ')})`
}

/** The last column of each view that shows the time of a block. Files do not have it. */
export const blockDate = 'block_date'
export const blockTime = 'block_time'

/**
 * SQL: the UTC date of a time. A cast of the time itself would give the date in the time zone of the session, and `AT TIME ZONE` needs an
 * extension and takes ten times as long.
 */
export function utcDate(time: string): string {
  return `make_timestamp(epoch_us(${time}))::DATE`
}

/** The column with the date of a time, in a table or view of this name. Most blocks of the P-Chain before Banff have no time of their own. */
export function dateColumn(name: string, time: string, isNullable: boolean) {
  const known = name.startsWith('p_') ? ': p_block_times has the date of every block' : ''
  const exception = isNullable ? `; null where ${time} is null${known}` : ''
  return { type: 'DATE', comment: `UTC date of ${time}, the same in every time zone${exception}.` } as const
}
