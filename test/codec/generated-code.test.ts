import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cellTaker,
  type FieldReading,
  fieldReader,
  type JsonJoin,
  type JsonNode,
  type JsonReading,
  jsonReader,
} from '../../codec/generated-code.ts'

type Reader = { offset: number; readonly cells: readonly unknown[] }

const broken = Symbol('broken')
const plainName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/).filter((name) => name !== 'type')
/** Reserved words, names in the generated code and names of every object work like other names. */
const name = fc.oneof(
  plainName,
  fc.constantFrom(
    'value0',
    'read1',
    'reader',
    'end',
    'at',
    'failure',
    'names',
    'class',
    'constructor',
    'cells0',
    'row',
  ),
)
const names = fc.uniqueArray(name, { maxLength: 12 })
const cell = fc.oneof(fc.integer(), fc.bigInt(), fc.string(), fc.constant(null), fc.constant(undefined))

/** Reads the next cell; a broken cell fails. */
function readCell(reader: Reader): unknown {
  const value = reader.cells[reader.offset++]
  if (value === broken) throw new Error('broken')
  return value
}

/** The values in the order of their properties and the final offset of the reader, or the error. */
function outcome(read: (reader: Reader, end: number) => object, cells: readonly unknown[], end: number): unknown {
  const reader = { offset: 0, cells }
  try {
    return { entries: Object.entries(read(reader, end)), offset: reader.offset }
  } catch (error) {
    return { error: String(error), offset: reader.offset }
  }
}

type Place = { readonly object: Readonly<Record<string, unknown>> }

/** Any text may be the name of a field. */
const field = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('a', '"', '\\', "']", '\n', '`', 'constructor'))

/** Reads numbers, and refuses other values; zero means that there is none. */
const json: fc.Arbitrary<JsonReading<Place>> = fc
  .record({
    fields: fc.array(fc.record({ name: field, mayMiss: fc.boolean() }), { maxLength: 4 }),
    inner: fc.array(fc.record({ name: field, below: field, mayMiss: fc.boolean() }), { maxLength: 3 }),
    names: fc.uniqueArray(name, { maxLength: 6 }),
    either: fc.option(fc.boolean()),
  })
  .map(({ fields, inner, names, either }) => {
    const error = (what: string) => (): null => {
      throw new Error(what)
    }
    const fieldOf = (cell: number, name: string, mayMiss: boolean) => ({
      cell,
      name,
      read: (value: unknown) => (typeof value === 'number' && value > 0 ? value : null),
      refuse: ({ object }: Place) => (object[name] === 0 ? null : error(`${name} is wrong`)()),
      miss: mayMiss ? null : error(`${name} is missing`),
    })
    const root: JsonNode<Place> = {
      fields: fields.map(({ name, mayMiss }, cell) => fieldOf(cell, name, mayMiss)),
      inner: inner.map(({ name, below, mayMiss }, position) => ({
        name,
        open: (value: unknown) =>
          typeof value === 'object' ? { object: value as Place['object'] } : error(`${name} is none`)()!,
        close: ({ object }: Place) => void ('bad' in object && error(`${name} is bad`)()),
        miss: mayMiss ? null : error(`${name} is missing`),
        fields: [fieldOf(fields.length + position, below, true)],
        inner: [],
      })),
    }
    const cells = fields.length + inner.length
    const differ = (_: Place, a: unknown, b: unknown) => (a === b ? a : error(`${a} is not ${b}`)())
    const join = { cell: cells, either: [0, 1] as const, same: differ, miss: either === true ? null : error('neither') }
    return {
      root,
      cells: cells + 1,
      joins: cells < 2 || either === null ? [] : [join],
      properties: names.map((name, position) => ({
        name,
        cell: position > cells ? null : position,
        ...(position === 1 ? { convert: String } : {}),
      })),
    }
  })

