import {
  type JsonField,
  type JsonInner,
  type JsonJoin,
  type JsonProperty,
  jsonReader,
} from '../../codec/generated-code.ts'
import type { Column, Columns, DecodePage, Page, PageItem, ReadingContext, RowsOf, Tables } from '../define/index.ts'
import { TransportError } from '../errors.ts'
import { getOrCreate } from '../lib/arrays.ts'
import { isObject } from '../lib/json.ts'
import {
  answerObject,
  contradiction,
  type Dialect,
  excerpt,
  finish,
  itemsOf,
  json,
  listIn,
  newShape,
  pathOf,
  type Reading,
  reading,
  required,
  type Shape,
  unknownNames,
} from './json/fields.ts'
import { complaintOf, isNone, type Kind, kinds } from './json/kinds.ts'

/**
 * Makes decoders of lists from what their tables declare: each column says where an answer has its value, and how that is read. Readers
 * are generated when the first answer is decoded.
 */

/** Values of columns without a path, by their names. */
export type Given = Readonly<Record<string, unknown>>

/** Reads the value at the path of a column in place of the reader that the column names. Throws `DecodeError`. */
type ReadValue = (value: unknown, at: Reading) => unknown

/** What lists add to the columns of their tables. */
type RowHooks = {
  /** Readers of columns, by their paths in the table: `genesis_json`, or `details.key` for a field of a struct. */
  readonly readers?: Readonly<Record<string, ReadValue>>
  /** Paths of fields of an item that hold nothing for the table, or that hooks read. */
  readonly ignore?: readonly string[]
  /** The shapes of objects that the caller has opened, by the first steps of paths. The caller finishes them. */
  readonly parts?: Readonly<Record<string, Shape>>
}

/** A list in an answer. Its tables declare what they read of an item. */
export type ListDeclaration<T extends Tables> = RowHooks & {
  /** The tables that it fills, by the names that the pipeline gives them. */
  readonly tables: T
  /** The path of the items in the answer. Null: the answer is one item. */
  readonly items: string | null
  /** Whether the path is that of one item. */
  readonly isOne?: true
  /** The items are the fields of an object. This field of an item has the name of its own. A value that is no object is the field `value`. */
  readonly keyedBy?: string | undefined
  /** Whether an answer without the field of the items is an empty list, if it has no unknown field. Null always is an empty list. */
  readonly mayMissItems?: true
  /** The path of the token of the next page (default: `nextPageToken`). Null: there are no pages. */
  readonly token?: string | null
  /** Values of the token that mean that there is no next page. An empty text and false always do. */
  readonly lastTokens?: readonly string[] | undefined
  /** Paths of fields of the answer that hold nothing for the table. */
  readonly ignoreInAnswer?: readonly string[]
  /** The table of an item (default: the first one). */
  readonly tableOf?: (item: Reading) => keyof T & string
  /** The columns that identify an item, or a function that returns its key. Default: the items of the list are not compared. */
  readonly key?: readonly string[] | ((row: any, item: Reading) => string)
  /** The column with the time of an item, or a function that returns its Unix seconds. */
  readonly time?: string | ((row: any, item: Reading) => number | null)
  /**
   * Checks a row, and fills columns that have no path. `given` has the values of the request, of the answer, and of `ofAnswer`. Throws
   * `DecodeError`.
   */
  readonly complete?: (row: any, item: Reading, given: Given) => void
  /** Checks an answer. Returns values for all of its rows, and rows of other tables. Throws `DecodeError`. */
  readonly ofAnswer?: (answer: Reading, given: Given) => { readonly given?: Given; readonly rows?: Partial<RowsOf<T>> }
}

/** Decodes the answers of a list. `given` has the values of columns without a path, as far as the request determines them. */
export type ListReader<T extends Tables> = (given: Given) => DecodePage<T>

