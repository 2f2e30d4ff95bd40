/**
 * The one place that creates functions at run time, as serializers and validators do. An object takes seven times as long to create when a
 * loop fills its properties by name as when an object literal does (measured: 190 ns against 26 ns). The generated code contains only
 * numbers, names of properties, which are checked, and names of fields and columns, as texts; everything else is an argument.
 */

/** Reads the fields of an object one after another. */
export type FieldReading<R> = {
  /** The `type` of the object, which comes before its fields; null for none. */
  readonly type: string | null
  readonly names: readonly string[]
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

type Read<R> = (reader: R, end: number) => Record<string, unknown>

/** Copies the values of named fields from the first `count` rows, one array per name: `cells[column][row]`. */
type TakeCells = (rows: readonly object[], count: number, cells: readonly unknown[][]) => void

export function fieldReader<R extends { readonly offset: number }>(reading: FieldReading<R>): Read<R> {
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

const cellTakers = new Map<string, TakeCells>()

/** Cached by names, because the engine must compile and optimize each new function. */
export function cellTaker(names: readonly string[]): TakeCells {
  const key = JSON.stringify(names)
  const known = cellTakers.get(key)
  if (known !== undefined) return known
  const take: TakeCells = made(
    {},
    `(rows, count, cells) => {
      const [${names.map((_, at) => `cells${at}`).join(', ')}] = cells
      for (let i = 0; i < count; i++) {
        const row = rows[i]
        ${names.map((name, at) => `cells${at}[i] = row[${JSON.stringify(name)}]`).join('\n')}
      }
    }`,
  )
  cellTakers.set(key, take)
  return take
}

/** Throws `RangeError` if a name has other characters than letters, digits and `_`: `__proto__` in an object literal is not a property. */
function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
  if (wrong !== undefined) throw new RangeError(`${JSON.stringify(wrong)} is not the name of a field`)
}

/** Evaluates an expression in which the `known` values have their names. */
function made<F>(known: Readonly<Record<string, unknown>>, expression: string): F {
  return new Function(...Object.keys(known), `'use strict'; return ${expression}`)(...Object.values(known))
}
