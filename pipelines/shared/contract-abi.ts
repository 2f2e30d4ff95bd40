import type { AbiEvent, AbiFunction } from '../../src/decode/events/abi.ts'
import type { EventDecoder } from '../../src/decode/events/events.ts'
import type { Table } from '../../src/define/index.ts'
import { parseLosslessJson } from '../../src/lib/json.ts'
import { parameterError } from './parameters.ts'

/** Whether a text is a name alone, such as that of an event or a function of an ABI. */
function isName(text: string): boolean {
  return /^\s*[A-Za-z_$][A-Za-z0-9_$]*\s*$/.test(text)
}

/** What a job names in its ABI. */
type NamedKind = {
  readonly kind: 'event' | 'function'
  /** How to write one without an ABI, after its name. */
  readonly rest: string
}

/** The items of an ABI with a name, which may be several. Throws `ConfigError` if there is none. */
function itemsNamed<T extends { readonly name: string }>(
  name: string,
  ofAbi: readonly T[],
  { kind, rest }: NamedKind,
): readonly T[] {
  const found = ofAbi.filter((item) => item.name === name)
  if (found.length > 0) return found
  if (ofAbi.length === 0)
    throw parameterError(
      `The job has no ABI with ${kind === 'event' ? 'an event' : 'a function'} ${name}.`,
      `Write the whole ${kind}, such as '${kind} ${name}${rest}', or give abi, the file of an ABI.`,
    )
  throw parameterError(`The ABI has no ${kind} ${name}.`, namesText(kind, ofAbi))
}

/** The names of the items of an ABI, as a hint. */
function namesText(kind: NamedKind['kind'], ofAbi: readonly { readonly name: string }[]): string {
  return `Its ${kind}s are ${[...new Set(ofAbi.map(({ name }) => name))].join(', ')}.`
}

type RequestedEvents = {
  /** Signatures, or names of events of the ABI. */
  readonly events: readonly string[] | undefined
  /** Signatures of the events of an ABI. */
  readonly abi: readonly string[] | undefined
  /** The name of the table of a single event. */
  readonly table: string | undefined
}

export type EventTable = {
  readonly table: Table
  readonly decoder: EventDecoder
  /** Name, types and indexing of the event: what decides which logs it has. */
  readonly types: string
  readonly anonymous: boolean
}

/** The events of a job with their tables. Throws `ConfigError`. */
export async function eventTables(requested: RequestedEvents): Promise<EventTable[]> {
  const [{ eventDecoder, eventTable, usualTableName }, { typesOf }] = await Promise.all([
    import('../../src/decode/events/events.ts'),
    import('../../src/decode/events/abi.ts'),
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
      "Give events (--events 'event Transfer(address indexed from, address indexed to, uint256 value)'), or the file of an ABI (--abi FILE).",
    )
  const { parseSignature } = await import('../../src/decode/events/events.ts')
  const { signatureOf } = await import('../../src/decode/events/abi.ts')
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

type RequestedCalls = {
  /** Functions, names of functions of the ABI, or whole inputs. */
  readonly calls: readonly string[] | undefined
  /** Signatures of the functions of an ABI. */
  readonly abi: readonly string[] | undefined
  /** The arguments of functions with parameters. */
  readonly given: readonly string[] | undefined
}

const functions: NamedKind = { kind: 'function', rest: '(…) view returns (…)' }

type CallInput = { readonly input: Buffer; readonly called: AbiFunction | null }

/**
 * The inputs of a job: each is given as such or as a function, whole or by its name in the ABI. A job with an ABI alone calls what needs no arguments:
 * functions without parameters that are declared as view or pure. A function with parameters is called once with each item of `given`: a JSON
 * list, or the text of the only argument. Throws `ConfigError`.
 */
export async function callInputs({ calls, abi = [], given }: RequestedCalls): Promise<readonly CallInput[]> {
  const { encodeValues, parseFunction, selectorOf } = await import('../../src/decode/events/abi.ts')
  const ofAbi = abi.map((text, at) => parseFunction(text, `abi[${at}]`))
  const texts = (calls ?? []).map((text) => text.trim())
  const whole = texts
    .filter(isInput)
    .map((text): CallInput => ({ input: Buffer.from(text.slice(2), 'hex'), called: null }))
  const chosen =
    calls === undefined
      ? callable(ofAbi)
      : texts.flatMap((text, at) => {
          if (isInput(text)) return []
          return isName(text) ? itemsNamed(text, ofAbi, functions) : [parseFunction(text, `calls[${at}]`)]
        })
  const ofFunctions = chosen.flatMap((called) =>
    argumentsOf(called, given).map((values, position): CallInput => {
      const encoded = encodeValues(called.inputs, values, `arguments[${position}]`)
      return { input: Buffer.concat([selectorOf(called), encoded]), called }
    }),
  )
  // An input that is given twice belongs to the function.
  return [...new Map([...whole, ...ofFunctions].map((call) => [call.input.toString('hex'), call])).values()]
}

function isInput(text: string): boolean {
  return /^0x/i.test(text)
}

/** The functions of an ABI that a job without `calls` calls. */
function callable(ofAbi: readonly AbiFunction[]): readonly AbiFunction[] {
  const found = ofAbi.filter(({ inputs, isReadOnly }) => isReadOnly && inputs.length === 0)
  if (found.length > 0) return found
  throw parameterError(
    ofAbi.length === 0 ? 'The job names no function.' : 'The ABI has no view function without parameters.',
    ofAbi.length === 0
      ? "Give calls, such as ['function totalSupply() view returns (uint256)'], or abi, the file of an ABI."
      : `Name functions in calls, and give arguments. ${namesText('function', ofAbi)}`,
  )
}

/** The arguments of each call of a function. */
function argumentsOf(
  { name, inputs }: AbiFunction,
  given: readonly string[] | undefined,
): readonly (readonly unknown[])[] {
  if (inputs.length === 0) return [[]]
  if (given !== undefined) return given.map(valuesOf)
  throw parameterError(
    `The function ${name} has parameters, but the job has no arguments.`,
    'Give arguments: one item for each call, such as \'["0x…", 5]\', or the text of the only argument.',
  )
}

/** A text that is no JSON list is the only argument. */
function valuesOf(text: string): readonly unknown[] {
  if (!/^\s*\[/.test(text)) return [text]
  try {
    return parseLosslessJson(text) as readonly unknown[]
  } catch {
    throw parameterError(`The arguments ${text} are no JSON.`, 'Give a JSON list with one value for each parameter.')
  }
}