/** Makes the decoder of a list. */
export function listReader<T extends Tables>(list: ListDeclaration<T>): ListReader<T> {
  let known: CompiledList | null = null
  return (given) => (answer, context) => {
    known ??= compileList(list)
    return readPage(list, known, answer, given, context) as Page<T>
  }
}

/** Makes a reader of an object: it becomes a row. */
export function rowReader(columns: Columns): ReadRow {
  const shape = newShape()
  let known: RowReader | null = null
  return (at, given) => {
    known ??= compileRow(columns, shape, {})
    for (const name of shape.known) at.shape.known.add(name)
    return known.read(at, givenTo(known, given))
  }
}

/**
 * Makes a reader of objects of one shape, which the caller opens and finishes. `given` has a value for each column without a path. The
 * caller may pass `{ object }` with opened objects for a row of several.
 */
export function partsReader<R>(columns: Columns, shape: Shape, hooks: RowHooks = {}) {
  let read: ReadRow | null = null
  return (at: Pick<Reading, 'object'>, given: Partial<R>): R => {
    read ??= compileRow(columns, shape, hooks).read
    return read(at as Reading, given)
  }
}

export function secondsOf(time: bigint): number {
  return Number(time / 1_000_000n)
}

type ReadRow = (at: Reading, given: Given) => any

/** `blank` has a null for each column without a path, so that all given values have one form. */
type RowReader = { readonly read: ReadRow; readonly blank: Given }

type CompiledList = {
  readonly shape: Shape
  readonly itemShape: Shape
  readonly readAnswer: ReadRow
  readonly rows: Map<string, RowReader>
}

type FoundItems = { readonly value: unknown; readonly at: Reading; readonly name: string }

// Names of columns are in snake_case, so these collide with none.
const itemsName = 'listItems'
const tokenName = 'nextToken'

function compileList<T extends Tables>(list: ListDeclaration<T>): CompiledList {
  const { items, token = 'nextPageToken', ignoreInAnswer = [] } = list
  const shape = newShape()
  // The fields of a single item and those of the answer are fields of one object.
  if (items === null) return { shape, itemShape: shape, readAnswer: () => ({}), rows: new Map() }
  const stated = Object.values(list.tables as Tables).flatMap(({ columns }) => sourcesOf(columns, list).ofAnswer)
  const sources = [...new Map(stated.map((source) => [source.column, source])).values()]
  const lasts = new Set([...(list.lastTokens ?? []), '', 'false'])
  // The text of an empty list is empty, too, but a list is no token.
  const isLast = (value: unknown): boolean => !Array.isArray(value) && lasts.has(String(value))
  if (token !== null)
    sources.push(
      fieldSource(tokenName, token, {
        isRequired: false,
        isMissing: isLast,
        read: (value) => (isLast(value) ? null : kinds.text.read(value)),
      }),
    )
  const name = items.slice(items.lastIndexOf('.') + 1)
  const find = (value: unknown, at: Reading): FoundItems => {
    if (list.isOne === true) return { value, at, name }
    const { keyedBy } = list
    return { value: listIn(keyedBy === undefined ? value : entriesOf(value, keyedBy, at), at, name), at, name }
  }
  // Servers write an empty list as null.
  const ofNull = list.isOne === true ? undefined : noItems
  sources.push(fieldSource(itemsName, items, { isRequired: list.mayMissItems !== true, read: find, ofNull }))
  const names = sources.map(({ column }) => column)
  return { shape, itemShape: newShape(), readAnswer: compile(names, sources, shape, ignoreInAnswer), rows: new Map() }
}

const noItems = { value: [] }

/** The fields of an object as items; any other value as it is. */
function entriesOf(value: unknown, keyedBy: string, at: Reading): unknown {
  if (!isObject(value)) return value
  return Object.entries(value).map(([name, item]) => {
    const stated = isObject(item) ? item[keyedBy] : undefined
    if (stated !== undefined && String(stated) !== name)
      throw contradiction(at, keyedBy, stated, `key of ${keyedBy}`, name)
    return { ...(isObject(item) ? item : { value: item }), [keyedBy]: name }
  })
}

