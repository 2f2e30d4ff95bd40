import type { AbiEvent } from '../../src/decode/events/abi-type.ts'
import type { EventDecoder } from '../../src/decode/events/event-decoder.ts'
import type { Table } from '../../src/define/index.ts'
import { isName, itemsNamed } from './abi-names.ts'
import { parameterError } from './parameter-error.ts'

type RequestedEvents = {
  /** Signatures, or names of events of the ABI. */
  readonly events: readonly string[] | undefined
  /** Signatures of the events of an ABI. */
  readonly abi: readonly string[] | undefined
  /** The name of the table of a single event. */
  readonly table: string | undefined
}

/** An event with its table and its decoder. */
export type EventTable = {
  readonly table: Table
  readonly decoder: EventDecoder
  /** Name, types and indexing of the event: what decides which logs it has. */
  readonly types: string
  readonly anonymous: boolean
}

/** The events of a job with their tables. Throws `ConfigError`. */
export async function eventTables(requested: RequestedEvents): Promise<EventTable[]> {
  const [{ eventTable, usualTableName }, { eventDecoder }, { typesOf }] = await Promise.all([
    import('../../src/decode/events/event-table.ts'),
    import('../../src/decode/events/event-decoder.ts'),
    import('../../src/decode/events/event-signature.ts'),
  ])
  const { chosen, others } = await chosenEvents(requested)
  const { table: name } = requested
  if (name !== undefined && chosen.length > 1)
    throw parameterError(
      `table names the table of one event, but the job has ${chosen.length}.`,
      'Give each event that needs a name for its table a job of its own.',
    )
  const tables = chosen.map((event) => eventTable(event, name ?? usualTableName(event)))
  await checkNames(tables, name)
  for (const [at, { name: taken }] of tables.entries()) {
    const before = tables.slice(0, at).findIndex((other) => other.name === taken)
    if (before !== -1) throw sameTable(taken, typesOf(chosen[before]!), typesOf(chosen[at]!))
  }
  // An anonymous event has no topic of its own: a log with the topics of another event of the ABI is of that event.
  const named = [...chosen, ...others].filter(({ anonymous }) => !anonymous)
  const ofOthers = named.map((event) => eventDecoder(event, { name: '' }))
  return chosen.map((event, at): EventTable => {
    const table = tables[at]!
    const decoder = eventDecoder(event, table)
    const { anonymous } = event
    const isOf: EventDecoder['isOf'] = anonymous
      ? (log) => decoder.isOf(log) && !ofOthers.some((other) => other.isOf(log))
      : decoder.isOf
    return { table, decoder: { ...decoder, isOf }, types: typesOf(event), anonymous }
  })
}

/** The events that the job stores, and those of its ABI that it does not. */
async function chosenEvents({ events = [], abi = [] }: RequestedEvents) {
  if (events.length === 0 && abi.length === 0)
    throw parameterError(
      'The job names no event.',
      "Give events, such as ['event Transfer(address indexed from, address indexed to, uint256 value)'], or abi, the file of an ABI.",
    )
  const { parseSignature } = await import('../../src/decode/events/parse-events.ts')
  const { signatureOf } = await import('../../src/decode/events/event-signature.ts')
  const ofAbi = abi.map((text, at) => parseSignature(text, `abi[${at}]`))
  const requested = events.flatMap((text, at) =>
    isName(text)
      ? itemsNamed(text.trim(), ofAbi, { kind: 'event', rest: '(…)' })
      : [parseSignature(text, `events[${at}]`)],
  )
  const once = (list: readonly AbiEvent[]) => new Map(list.map((event) => [signatureOf(event), event]))
  const chosen = once(events.length === 0 ? ofAbi : requested)
  return { chosen: [...chosen.values()], others: ofAbi.filter((event) => !chosen.has(signatureOf(event))) }
}

/** Refuses names of tables and views that chainlake declares. `given`: the value of `table`; an event named Failures needs one. */
async function checkNames(own: readonly Table[], given: string | undefined): Promise<void> {
  const [{ tables }, { derivedViews }] = await Promise.all([
    import('../../schemas/index.ts'),
    import('../../schemas/views/index.ts'),
  ])
  const mistakeIn = (name: string): string | null => {
    if (tables.some((table) => table.name === name)) return 'is a table of chainlake'
    if (name.startsWith('chainlake_') || derivedViews.some((view) => view.name === name))
      return 'is a view of chainlake'
    return given?.endsWith('_latest') ? 'must not end in _latest, as views do' : null
  }
  for (const { name } of own) {
    const mistake = mistakeIn(name)
    if (mistake !== null)
      throw parameterError(`table: ${name} ${mistake}.`, 'Give the table of the event another name as `table`.')
  }
}

function sameTable(table: string, ...events: readonly [string, string]) {
  return parameterError(
    `Two events would fill the table ${table}: ${events.join(' and ')}.`,
    'Give each of them a job of its own, one of them with another name for its table as `table`.',
  )
}
