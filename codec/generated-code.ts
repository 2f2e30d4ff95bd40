/**
 * The one place that creates functions at run time, as serializers and validators do. An object takes seven times as long to create when a
 * loop fills its properties by name as when an object literal does (measured: 190 ns against 26 ns). The generated code contains only
 * numbers, declared names, which are checked, and names of JSON fields, as texts; everything else is an argument. Where a process forbids
 * generated code (`--disallow-code-generation-from-strings`), loops do the same.
 *
 * Of each function there are two: `generated…` returns null where the process forbids generated code, and throws `RangeError` for a name that
 * is not a plain identifier; `plain…` takes any names.
 */

/** Reads the fields of an object one after another. */
export type FieldReading<R> = {
  /** The `type` of the object, which comes before its fields; null for none. */
  readonly type: string | null
  readonly names: readonly string[]
  /** The function that reads each field. */
  readonly reads: readonly ((reader: R) => unknown)[]
  /** Fields from this index on are null when the reader reaches `end` before them. */
  readonly required: number
  /** Creates the error for a field that cannot be read. */
  readonly failure: (cause: unknown, name: string) => unknown
}

/** How the fields of a JSON object become the properties of a row. Cells are numbered values in between. `A` is an object with its place. */
export type JsonReading<A> = {
  readonly properties: readonly JsonProperty[]
  readonly cells: number
  readonly root: JsonNode<A>
  /** Facts that answers may state in either of two fields. */
  readonly joins: readonly JsonJoin<A>[]
}

/** A property of the row: a cell, or a given value if `cell` is null. */
export type JsonProperty = {
  readonly name: string
  readonly cell: number | null
  /** Converts the value of the cell. */
  readonly convert?: (value: unknown) => unknown
}

export type JsonNode<A> = { readonly fields: readonly JsonField<A>[]; readonly inner: readonly JsonInner<A>[] }

/** A field and its cell, which is null without a value. */
export type JsonField<A> = {
  readonly cell: number
  readonly name: string
  /** Returns the value as tables store it; null where it is refused, or empty. */
  readonly read: (value: unknown, at: A) => unknown
  /** Returns null where the value may be empty, and throws the error of any other refused value. */
  readonly refuse: (at: A) => null
  /** Throws the error of a missing value, or returns what null stands for. Null where it may be missing. */
  readonly miss: ((at: A) => unknown) | null
}

export type JsonInner<A> = JsonNode<A> & {
  readonly name: string
  readonly open: (value: unknown, at: A) => A
  readonly close: (at: A) => void
  /** Throws the error of a missing object. Null where it may be missing. */
  readonly miss: ((at: A) => null) | null
}

export type JsonJoin<A> = {
  readonly cell: number
  readonly either: readonly [number, number]
  /** Returns one of two values. Throws if they differ. */
  readonly same: (at: A, first: unknown, second: unknown) => unknown
  /** Throws the error of a missing value. Null where it may be missing. */
  readonly miss: ((at: A) => null) | null
}

type JsonPlace = { readonly object: Readonly<Record<string, unknown>> }
type ReadJson<A> = (at: A, given: Readonly<Record<string, unknown>>) => Record<string, unknown>

export function jsonReader<A extends JsonPlace>(reading: JsonReading<A>): ReadJson<A> {
  return generatedJsonReader(reading) ?? plainJsonReader(reading)
}

export function generatedJsonReader<A extends JsonPlace>(reading: JsonReading<A>): ReadJson<A> | null {
  checkNames(reading.properties.map(({ name }) => name))
  const known: Record<string, unknown> = {}
  const argument = (word: string, value: unknown): string => {
    const name = `${word}${Object.keys(known).length}`
    known[name] = value
    return name
  }
  const codeOf = ({ fields, inner }: JsonNode<A>, at: number): string => {
    const ofField = ({ cell, name, read, refuse, miss }: JsonField<A>) =>
      `value = object${at}[${JSON.stringify(name)}]
      if (value !== undefined && value !== null)
        cell${cell} = ${argument('read', read)}(value, at${at}) ?? ${argument('refuse', refuse)}(at${at})
      ${miss === null ? '' : `else cell${cell} = ${argument('miss', miss)}(at${at})`}`
    const ofInner = ({ name, open, close, miss, ...node }: JsonInner<A>) => {
      const own = ++depth
      return `value = object${at}[${JSON.stringify(name)}]
      if (value !== undefined && value !== null) {
        const at${own} = ${argument('open', open)}(value, at${at}), object${own} = at${own}.object
        ${codeOf(node, own)}
        ${argument('close', close)}(at${own})
      } ${miss === null ? '' : `else ${argument('miss', miss)}(at${at})`}`
    }
    return [...inner.map(ofInner), ...fields.map(ofField)].join('\n')
  }
  let depth = 0
  const body = codeOf(reading.root, 0)
  const joins = reading.joins.map(({ cell, either: [a, b], same, miss }) => {
    const both = `${argument('same', same)}(at0, cell${a}, cell${b})`
    const check = miss === null ? '' : `if (cell${cell} === null) ${argument('miss', miss)}(at0)`
    return `cell${cell} = cell${a} === null ? cell${b} : cell${b} === null ? cell${a} : ${both}\n${check}`
  })
  const properties = reading.properties.map(({ name, cell, convert }) => {
    if (cell === null) return `${name}: given.${name}`
    return `${name}: ${convert === undefined ? '' : argument('convert', convert)}(cell${cell})`
  })
  const cells = Array.from({ length: reading.cells }, (_, cell) => `, cell${cell} = null`)
  return made(
    known,
    `(at0, given) => {
      const object0 = at0.object
      let value${cells.join('')}
      ${body}
      ${joins.join('\n')}
      return { ${properties.join(', ')} }
    }`,
  )
}