function readPage<T extends Tables>(
  list: ListDeclaration<T>,
  { shape, itemShape, readAnswer, rows: known }: CompiledList,
  answer: unknown,
  given: Given,
  context: ReadingContext,
): Page {
  const at = answerObject(answer, 'answer', context, shape)
  const { [itemsName]: found, [tokenName]: token, ...stated } = readAnswer(at, {})
  const { observationId: observation_id, observedAt: observed_at } = context
  const usual = { observation_id, observed_at, version_hash: '', present: true, ...given, ...stated }
  const { given: ofAnswer, rows: others = {} } = list.ofAnswer?.(at, usual) ?? {}
  const common = { ...usual, ...ofAnswer }
  const names = Object.keys(list.tables)
  const rows: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]))
  const filled = new Map<string, Given>()
  const items: PageItem[] = []
  const readItem = (item: Reading): void => {
    const name = list.tableOf === undefined ? names[0]! : list.tableOf(item)
    let reader = known.get(name)
    if (reader === undefined) {
      reader = compileRow(list.tables[name]!.columns, itemShape, list, '', list.items === null)
      known.set(name, reader)
    }
    let values = filled.get(name)
    if (values === undefined) {
      values = givenTo(reader, common)
      filled.set(name, values)
    }
    const row = reader.read(item, values)
    list.complete?.(row, item, common)
    finish(item)
    rows[name]!.push(row)
    if (list.key !== undefined) items.push({ key: keyOf(list, row, item), time: timeOf(list, row, item) })
  }
  if (found !== undefined) refuseFailure(at)
  if (found === undefined) readItem(at)
  else if (found === null) {
    // An answer with something else may be the message of a failure.
    if (unknownNames(at.object, at.shape.known, at.shape.usual).length > 0) required(null, at, list.items!)
  } else {
    const { value, at: parent, name } = found as FoundItems
    if (list.isOne === true) readItem(reading(value, parent, name, -1, context, itemShape))
    else
      (value as readonly unknown[]).forEach((item, position) => {
        readItem(reading(item, parent, name, position, context, itemShape))
      })
    finish(at)
  }
  return { rows: { ...rows, ...others } as RowsOf<T>, items, next: token || null }
}

/**
 * Refuses an answer that says in a field of its own that the service failed, as GraphQL does with the status 200: its items would look like all
 * that there are, or like none. A list may ignore the field.
 */
function refuseFailure({ object, shape: { known, usual } }: Reading): void {
  const name = unknownNames(object, known, usual).find(
    (field) => /^errors?$/i.test(field) && saysSomething(object[field]),
  )
  if (name === undefined) return
  throw errorAnswer(
    name,
    excerpt(object[name]),
    `If an answer with this field is complete, list ${name} in ignore of the list.`,
  )
}

/** The error for an answer that reports a failure in a field of its own. */
export function errorAnswer(field: string, error: string, advice?: string): TransportError {
  return new TransportError('The service answers with an error, although with a status of success.', {
    code: 'transport.error-answer',
    details: { field, error },
    hint: ['Nothing of this unit was written. Run again later.', advice].filter((text) => text !== undefined).join(' '),
  })
}

/** Whether a value, or one in it, is more than that nothing failed. */
function saysSomething(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(saysSomething)
  return !/^(|[0.]+|n|no|null|none|undefined|false|ok|okay|success(ful)?|no[ _-]?errors?)$/i.test(String(value).trim())
}

function keyOf({ key = [] }: ListDeclaration<any>, row: Given, item: Reading): string {
  return typeof key === 'function' ? key(row, item) : key.map((column) => String(row[column])).join('/')
}

function timeOf({ time }: ListDeclaration<any>, row: Given, item: Reading): number | null {
  if (typeof time === 'function') return time(row, item)
  return time === undefined ? null : secondsOf(row[time] as bigint)
}

function givenTo({ blank }: RowReader, values: Given): Given {
  const given: Record<string, unknown> = { ...blank }
  for (const name in blank) if (values[name] !== undefined) given[name] = values[name]
  return given
}

