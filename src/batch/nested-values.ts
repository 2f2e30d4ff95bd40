import { type Field as ArrowField, type DataType, List, makeData, Struct } from 'apache-arrow'
import type { Field } from '../define/index.ts'
import { arrowField } from './arrow-schema.ts'
import { compareKeys, refusedValue } from './refusal.ts'
import { type ByteCount, type ColumnBuilder, type Values, withRoom } from './values.ts'

/** A list column: offsets, and one nested column with the items of all lists. */
export function listValues(column: string, field: Field, items: ColumnBuilder, count: ByteCount): Values {
  const type = new List(arrowField(field.children[0] as Field) as ArrowField<DataType>)
  // The first offset is always 0.
  let ends = new Int32Array(1)
  let length = 0
  const reserve = (size: number): void => {
    ends = withRoom(ends, length + size + 1)
    count.bytes += 4 * size
  }
  return {
    append(block, size) {
      reserve(size)
      const all: unknown[] = []
      const before = items.length()
      for (let i = 0; i < size; i++) {
        const list = block[i]
        if (list !== null) {
          if (!Array.isArray(list)) throw refusedValue(column, list, 'arrays')
          for (let j = 0; j < list.length; j++) all.push(list[j])
        }
        ends[++length] = before + all.length
      }
      items.append(all, all.length)
    },
    pad(size) {
      reserve(size)
      ends.fill(items.length(), length + 1, length + size + 1)
      length += size
    },
    data: (length, nulls) =>
      makeData({ type, length, ...nulls, valueOffsets: ends.subarray(0, length + 1), child: items.data() }),
    clear() {
      items.clear()
      length = 0
    },
  }
}

/** A struct column: one nested column for each field. */
export function structValues(column: string, field: Field, builders: readonly ColumnBuilder[]): Values {
  const type = new Struct(field.children.map(arrowField))
  const names = field.children.map((child) => child.name)
  let compared = false
  const padAll = (size: number): void => {
    for (const builder of builders) builder.pad(size)
  }
  const appendAll = (block: readonly unknown[], from: number, to: number): void => {
    const structs = block.slice(from, to) as Record<string, unknown>[]
    for (const [at, builder] of builders.entries()) {
      const name = names[at]!
      builder.append(
        structs.map((struct) => struct[name]),
        structs.length,
      )
    }
  }
  const check = (block: readonly unknown[], size: number): void => {
    for (let i = 0; i < size; i++) {
      const value = block[i]
      if (value === null) continue
      if (typeof value !== 'object') throw refusedValue(column, value, 'objects')
      if (!compared) compareKeys(column, names, value as object)
      compared = true
    }
  }
  return {
    append(block, size) {
      check(block, size)
      // Nulls and structs alternate, so take each run of them at once.
      for (let from = 0, to = 0; from < size; from = to) {
        const isNull = block[from] === null
        while (to < size && (block[to] === null) === isNull) to++
        if (isNull) padAll(to - from)
        else appendAll(block, from, to)
      }
    },
    pad: padAll,
    data: (length, nulls) => makeData({ type, length, ...nulls, children: builders.map((builder) => builder.data()) }),
    clear() {
      for (const builder of builders) builder.clear()
    },
  }
}
