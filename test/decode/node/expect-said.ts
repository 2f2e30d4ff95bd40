import { expect } from 'vitest'
import type { Column, Columns, Table } from '../../../src/define/index.ts'
import { parseLosslessJson } from '../../../src/lib/json.ts'
import { rfc3339ToNs } from '../../../src/lib/time.ts'

/** Columns that have another name than the field's path in snake_case; null: the test compares the field elsewhere. */
export type Renamed = Readonly<Record<string, string | null>>

/**
 * Expects each leaf of an answer's object in the row: in the column that is named after its path, in the form of its type. Returns the
 * number of leaves.
 */
export function expectSaid(table: Table, row: object, said: object, renamed: Renamed = {}, path = ''): number {
  const columns = table.columns as Columns
  return sum(
    Object.entries(said).map(([field, value]) => {
      const at = path === '' ? field : `${path}.${field}`
      const name = at in renamed ? renamed[at]! : snakeCase(at)
      if (name === null) return 0
      const column = columns[name]
      const cell = (row as Record<string, unknown>)[name]
      if (column !== undefined) return expectCell(`${table.name}.${name}`, column, cell, value)
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return expectSaid(table, row, value, renamed, at)
      throw new Error(`${table.name} has no column for ${at}: ${JSON.stringify(String(value))}.`)
    }),
  )
}

function expectCell(path: string, { type }: Column, cell: unknown, said: any): number {
  switch (type.kind) {
    case 'list': {
      const list = cell as unknown[]
      expect(list.length, path).toBe(said.length)
      return sum(list.map((item, i) => expectCell(`${path}[${i}]`, type.item, item, said[i])))
    }
    case 'struct': {
      const table = { name: path, columns: type.fields } as unknown as Table
      return expectSaid(table, cell as object, said, structRenamed)
    }
    case 'text':
      // JSON is kept as a text; addresses and hex have one form each.
      if (typeof said === 'object') expect(parseLosslessJson(cell as string), path).toEqual(said)
      else if (cell !== said) expect(cell, path).toBe(bare(String(said)))
      return 1
    case 'int64':
    case 'decimal':
      expect(BigInt(cell as bigint), path).toBe(BigInt(said))
      return 1
    case 'double':
      expect(cell, path).toBe(Number(said))
      return 1
    case 'boolean':
      expect(cell, path).toBe(said)
      return 1
    case 'timestamp':
      expect(cell, path).toBe(/T/.test(said) ? rfc3339ToNs(said)! / 1000n : BigInt(said) * 1_000_000n)
      return 1
    case 'blob':
      expect(`0x${Buffer.from(cell as Uint8Array).toString('hex')}`, path).toBe(said)
      return 1
  }
}

const structRenamed: Renamed = { key: 'slot', value: 'slot_value' }

function bare(text: string): string {
  return /^[PXC]-/.test(text) ? text.slice(2) : text
}

function snakeCase(path: string): string {
  return path
    .replaceAll('IDs', 'Ids')
    .replaceAll('ID', 'Id')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/[.-]_?/g, '_')
    .replace(/^_/, '')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