/** A value in an answer, and the column that it becomes. */
type Source = {
  readonly column: string
  /** One path, or two of a fact that answers state in either of two fields. */
  readonly paths: readonly (readonly Step[])[]
  readonly isRequired: boolean
  readonly read: ReadValue
  /** Whether a value that `read` does not return means that there is none. */
  readonly isMissing: (value: unknown) => boolean
  /** What null stands for where there must be a value; undefined: nothing. */
  readonly ofNull?: unknown
  readonly complaint: (value: unknown) => string
  /** The column with all digits of a number that may be too long for `column`. */
  readonly twin: string | null
  /** Whether `column` is null for a number that it cannot hold. */
  readonly isWide?: true
}

type Step = { readonly name: string; readonly mayMiss: boolean }

function fieldSource(column: string, path: string, more: Partial<Source> & { readonly isRequired: boolean }): Source {
  return {
    column,
    paths: [stepsOf(path, !more.isRequired)],
    read: kinds.text.read,
    isMissing: () => false,
    complaint: () => 'is no text',
    twin: null,
    ...more,
  }
}

/** `mayMiss`: there may be no value. A path may mark the steps that may be missing then; otherwise all of them may be. */
function stepsOf(path: string, mayMiss: boolean): Step[] {
  const isMarked = path.includes('?')
  return path.split('.').map((step) => ({
    name: step.replace(/\?$/, ''),
    mayMiss: mayMiss && (!isMarked || step.endsWith('?')),
  }))
}

type Sources = { readonly ofItem: Source[]; readonly ofAnswer: Source[] }

/** The sources of the columns of an item, and of those that the answer has once for all of its items. */
function sourcesOf(columns: Columns, hooks: RowHooks, within = '', dialect = json): Sources {
  const sources: Sources = { ofItem: [], ofAnswer: [] }
  const lists = new Map<string, ElementList>()
  for (const [name, column] of Object.entries(columns)) {
    const { path } = column
    if (path === undefined) continue
    const isOfAnswer = path.startsWith('/')
    const bare = isOfAnswer ? path.slice(1) : path
    const source = sourceOf(name, { ...column, path: bare }, columns, hooks, within, lists, dialect)
    sources[isOfAnswer ? 'ofAnswer' : 'ofItem'].push(source)
  }
  return sources
}

function sourceOf(
  name: string,
  column: Column & { readonly path: string },
  columns: Columns,
  hooks: RowHooks,
  within: string,
  lists: Map<string, ElementList>,
  dialect: Dialect,
): Source {
  const [outer = '', inElements] = column.path.split('[]')
  const texts = outer.split('|')
  const isWide = column.type.kind === 'decimal' && column.reader === 'digits'
  const twin = isWide && Object.hasOwn(columns, `${name}_raw`) ? `${name}_raw` : null
  const isRequired = !(twin === null ? column : columns[twin]!).nullable
  const paths = texts.map((text) => stepsOf(text, !isRequired || texts.length > 1))
  const field = paths[0]!.at(-1)!.name
  const hook = hooks.readers?.[within + name]
  const kind = kindOf(column, dialect)
  const nulls = new Set(column.nullValues)
  const read =
    hook ??
    (inElements
      ? elementsReader(name, column, inElements.slice(1), outer, field, hooks, lists)
      : readerOf(column, kind, field, hooks, within + name, outer, dialect))
  return {
    column: name,
    paths,
    isRequired,
    read: nulls.size === 0 ? read : (value, at) => (nulls.has(String(value)) ? null : read(value, at)),
    isMissing: (value) => hook !== undefined || isNone(kind, value) || nulls.has(String(value)),
    complaint: (value) => complaintOf(kind, value),
    twin,
    ...(isWide && { isWide }),
    ofNull: kind.ofNull,
  }
}

