import { z } from 'zod'
import { type FieldReading, fieldReader } from '../../../codec/generated-code.ts'
import type { EvmLog } from '../../../schemas/evm-blocks.ts'
import type { evmEventFailures } from '../../../schemas/evm-contracts.ts'
import { eventColumns, evmTable } from '../../../schemas/shared/evm-columns.ts'
import { type Column, type Columns, type RowOf, type Table, t, table } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { decimalOrNull, signedDecimalOrNull, unsignedAt } from '../values.ts'
import {
  type AbiEvent,
  type AbiField,
  type AbiInput,
  type AbiParameter,
  type AbiType,
  abiItems,
  abiParameter,
  fieldOf,
  fitsTopic,
  headSize,
  identifier,
  isDynamic,
  isWide,
  itemOfSignature,
  mistakesIn,
  shaped,
  signatureOf,
  topicOf,
  typesOf,
  word,
} from './abi.ts'

/** Parses `event Name(type [indexed] name, …) [anonymous]`. `path` names the text in errors. Throws `ConfigError`. */
export function parseSignature(text: string, path: string): AbiEvent {
  return eventOf(itemOfSignature(text, path, 'event', wrongEvent), path)
}

/** The events of an ABI as JSON text, or of the artifact of a compiler. Throws `ConfigError` with the path of a malformed event, such as `abi[3].inputs[0].type`. */
export function parseAbi(text: string, path: string): AbiEvent[] {
  return abiItems(text, path, 'event').map(({ item, path }) => eventOf(item, path))
}

const item = z.object({
  name: z.string().regex(identifier, 'must be the name of an event'),
  inputs: z.array(abiParameter),
  anonymous: z.boolean().optional(),
})

function eventOf(json: unknown, path: string): AbiEvent {
  const { name, inputs, anonymous = false } = shaped(item, json, path, wrongEvent)
  const event = { name, anonymous, inputs: inputs.map((each, at) => inputOf(each, `${path}.inputs[${at}]`)) }
  const topics = event.inputs.filter(({ indexed }) => indexed).length + (anonymous ? 0 : 1)
  if (topics > 4)
    throw wrongEvent(path, `has ${topics - (anonymous ? 0 : 1)} indexed parameters: a log has at most four topics`)
  return event
}

function inputOf(given: AbiParameter, path: string): AbiInput {
  return { ...fieldOf(given, path, wrongEvent), indexed: given.indexed === true }
}

const wrongEvent = mistakesIn({
  code: 'config.event',
  hint: 'Write an event as Solidity declares it, such as event Transfer(address indexed from, address indexed to, uint256 value), or give the ABI of the contract.',
})

/** `amount0In` → `amount0_in`, `tokenURI` → `token_uri`, `_from` → `from`; empty when no letter or digit is left. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
}

/**
 * Names for parameters or components, in their order. A parameter without a name is `arg0`, `arg1`, … by its position; so is one that
 * begins with a digit. `_arg` is appended while a name is taken, by `taken` or by a parameter before it. `withRaw` also take `<name>_raw`.
 */
export function columnNames(
  parameters: readonly { readonly name: string; readonly withRaw: boolean }[],
  taken: readonly string[],
): string[] {
  const all = new Set(taken)
  return parameters.map(({ name: given, withRaw }, position) => {
    const snake = snakeCase(given)
    let name = /^[a-z]/.test(snake) ? snake : `arg${position}`
    const own = (): string[] => (withRaw ? [name, `${name}_raw`] : [name])
    while (own().some((each) => all.has(each))) name += '_arg'
    for (const each of own()) all.add(each)
    return name
  })
}

