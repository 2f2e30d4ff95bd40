/**
 * The one place that creates functions at run time, as serializers and validators do. An object takes seven times as long to create when a
 * loop fills its properties by name as when an object literal does (measured: 190 ns against 26 ns). The generated code contains only
 * numbers and declared names, which are checked; everything else is an argument. Where a process forbids generated code
 * (`--disallow-code-generation-from-strings`), loops do the same.
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
  const key = names.join()
  const take = cellTakers.get(key) ?? generatedCellTaker(names) ?? plainCellTaker(names)
  cellTakers.set(key, take)
  return take
}

/** Null where the process forbids generated code. Throws `RangeError` for a name that is not a plain identifier. */
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

/** Like `generatedFieldReader`, for any names and without generated code. */
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

/** Null where the process forbids generated code. Throws `RangeError` for a name that is not a plain identifier. */
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

/** Like `generatedCellTaker`, for any names and without generated code. */
export function plainCellTaker(names: readonly string[]): TakeCells {
  return (rows, count, cells) => {
    for (const [column, name] of names.entries()) {
      const own = cells[column]!
      for (let i = 0; i < count; i++) own[i] = (rows[i] as Record<string, unknown>)[name]
    }
  }
}

/** `__proto__` in an object literal is not a property. */
function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
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