function kindOf({ reader = 'text' }: Column, { kinds }: Dialect): Kind {
  const kind = kinds[reader]
  if (kind === undefined) throw new RangeError(`No answer is read as ${reader} here.`)
  return kind
}

function readerOf(
  { type }: Column,
  kind: Kind,
  field: string,
  hooks: RowHooks,
  path: string,
  answerPath: string,
  dialect: Dialect,
): ReadValue {
  const inner = type.kind === 'list' ? type.item.type : type
  if (inner.kind !== 'struct') return type.kind === 'list' ? (value, at) => itemsOf(value, at, field, kind) : kind.read
  const ignore = ignoredIn(`${answerPath.replaceAll('?', '')}.`, hooks)
  const shape = newShape(dialect)
  const row = compileRow(inner.fields, shape, { ...hooks, ignore }, `${path}.`)
  const readObject = objectReader(row, shape, field)
  if (type.kind === 'struct') return (value, at) => readObject(value, at, -1)
  return (value, at) => listIn(value, at, field).map((item, position) => readObject(item, at, position))
}

/** Makes a reader of the objects in a field: each becomes a row. */
function objectReader({ read, blank }: RowReader, shape: Shape, field: string) {
  return (value: unknown, at: Reading, position: number): any => {
    const object = reading(value, at, field, position, at.context, shape)
    const row = read(object, blank)
    finish(object)
    return row
  }
}

/** A list of objects, and the columns that have one value of each object. */
type ElementList = { readonly columns: Record<string, Column>; readonly rowsOf: (value: unknown, at: Reading) => any[] }

/** Reads a field of each object in a list. Columns that read the same list share its rows, since they are read one after another. */
function elementsReader(
  name: string,
  column: Column,
  path: string,
  list: string,
  field: string,
  hooks: RowHooks,
  lists: Map<string, ElementList>,
): ReadValue {
  const known = getOrCreate(lists, list, () => elementList(field, ignoredIn(`${list}[].`, hooks)))
  const { nullValues = [] } = column
  known.columns[name] = { ...(column.type as { readonly item: Column }).item, path, nullValues }
  return (value, at) => known.rowsOf(value, at).map((row) => row[name])
}

function elementList(field: string, ignore: readonly string[]): ElementList {
  const columns: Record<string, Column> = {}
  const shape = newShape()
  let readObject: ReturnType<typeof objectReader> | null = null
  let last: { readonly value: unknown; readonly rows: any[] } | null = null
  const rowsOf = (value: unknown, at: Reading): any[] => {
    if (last !== null && last.value === value) return last.rows
    readObject ??= objectReader(compileRow(columns, shape, { ignore }), shape, field)
    const read = readObject
    const rows = listIn(value, at, field).map((each, position) => read(each, at, position))
    last = { value, rows }
    return rows
  }
  return { columns, rowsOf }
}

function ignoredIn(start: string, { ignore = [] }: RowHooks): string[] {
  return ignore.flatMap((each) => (each.startsWith(start) ? [each.slice(start.length)] : []))
}

function compileRow(columns: Columns, shape: Shape, hooks: RowHooks, within = '', isAnswer = false): RowReader {
  const { ofItem, ofAnswer } = sourcesOf(columns, hooks, within, shape.dialect)
  const sources = isAnswer ? [...ofItem, ...ofAnswer] : ofItem
  const names = Object.keys(columns)
  const read = new Set(sources.flatMap(({ column, twin }) => [column, twin]))
  return {
    read: compile(names, sources, shape, hooks.ignore ?? [], hooks.parts),
    blank: Object.fromEntries(names.filter((name) => !read.has(name)).map((name) => [name, null])),
  }
}

/** The fields of an object, and the objects in it, while a reader is made. */
type Node = { readonly shape: Shape; readonly fields: JsonField<Reading>[]; readonly inner: Map<string, Inner> }
type Inner = { readonly node: Node; isRequired: boolean; readonly isOpen: boolean }

