import { isDeepStrictEqual } from 'node:util'
import type { Table } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'

type Row = Readonly<Record<string, unknown>>

/** The rows of a unit by key, to detect duplicates and contradictions. */
export type RowMemory = {
  /**
   * Whether the key is new to the unit. Throws `DecodeError` for a contradiction: two rows with one key differ in any column within the same
   * response, or in a column that never changes between responses (lists and states change while they are read).
   */
  isNew(key: string, row: object): boolean
  /** Begins the rows of another response. */
  beginAnswer(): void
  has(key: string): boolean
  keys(): Iterable<string>
  readonly size: number
}

export function createRowMemory(table: Table): RowMemory {
  const lasting = new Map<string, number>()
  let answer = new Map<string, object>()
  const hashOf = (row: object): number => table.lasting.reduce((hash, name) => mixed(hash, (row as Row)[name]), 0)
  return {
    isNew(key, row) {
      const hash = hashOf(row)
      const known = lasting.get(key)
      const inAnswer = answer.get(key)
      if (known !== undefined && known !== hash) throw contradiction(table, row, inAnswer)
      if (inAnswer !== undefined && !isDeepStrictEqual(inAnswer, row)) throw contradiction(table, row, inAnswer)
      lasting.set(key, hash)
      answer.set(key, row)
      return known === undefined
    },
    beginAnswer() {
      answer = new Map()
    },
    has: (key) => lasting.has(key),
    keys: () => lasting.keys(),
    get size() {
      return lasting.size
    },
  }
}

/** FNV-1a over the text of a value and its length. */
function mixed(before: number, value: unknown): number {
  const text = String(value)
  let hash = before ^ 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return Math.imul(hash ^ text.length, 0x01000193)
}

function contradiction(table: Table, row: object, other: object | undefined): DecodeError {
  const key = table.key.map((column) => `${column}=${String((row as Row)[column])}`).join(' ')
  const names = other === undefined ? table.lasting : Object.keys(row)
  const differ = names.filter((name) => !isDeepStrictEqual((row as Row)[name], (other as Row | undefined)?.[name]))
  return new DecodeError(`The source returned two different items with the same key for the table ${table.name}.`, {
    code: 'decode.contradiction',
    details: { table: table.name, key, [other === undefined ? 'differs in one of' : 'differs in']: differ.join(', ') },
    hint: 'Nothing of this unit was written. The source has damaged data, or serves two chains. Run again later, or contact its operator.',
  })
}