describe('generated code', () => {
  test('reads the same values of a JSON object as the loop, or fails at the same one', () => {
    const leaf = fc.constantFrom(undefined, null, 0, 1, 2, 'x')
    const object = fc.dictionary(field, fc.oneof(leaf, fc.dictionary(fc.oneof(field, fc.constant('bad')), leaf)))
    const outcomeOf = (read: ReturnType<typeof jsonLoop<Place>>, at: Place) => {
      try {
        return Object.entries(read(at, { given: 1, row: 2 }))
      } catch (error) {
        return String(error)
      }
    }
    fc.assert(
      fc.property(json, object, (reading, object) => {
        expect(outcomeOf(jsonReader(reading), { object })).toEqual(outcomeOf(jsonLoop(reading), { object }))
      }),
    )
  })

  test('reads the same fields as the loop, up to a failing field or the end of optional fields', () => {
    const type = fc.option(fc.string(), { nil: null })
    const cells = fc.array(fc.oneof({ weight: 20, arbitrary: cell }, fc.constant(broken)), { maxLength: 12 })
    const position = fc.nat({ max: 13 })
    fc.assert(
      fc.property(type, names, cells, position, position, (type, names, cells, required, end) => {
        const reading: FieldReading<Reader> = {
          type,
          names,
          reads: names.map(() => readCell),
          required,
          failure: (cause, name) => new Error(`${name}: ${(cause as Error).message}`),
        }
        expect(outcome(fieldReader(reading), cells, end)).toEqual(outcome(fieldLoop(reading), cells, end))
      }),
    )
  })

  test('takes the same cells as the loop', () => {
    const table = names.chain((names) =>
      fc.record({
        names: fc.constant(names),
        rows: fc.array(fc.record(Object.fromEntries(names.map((name) => [name, cell]))), { maxLength: 5 }),
      }),
    )
    fc.assert(
      fc.property(table, fc.nat({ max: 5 }), ({ names, rows }, most) => {
        const count = Math.min(most, rows.length)
        const [generated, looped] = [cellTaker(names), cellLoop(names)].map((take) => {
          const cells: unknown[][] = names.map(() => new Array(5).fill('left'))
          take(rows, count, cells)
          return cells
        })
        expect(generated).toEqual(looped)
      }),
    )
  })

  test('takes cells of any names', () => {
    const cells: unknown[][] = [[], [], []]
    cellTaker(['_id', 'block-id', '"]; throw 1; ["'])([{ _id: 1, 'block-id': 'a', '"]; throw 1; ["': 2 }], 1, cells)
    expect(cells).toEqual([[1], ['a'], [2]])
  })

  test.each(['', '__proto__', '_a', '1a', 'a b', 'a;b', 'a: 1, b', 'a}', 'a-b', 'ä', 'a\n', '`a'])(
    'is refused for %j, which is not a plain name',
    (wrong) => {
      const reading = { type: null, names: [wrong], reads: [readCell], required: 1, failure: (cause: unknown) => cause }
      const properties = [{ name: wrong, cell: null }]
      const empty = { properties, cells: 0, root: { fields: [], inner: [] }, joins: [] }
      expect(() => jsonReader(empty)).toThrow(RangeError)
      expect(() => fieldReader(reading)).toThrow(RangeError)
    },
  )

  test('accepts any text as the type', () => {
    const type = "'; throw new Error('a type is no code'); '"
    const read = fieldReader<Reader>({
      type,
      names: ['a'],
      reads: [readCell],
      required: 1,
      failure: (cause) => cause,
    })
    expect(read({ offset: 0, cells: [1] }, 1)).toEqual({ type, a: 1 })
  })
})

/** What the generated functions do, with loops. */
function jsonLoop<A extends Place>(reading: JsonReading<A>): ReturnType<typeof jsonReader<A>> {
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

function fieldLoop<R extends { offset: number }>(reading: FieldReading<R>): ReturnType<typeof fieldReader<R>> {
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

function cellLoop(names: readonly string[]): ReturnType<typeof cellTaker> {
  return (rows, count, cells) => {
    for (const [column, name] of names.entries()) {
      const own = cells[column]!
      for (let i = 0; i < count; i++) own[i] = (rows[i] as Record<string, unknown>)[name]
    }
  }
}