function compile(
  names: readonly string[],
  sources: readonly Source[],
  shape: Shape,
  ignore: readonly string[],
  parts: RowHooks['parts'] = {},
): ReadRow {
  const root: Node = { shape, fields: [], inner: new Map() }
  for (const [name, shape] of Object.entries(parts))
    root.inner.set(name, { node: { shape, fields: [], inner: new Map() }, isRequired: false, isOpen: true })
  const { narrowed, digits } = shape.dialect
  const properties = new Map<string, JsonProperty>(names.map((name) => [name, { name, cell: null }]))
  const joins: JsonJoin<Reading>[] = []
  let cells = 0
  for (const source of sources) {
    const [first, second] = source.paths.map((path) => addField(root, path, source, cells++))
    let cell = first!
    if (second !== undefined) {
      joins.push(joinOf(source, cells, [first!, second]))
      cell = cells++
    }
    const { column, twin, isWide } = source
    properties.set(column, { name: column, cell, ...(isWide && { convert: narrowed }) })
    if (twin !== null) properties.set(twin, { name: twin, cell, ...(digits !== null && { convert: digits }) })
  }
  for (const path of ignore) ignorePath(root, path.split('.'))
  return jsonReader({ properties: [...properties.values()], cells, root: nodeOf(root), joins })
}

function addField(root: Node, path: readonly Step[], source: Source, cell: number): number {
  let node = root
  for (const { name, mayMiss } of path.slice(0, -1)) {
    const inner = innerOf(node, name)
    inner.isRequired ||= !mayMiss && !inner.isOpen
    node = inner.node
  }
  const { name, mayMiss } = path.at(-1)!
  node.shape.known.add(name)
  const { dialect } = node.shape
  const { ofNull } = source
  const miss = (at: Reading): unknown =>
    ofNull !== undefined && at.object[name] === null ? ofNull : required(null, at, name)
  node.fields.push({
    cell,
    name,
    read: source.read,
    refuse(at) {
      const value = at.object[name]
      if (!source.isMissing(value)) throw dialect.wrong(pathOf(at, name), source.complaint(value), value)
      if (mayMiss) return null
      if (value === '') throw dialect.empty(at, pathOf(at, name))
      return required(null, at, name)
    },
    miss: mayMiss ? null : miss,
  })
  return cell
}

function innerOf(node: Node, name: string): Inner {
  const known = node.inner.get(name)
  if (known !== undefined) return known
  const shape = newShape(node.shape.dialect)
  const inner: Inner = { node: { shape, fields: [], inner: new Map() }, isRequired: false, isOpen: false }
  node.shape.known.add(name)
  node.inner.set(name, inner)
  return inner
}

/** Marks a field as known. The readers of structs mark those in them. */
function ignorePath(node: Node, [step = '', ...rest]: readonly string[]): void {
  const name = step.replace('[]', '')
  if (rest.length === 0 || name !== step) node.shape.known.add(name)
  else if (!node.fields.some((field) => field.name === name)) ignorePath(innerOf(node, name).node, rest)
}

function joinOf({ paths, isRequired }: Source, cell: number, either: readonly [number, number]): JsonJoin<Reading> {
  const [first = '', second = ''] = paths.map((steps) => steps.map(({ name }) => name).join('.'))
  return {
    cell,
    either,
    same(at, a, b) {
      if (String(a) === String(b)) return a
      throw contradiction(at, first, a, second, b)
    },
    miss: isRequired ? (at) => required(null, at, first, second) : null,
  }
}

function nodeOf({ fields, inner }: Node): { fields: JsonField<Reading>[]; inner: JsonInner<Reading>[] } {
  const objects = [...inner].map(([name, { node, isRequired, isOpen }]) => ({
    name,
    open: isOpen
      ? (value: unknown) => value as Reading
      : (value: unknown, at: Reading) => reading(value, at, name, -1, at.context, node.shape),
    close: isOpen ? () => {} : finish,
    miss: isRequired ? (at: Reading): null => required(null, at, name) : null,
    ...nodeOf(node),
  }))
  return { fields, inner: objects }
}