export function plainJsonReader<A extends JsonPlace>(reading: JsonReading<A>): ReadJson<A> {
  const readNode = ({ fields, inner }: JsonNode<A>, at: A, cells: unknown[]): void => {
    for (const { name, open, close, miss, ...node } of inner) {
      const value = at.object[name] ?? undefined
      if (value === undefined) miss?.(at)
      else {
        const own = open(value, at)
        readNode(node, own, cells)
        close(own)
      }
    }
    for (const { cell, name, read, refuse, miss } of fields) {
      const value = at.object[name] ?? undefined
      if (value !== undefined) cells[cell] = read(value, at) ?? refuse(at)
      else if (miss !== null) cells[cell] = miss(at)
    }
  }
  const joinCells = ({ cell, either, same, miss }: JsonJoin<A>, at: A, cells: unknown[]): void => {
    const [first, second] = [cells[either[0]], cells[either[1]]]
    cells[cell] = first === null ? second : second === null ? first : same(at, first, second)
    if (cells[cell] === null) miss?.(at)
  }
  return (at, given) => {
    const cells: unknown[] = new Array(reading.cells).fill(null)
    readNode(reading.root, at, cells)
    for (const join of reading.joins) joinCells(join, at, cells)
    const row: Record<string, unknown> = {}
    for (const { name, cell, convert } of reading.properties) {
      if (cell === null) row[name] = given[name]
      else row[name] = convert === undefined ? cells[cell] : convert(cells[cell])
    }
    return row
  }
}

type Positioned = { readonly offset: number }
type Read<R> = (reader: R, end: number) => Record<string, unknown>

/** Copies the values of named fields from the first `count` rows, one array per name: `cells[column][row]`. */
type TakeCells = (rows: readonly object[], count: number, cells: readonly unknown[][]) => void

export function fieldReader<R extends Positioned>(reading: FieldReading<R>): Read<R> {
  return generatedFieldReader(reading) ?? plainFieldReader(reading)
}

const cellTakers = new Map<string, TakeCells>()

/** Cached by names, because the engine must compile and optimize each new function. */
export function cellTaker(names: readonly string[]): TakeCells {
  const key = JSON.stringify(names)
  const generated = () => (names.every(isName) ? generatedCellTaker(names) : null)
  const take = cellTakers.get(key) ?? generated() ?? plainCellTaker(names)
  cellTakers.set(key, take)
  return take
}

export function generatedFieldReader<R extends Positioned>(reading: FieldReading<R>): Read<R> | null {
  const { type, reads, names, required, failure } = reading
  checkNames(names)
  const fields = reads.map((_, at) => {
    const stop = at < required ? '' : 'if (reader.offset >= end) break fields; '
    return `${stop}value${at} = read${at}(reader); at = ${at + 1}`
  })
  const properties = names.map((name, at) => `${name}: value${at}`)
  return made(
    { type, failure, names, ...Object.fromEntries(reads.map((read, at) => [`read${at}`, read])) },
    `(reader, end) => {
      let at = 0${names.map((_, at) => `, value${at} = null`).join('')}
      try { fields: { ${fields.join('\n')} } } catch (cause) { throw failure(cause, names[at]) }
      return { ${type === null ? '' : 'type, '}${properties.join(', ')} }
    }`,
  )
}

export function plainFieldReader<R extends Positioned>(reading: FieldReading<R>): Read<R> {
  const { type, names, reads, required, failure } = reading
  const tag = type === null ? {} : { type }
  const blank: Record<string, unknown> = { ...tag, ...Object.fromEntries(names.map((name) => [name, null])) }
  return (reader, end) => {
    const value = { ...blank }
    let at = 0
    try {
      for (; at < reads.length; at++) {
        if (at >= required && reader.offset >= end) break
        value[names[at]!] = reads[at]!(reader)
      }
    } catch (cause) {
      throw failure(cause, names[at]!)
    }
    return value
  }
}

export function generatedCellTaker(names: readonly string[]): TakeCells | null {
  checkNames(names)
  return made(
    {},
    `(rows, count, cells) => {
      const [${names.map((_, at) => `cells${at}`).join(', ')}] = cells
      for (let i = 0; i < count; i++) {
        const row = rows[i]
        ${names.map((name, at) => `cells${at}[i] = row.${name}`).join('\n')}
      }
    }`,
  )
}

export function plainCellTaker(names: readonly string[]): TakeCells {
  return (rows, count, cells) => {
    for (const [column, name] of names.entries()) {
      const own = cells[column]!
      for (let i = 0; i < count; i++) own[i] = (rows[i] as Record<string, unknown>)[name]
    }
  }
}

/** `__proto__` in an object literal is not a property. */
function isName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(name)
}

function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => !isName(name))
  if (wrong !== undefined) throw new RangeError(`${JSON.stringify(wrong)} is not the name of a field`)
}

/** Evaluates an expression in which the `known` values have their names; null where the process forbids generated code. */
function made<F>(known: Readonly<Record<string, unknown>>, expression: string): F | null {
  let make: (...values: unknown[]) => F
  try {
    make = new Function(...Object.keys(known), `'use strict'; return ${expression}`) as typeof make
  } catch (error) {
    if (error instanceof EvalError) return null
    throw error
  }
  return make(...Object.values(known))
}
