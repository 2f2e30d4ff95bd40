import { type FieldReading, fieldReader } from '../../../codec/generated-code.ts'
import type { EvmEventFailure } from '../../../schemas/evm-event-failures.ts'
import type { EvmLog } from '../../../schemas/evm-logs.ts'
import type { Table } from '../../define/index.ts'
import { decimalOrNull, signedDecimalOrNull } from '../numbers.ts'
import { type AbiEvent, fitsTopic, headSize, isDynamic, isWide, word } from './abi-type.ts'
import { topicOf } from './event-signature.ts'
import { type EventColumn, inputColumns } from './event-table.ts'
import { type LogData, LogDataError, logData, takeBytes } from './log-data.ts'
import { integerReader, valueReader } from './value-reader.ts'

type EventRow = Readonly<Record<string, unknown>>

export type EventDecoder = {
  /** The first topic of logs of the event; null for an anonymous event. */
  readonly topic: string | null
  /** Whether a log has the topics of the event: the first one, and as many as the event has. */
  readonly isOf: (log: EvmLog) => boolean
  /** Returns the row of a log of the event, or the row of its failure. */
  readonly decode: (log: EvmLog) => { readonly row: EventRow } | { readonly failure: EvmEventFailure }
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
type Reading = {
  readonly log: EvmLog
  readonly data: LogData
  /** The last wide integer. */
  number: bigint
  /** Unused: columns know their places. */
  readonly offset: number
}
type Read = (reading: Reading) => unknown

/** How to read the columns of the table, in their order. */
function rowReading(event: AbiEvent): FieldReading<Reading> {
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
  const places = event.inputs.map(({ type, indexed }): Place => {
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
    const readNumber = placeRead(place, integerReader(type)) as (reading: Reading) => bigint
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
type Place = { readonly topic: (typeof topicNames)[number] | null; readonly at: number }

/** The word of a topic while it is read. */
const topicData = logData(new Uint8Array(word))

function placeRead({ topic, at }: Place, read: (data: LogData, at: number, base: number) => unknown): Read {
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

function failureRow(log: EvmLog, table: string, { reason, parameter }: LogDataError): EvmEventFailure {
  const { address, topic0, topic1, topic2, topic3, data, ...place } = log
  return { ...place, contract: address, table_name: table, reason, parameter, topic0, topic1, topic2, topic3, data }
}