/** A column of a parameter, in the order of the table. */
type EventColumn = {
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
function inputColumns({ inputs }: AbiEvent): EventColumn[] {
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

function fieldNames(fields: readonly AbiField[]): string[] {
  return columnNames(
    fields.map(({ name }) => ({ name, withRaw: false })),
    [],
  )
}

function columnOf(type: AbiType, comment: string): Column {
  if ('bits' in type) return integerColumn(type, comment)
  if (type.kind === 'fixed-bytes') return t.hex(comment)
  if (type.kind === 'array') return t.list(columnOf(type.item, 'An item.'), comment)
  if (type.kind !== 'tuple') return plainKinds[type.kind].column(comment)
  const names = fieldNames(type.fields)
  const fields = type.fields.map((field, at): [string, Column] => [
    names[at]!,
    columnOf(field.type, `Component ${field.name === '' ? `at position ${at}` : field.name}.`),
  ])
  return t.struct(Object.fromEntries(fields) as Columns, comment)
}

function integerColumn(type: Extract<AbiType, { bits: number }>, comment: string): Column {
  if (fitsInt64(type)) return t.int64(comment)
  if (isWide(type)) return t.text(`${comment.slice(0, -1)}, as text with all digits.`)
  return type.kind === 'uint' && type.bits === 64 ? t.u64(comment) : t.decimal38(comment)
}

/** Whether a BIGINT holds each integer of the type. */
function fitsInt64({ kind, bits }: Extract<AbiType, { bits: number }>): boolean {
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

/** Why a log cannot be decoded: values of the column `reason` of `evm_event_failures`. */
type FailureReason =
  | 'short_data'
  | 'trailing_data'
  | 'dirty_padding'
  | 'invalid_utf8'
  | 'wrong_offset'
  | 'overlapping_data'

/** Thrown while a log is decoded, and caught there: such a log becomes a row of `evm_event_failures`. */
export class LogDataError extends Error {
  readonly reason: FailureReason
  /** Column of the parameter; null for the data as a whole. */
  readonly parameter: string | null
  constructor(reason: FailureReason, parameter: string | null = null) {
    super(reason)
    this.reason = reason
    this.parameter = parameter
  }
}

/** Bytes of a log, or of one of its topics. */
export type LogData = {
  readonly bytes: Buffer
  readonly view: DataView
  /**
   * Bytes that may still be read. Offsets may point anywhere, so a small log could describe gigabytes. Compilers write each value once, so
   * all values together are as long as the data at most.
   */
  left: number
}

export function logData(bytes: Uint8Array): LogData {
  const { buffer, byteOffset, length } = bytes
  return {
    bytes: Buffer.from(buffer, byteOffset, length),
    view: new DataView(buffer, byteOffset, length),
    left: length,
  }
}

/** Takes bytes at a place, and checks that they are there and that nothing else takes them. */
export function takeBytes(data: LogData, at: number, length: number): void {
  if (at + length > data.bytes.length) throw new LogDataError('short_data')
  data.left -= length
  if (data.left < 0) throw new LogDataError('overlapping_data')
}

/** Reads an offset or a length, which lies within the data. */
function countAt({ bytes, view }: LogData, at: number): number {
  let above = 0
  for (let each = at; each < at + 24; each += 4) above |= view.getUint32(each)
  const value = view.getUint32(at + 24) * 2 ** 32 + view.getUint32(at + 28)
  if (above !== 0 || value > bytes.length) throw new LogDataError('wrong_offset')
  return value
}

/** Whether all bytes of `[from, to)` are zero. */
function areZeros({ bytes }: LogData, from: number, to: number): boolean {
  let all = 0
  for (let at = from; at < to; at++) all |= bytes[at]!
  return all === 0
}

function padded(length: number): number {
  return Math.ceil(length / word) * word
}

/**
 * Reads a value for its column: `at` is its place (of the value itself, or of its offset), `base` is where offsets count from. The caller
 * has taken the bytes at the place. Throws `LogDataError`.
 */
type ReadValue = (data: LogData, at: number, base: number) => unknown

/** Creates the function that reads values of a type. Within lists and structs wide integers are text. */
export function valueReader(type: AbiType): ReadValue {
  if ('bits' in type) return numberReader(type)
  if (type.kind === 'fixed-bytes') return hexReader(0, type.size)
  if (type.kind === 'array') return arrayReader(type)
  return type.kind === 'tuple' ? tupleReader(type) : plainKinds[type.kind].read
}

/** The column and the reader of each kind that has no size, items or fields. */
const plainKinds = {
  address: { column: t.address, read: hexReader(12, word) },
  bool: { column: t.boolean, read: readBool },
  function: { column: t.hex, read: hexReader(0, 24) },
  string: { column: t.text, read: behindOffset(readString) },
  bytes: { column: t.blob, read: behindOffset(readBytes) },
}

/** Reads `[from, to)` of a word as hex text. The other bytes must be zero. */
function hexReader(from: number, to: number): ReadValue {
  return (data, at) => {
    if (!areZeros(data, at, at + from) || !areZeros(data, at + to, at + word)) throw new LogDataError('dirty_padding')
    return `0x${data.bytes.toString('hex', at + from, at + to)}`
  }
}

function readBool(data: LogData, at: number): boolean {
  const last = data.bytes[at + word - 1]!
  if (last > 1 || !areZeros(data, at, at + word - 1)) throw new LogDataError('dirty_padding')
  return last === 1
}

type Integer = Extract<AbiType, { bits: number }>

/** Creates the function that reads an integer as a bigint. */
function integerReader({ kind, bits }: Integer): (data: LogData, at: number) => bigint {
  const end = 2n ** BigInt(bits)
  if (kind === 'uint')
    return (data, at) => {
      const value = unsignedAt(data.view, at)
      if (value >= end) throw new LogDataError('dirty_padding')
      return value
    }
  const half = end / 2n
  return (data, at) => {
    const given = unsignedAt(data.view, at)
    const value = given < half ? given : BigInt.asIntN(256, given)
    if (value >= half || value < -half) throw new LogDataError('dirty_padding')
    return value
  }
}

const [least, most] = [BigInt(Number.MIN_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER)]

/** An integer as its column holds it: a number or a bigint for BIGINT, a bigint for DECIMAL, text for wider ones. */
function numberReader(type: Integer): ReadValue {
  const read = integerReader(type)
  if (isWide(type)) return (data, at) => read(data, at).toString()
  if (!fitsInt64(type)) return read
  return (data, at) => {
    const value = read(data, at)
    return value >= least && value <= most ? Number(value) : value
  }
}

/** Reads what an offset refers to; see `ReadValue`. */
function behindOffset(read: (data: LogData, start: number) => unknown): ReadValue {
  return (data, at, base) => read(data, base + countAt(data, at))
}

/** Reads the length at the start of a value, and takes its bytes. Returns the number of items. */
function takeLength(data: LogData, start: number): number {
  takeBytes(data, start, word)
  return countAt(data, start)
}

/** Reads the bytes after their length, and checks their padding. */
function takeContent(data: LogData, start: number): { readonly from: number; readonly to: number } {
  const length = takeLength(data, start)
  const from = start + word
  takeBytes(data, from, padded(length))
  if (!areZeros(data, from + length, from + padded(length))) throw new LogDataError('dirty_padding')
  return { from, to: from + length }
}

function readBytes(data: LogData, start: number): Uint8Array {
  const { from, to } = takeContent(data, start)
  return data.bytes.subarray(from, to)
}

/** A byte order mark is a part of the text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readString(data: LogData, start: number): string {
  const { from, to } = takeContent(data, start)
  try {
    return utf8.decode(data.bytes.subarray(from, to))
  } catch {
    throw new LogDataError('invalid_utf8')
  }
}

function arrayReader(type: Extract<AbiType, { kind: 'array' }>): ReadValue {
  const { item, length } = type
  const readItem = valueReader(item)
  const size = headSize(item)
  const readItems = (data: LogData, start: number, count: number): unknown[] => {
    const items: unknown[] = []
    for (let i = 0; i < count; i++) items.push(readItem(data, start + i * size, start))
    return items
  }
  if (length === null)
    return behindOffset((data, start) => {
      const count = takeLength(data, start)
      takeBytes(data, start + word, count * size)
      return readItems(data, start + word, count)
    })
  if (!isDynamic(type)) return (data, at) => readItems(data, at, length)
  return behindOffset((data, start) => {
    takeBytes(data, start, length * size)
    return readItems(data, start, length)
  })
}

function tupleReader(type: Extract<AbiType, { kind: 'tuple' }>): ReadValue {
  const names = fieldNames(type.fields)
  let size = 0
  const fields = type.fields.map((field, index) => {
    const [name, at] = [names[index]!, size]
    size += headSize(field.type)
    return { name, at, read: valueReader(field.type) }
  })
  const readFields = (data: LogData, start: number): object => {
    const value: Record<string, unknown> = {}
    for (const { name, at, read } of fields) value[name] = read(data, start + at, start)
    return value
  }
  if (!isDynamic(type)) return readFields
  return behindOffset((data, start) => {
    takeBytes(data, start, size)
    return readFields(data, start)
  })
}

export type EventDecoder = {
  /** The first topic of logs of the event; null for an anonymous event. */
  readonly topic: string | null
  /** Whether a log has the topics of the event: the first one, and as many as the event has. */
  readonly isOf: (log: EvmLog) => boolean
  /** Returns the row of a log of the event, or the row of its failure. */
  readonly decode: (
    log: EvmLog,
  ) => { readonly row: Readonly<Record<string, unknown>> } | { readonly failure: RowOf<typeof evmEventFailures> }
}

/** Compiles a decoder for an event: one function for each column, made once. `table`: the table of the event. */
export function eventDecoder(event: AbiEvent, table: Pick<Table, 'name'>): EventDecoder {
  const topic = event.anonymous ? null : topicOf(event)
  const topics = event.inputs.filter(({ indexed }) => indexed).length + (topic === null ? 0 : 1)
  const size = event.inputs.reduce((sum, { type, indexed }) => sum + (indexed ? 0 : headSize(type)), 0)
  const isStatic = event.inputs.every(({ type, indexed }) => indexed || !isDynamic(type))
  const read = fieldReader(rowReading(event))
  return {
    topic,
    isOf: (log) => (topic === null || log.topic0 === topic) && topicCount(log) === topics,
    decode(log) {
      try {
        const data = logData(log.data)
        takeBytes(data, 0, size)
        if (isStatic && data.bytes.length > size) throw new LogDataError('trailing_data')
        return { row: read({ log, data, number: 0n, offset: 0 }, 0) }
      } catch (error) {
        if (!(error instanceof LogDataError)) throw error
        return { failure: failureRow(log, table.name, error) }
      }
    },
  }
}

/** A log, and what the readers of its parameters share. */
type LogReading = {
  readonly log: EvmLog
  readonly data: LogData
  /** The last wide integer. */
  number: bigint
  /** Unused: columns know their places. */
  readonly offset: number
}
type Read = (reading: LogReading) => unknown

/** How to read the columns of the table, in their order. */
function rowReading(event: AbiEvent): FieldReading<LogReading> {
  const columns = inputColumns(event)
  const reads = columnReads(event, columns)
  const parameterOf = new Map(columns.map(({ name, isRaw }, at) => [name, isRaw ? columns[at + 1]!.name : name]))
  return {
    type: null,
    names: [...Object.keys(logReads), ...columns.map(({ name }) => name)],
    reads: [...Object.values(logReads), ...reads],
    required: Number.POSITIVE_INFINITY,
    failure: (cause, name) =>
      cause instanceof LogDataError ? new LogDataError(cause.reason, parameterOf.get(name) ?? null) : cause,
  }
}

/** The first columns, in the order of `eventColumns`. */
const logReads: Readonly<Record<string, Read>> = {
  network: ({ log }) => log.network,
  chain_id: ({ log }) => log.chain_id,
  block_number: ({ log }) => log.block_number,
  block_time: ({ log }) => log.block_time,
  transaction_index: ({ log }) => log.transaction_index,
  transaction_hash: ({ log }) => log.transaction_hash,
  log_index: ({ log }) => log.log_index,
  contract: ({ log }) => log.address,
}

function columnReads(event: AbiEvent, columns: readonly EventColumn[]): Read[] {
  let nextTopic = event.anonymous ? 0 : 1
  let nextAt = 0
  const places = event.inputs.map(({ type, indexed }): ValuePlace => {
    if (indexed) return { topic: topicNames[nextTopic++]!, at: 0 }
    const at = nextAt
    nextAt += headSize(type)
    return { topic: null, at }
  })
  return columns.map(({ input, isRaw }): Read => {
    const { type } = event.inputs[input]!
    const place = places[input]!
    if (place.topic !== null && !fitsTopic(type)) return ({ log }) => log[place.topic!]
    if (!isWide(type) || (type.kind !== 'uint' && type.kind !== 'int')) return placeRead(place, valueReader(type))
    // The text comes first, and both come from one reading of the word.
    if (!isRaw) return type.kind === 'uint' ? unsignedDecimal : signedDecimal
    const readNumber = placeRead(place, integerReader(type)) as (reading: LogReading) => bigint
    return (reading) => {
      reading.number = readNumber(reading)
      return reading.number.toString()
    }
  })
}

const unsignedDecimal: Read = ({ number }) => decimalOrNull(number)
const signedDecimal: Read = ({ number }) => signedDecimalOrNull(number)

const topicNames = ['topic0', 'topic1', 'topic2', 'topic3'] as const

/** Where the value of a parameter is: in a topic, or in the data. */
type ValuePlace = { readonly topic: (typeof topicNames)[number] | null; readonly at: number }

/** The word of a topic while it is read. */
const topicData = logData(new Uint8Array(word))

function placeRead({ topic, at }: ValuePlace, read: (data: LogData, at: number, base: number) => unknown): Read {
  if (topic === null) return ({ data }) => read(data, at, 0)
  return ({ log }) => {
    topicData.bytes.write(log[topic]!.slice(2), 'hex')
    return read(topicData, 0, 0)
  }
}

function topicCount({ topic0, topic1, topic2, topic3 }: EvmLog): number {
  if (topic3 !== null) return 4
  if (topic2 !== null) return 3
  if (topic1 !== null) return 2
  return topic0 === null ? 0 : 1
}

function failureRow(log: EvmLog, table: string, { reason, parameter }: LogDataError): RowOf<typeof evmEventFailures> {
  const { address, topic0, topic1, topic2, topic3, data, ...place } = log
  return { ...place, contract: address, table_name: table, reason, parameter, topic0, topic1, topic2, topic3, data }
}
