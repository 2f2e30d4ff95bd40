import { eventColumns } from '../../../schemas/shared/event-columns.ts'
import { evmTable } from '../../../schemas/shared/evm-columns.ts'
import { type Column, type Columns, type Table, t, table } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { type AbiEvent, type AbiField, type AbiType, fitsTopic, isWide } from './abi-type.ts'
import { columnNames, snakeCase } from './column-names.ts'
import { signatureOf, typesOf } from './event-signature.ts'
import { parseSignature } from './parse-events.ts'

/** A column of a parameter, in the order of the table. */
export type EventColumn = {
  readonly name: string
  /** Position of the parameter. */
  readonly input: number
  /** Whether the column has the exact text of a wide integer. The column after it has its number. */
  readonly isRaw: boolean
  readonly column: Column
}

/** The table of an event. Its comment ends with the signature, so that a lake knows how to decode its logs again. */
export function eventTable(event: AbiEvent, name: string): Table {
  const columns = inputColumns(event).map((each) => [each.name, each.column] as const)
  const place = ['block_time', 'transaction_index', 'transaction_hash', 'log_index', 'contract']
  return table<Columns>({
    name,
    comment: `${commentStart}${signatureOf(event)}`,
    meaning: typesOf(event),
    ...evmTable('transaction_index', 'log_index'),
    lasting: [
      ...(['transaction_hash', 'contract'] as const),
      ...columns.filter(([, { type }]) => !isNested(type)).map(([column]) => column),
    ],
    numbered: 'log_index',
    rowGroup: columns.some(([, { type }]) => isNested(type)) ? 'nested' : 'flat',
    // evm_logs has the logs of some blocks or of none.
    unproven: { partly: [...place, ...columns.map(([column]) => column)] },
    columns: { ...eventColumns, ...Object.fromEntries(columns) },
  })
}

function isNested({ kind }: Column['type']): boolean {
  return kind === 'list' || kind === 'struct'
}

/** The beginning of the comment of every table of events. The signature follows. */
const commentStart = 'One row per log of the event: '

/** The event of a table of a lake; null for any other table. */
export function eventOfTable({ name, comment }: Table): AbiEvent | null {
  return comment.startsWith(commentStart) ? parseSignature(comment.slice(commentStart.length), name) : null
}

/** The columns of the parameters. Wide integers have two: the exact text and the number. */
export function inputColumns({ inputs }: AbiEvent): EventColumn[] {
  const names = columnNames(
    inputs.map(({ name, type }) => ({ name, withRaw: isWide(type) })),
    Object.keys(eventColumns),
  )
  return inputs.flatMap(({ name: given, type, indexed }, input): EventColumn[] => {
    const name = names[input]!
    const comment = `Parameter ${given === '' ? `at position ${input}` : given}`
    if (indexed && !fitsTopic(type)) {
      const column = t.address(`${comment}: the hash of its value, because the event indexes it.`)
      return [{ name, input, isRaw: false, column }]
    }
    if (!isWide(type)) return [{ name, input, isRaw: false, column: columnOf(type, `${comment}.`) }]
    const number = t.decimal38(`${comment}; null when it has more than 38 digits.`, { nullable: true })
    const raw = t.text(`${comment}, as text with all digits.`)
    return [
      { name: `${name}_raw`, input, isRaw: true, column: raw },
      { name, input, isRaw: false, column: number },
    ]
  })
}

/** The names of the fields of a struct. */
export function fieldNames(fields: readonly AbiField[]): string[] {
  return columnNames(
    fields.map(({ name }) => ({ name, withRaw: false })),
    [],
  )
}

function columnOf(type: AbiType, comment: string): Column {
  switch (type.kind) {
    case 'address':
      return t.address(comment)
    case 'bool':
      return t.boolean(comment)
    case 'string':
      return t.text(comment)
    case 'bytes':
      return t.blob(comment)
    case 'fixed-bytes':
    case 'function':
      return t.hex(comment)
    case 'uint':
    case 'int':
      return integerColumn(type, comment)
    case 'array':
      return t.list(columnOf(type.item, 'An item.'), comment)
    case 'tuple': {
      const names = fieldNames(type.fields)
      const fields = type.fields.map((field, at): [string, Column] => [
        names[at]!,
        columnOf(field.type, `Component ${field.name === '' ? `at position ${at}` : field.name}.`),
      ])
      return t.struct(Object.fromEntries(fields) as Columns, comment)
    }
  }
}

function integerColumn(type: Extract<AbiType, { bits: number }>, comment: string): Column {
  if (fitsInt64(type)) return t.int64(comment)
  if (isWide(type)) return t.text(`${comment.slice(0, -1)}, as text with all digits.`)
  return type.kind === 'uint' && type.bits === 64 ? t.u64(comment) : t.decimal38(comment)
}

/** Whether a BIGINT holds each integer of the type. */
export function fitsInt64({ kind, bits }: Extract<AbiType, { bits: number }>): boolean {
  return kind === 'int' ? bits <= 64 : bits <= 56
}

/** File systems and buckets allow 255 bytes in a name of a folder. */
const mostLetters = 128

/** The usual name of the table of an event. Throws `ConfigError` if the name of the event gives none. */
export function usualTableName({ name }: AbiEvent): string {
  const snake = snakeCase(name)
  if (snake !== '' && snake.length <= mostLetters) return `evm_event_${snake}`
  throw new ConfigError(`The name of the event ${name.slice(0, mostLetters)} cannot be the name of a table.`, {
    code: 'config.event-table',
    hint: 'Give the event a job of its own, with a name for its table as `table`.',
  })
}
