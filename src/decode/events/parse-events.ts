import { parseAbiItem } from 'micro-eth-signer/abi.js'
import { z } from 'zod'
import { ConfigError } from '../../errors.ts'
import type { AbiEvent, AbiField, AbiInput, AbiType } from './abi-type.ts'
import { headSize, isDynamic } from './abi-type.ts'

/**
 * Reads events from signatures and from ABIs. micro-eth-signer parses signatures: it accepts `anonymous`, any white space and nested tuples,
 * it refuses what it does not understand, it runs on Node 20.19, and its parser imports nothing (10 kB of the bundle). abitype's parser is deprecated, and its
 * successor in ox refuses `anonymous` and installs post-quantum cryptography.
 */

/** Parses `event Name(type [indexed] name, …) [anonymous]`. `path` names the text in errors. Throws `ConfigError`. */
export function parseSignature(text: string, path: string): AbiEvent {
  let item: unknown
  try {
    item = parseAbiItem(text.trim().replace(/;$/, ''))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^parseAbi: /, '') : String(cause)
    throw wrongEvent(path, `is no signature of an event: ${fixedPoint.test(text) ? noFixedPoint : reason}`, cause)
  }
  if ((item as { type?: unknown }).type !== 'event')
    throw wrongEvent(path, `is no signature of an event: it must begin with "event "`)
  return eventOf(item, path)
}

/**
 * The events of an ABI as JSON text: a list of items, or the artifact of a compiler with such a list as `abi`. Functions, errors and other
 * items are ignored. Throws `ConfigError` with the path of a malformed event, such as `abi[3].inputs[0].type`.
 */
export function parseAbi(text: string, path: string): AbiEvent[] {
  const [items, within] = itemsOf(parseJson(text, path), path)
  const events = items.flatMap((item, position) =>
    (item as { type?: unknown } | null)?.type === 'event' ? [eventOf(item, `${path}: ${within}[${position}]`)] : [],
  )
  if (events.length === 0)
    throw new ConfigError(`${path}: the ABI declares no event.`, {
      code: 'config.abi',
      hint: 'For a proxy, give the ABI of its implementation and the address of the proxy.',
    })
  return events
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw noAbi(path, cause)
  }
}

/** The items of an ABI, and the name of their list. */
function itemsOf(json: unknown, path: string): [readonly unknown[], string] {
  if (Array.isArray(json)) return [json, 'abi']
  const artifact = json as { abi?: unknown; output?: { abi?: unknown } } | null
  // Hardhat, Foundry and Truffle write `abi`; the metadata of solc has it in `output`.
  if (Array.isArray(artifact?.abi)) return [artifact.abi, 'abi']
  if (Array.isArray(artifact?.output?.abi)) return [artifact.output.abi, 'output.abi']
  throw noAbi(path)
}

function noAbi(path: string, cause?: unknown): ConfigError {
  return new ConfigError(`${path}: the file is no ABI.`, {
    code: 'config.abi',
    hint: 'It must be the JSON list of an ABI, or the artifact of a compiler with such a list as "abi".',
    ...(cause === undefined ? {} : { cause }),
  })
}

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** `indexed` of a component and further fields (`internalType`) are ignored, as other programs do. */
type Parameter = {
  readonly type: string
  readonly name?: string | undefined
  readonly indexed?: boolean | undefined
  readonly components?: readonly Parameter[] | undefined
}
const parameter: z.ZodType<Parameter> = z.lazy(() =>
  z.object({
    type: z.string(),
    name: z.string().optional(),
    indexed: z.boolean().optional(),
    components: z.array(parameter).optional(),
  }),
)
const item = z.object({
  name: z.string().regex(identifier, 'must be the name of an event'),
  inputs: z.array(parameter),
  anonymous: z.boolean().optional(),
})

function eventOf(json: unknown, path: string): AbiEvent {
  const { data, error } = item.safeParse(json)
  if (data === undefined) {
    const { path: within, message } = error.issues[0]!
    const at = within.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
    throw wrongEvent(`${path}${at}`, `is malformed: ${message}`)
  }
  const { name, inputs, anonymous = false } = data
  const event = { name, anonymous, inputs: inputs.map((each, at) => inputOf(each, `${path}.inputs[${at}]`)) }
  const topics = event.inputs.filter(({ indexed }) => indexed).length + (anonymous ? 0 : 1)
  if (topics > 4)
    throw wrongEvent(path, `has ${topics - (anonymous ? 0 : 1)} indexed parameters: a log has at most four topics`)
  return event
}

function inputOf(given: Parameter, path: string): AbiInput {
  return { ...fieldOf(given, path), indexed: given.indexed === true }
}

function fieldOf({ name = '', type, components }: Parameter, path: string): AbiField {
  if (name !== '' && !identifier.test(name))
    throw wrongEvent(`${path}.name`, `must be letters, digits, _ and $, not ${JSON.stringify(name)}`)
  return { name, type: typeOf(type, components, path) }
}

const fixedPoint = /\bu?fixed\d*(x\d+)?\b/
const noFixedPoint = 'fixed-point types are not supported, because no compiler emits them'
/** No log has as many bytes. */
const mostBytes = 2 ** 31

function typeOf(text: string, components: readonly Parameter[] | undefined, path: string): AbiType {
  const array = /^(.*)\[(\d*)\]$/s.exec(text)
  if (array !== null) {
    const length = array[2] === '' ? null : Number(array[2])
    const type: AbiType = { kind: 'array', item: typeOf(array[1]!, components, path), length }
    if (length === 0) throw wrongEvent(`${path}.type`, `${JSON.stringify(text)} has no items`)
    if (!isDynamic(type) && headSize(type) > mostBytes)
      throw wrongEvent(`${path}.type`, `${JSON.stringify(text)} is longer than any log`)
    return type
  }
  if (text === 'tuple') {
    if (components === undefined || components.length === 0)
      throw wrongEvent(`${path}.components`, 'must list the components of the tuple')
    return { kind: 'tuple', fields: components.map((each, at) => fieldOf(each, `${path}.components[${at}]`)) }
  }
  const type = simpleType(text)
  if (type !== null) return type
  throw wrongEvent(
    `${path}.type`,
    fixedPoint.test(text) ? `is ${text}: ${noFixedPoint}` : `${JSON.stringify(text)} is no type of the ABI`,
  )
}

function simpleType(text: string): AbiType | null {
  const plain = (['address', 'bool', 'function', 'string', 'bytes'] as const).find((kind) => kind === text)
  if (plain !== undefined) return { kind: plain }
  const [, name, digits] = /^(uint|int|bytes)([1-9]\d{0,2})$/.exec(text) ?? []
  const number = Number(digits)
  if (name === 'bytes') return number <= 32 ? { kind: 'fixed-bytes', size: number } : null
  if (name !== 'uint' && name !== 'int') return text === 'uint' || text === 'int' ? { kind: text, bits: 256 } : null
  return number % 8 === 0 && number <= 256 ? { kind: name, bits: number } : null
}

function wrongEvent(path: string, complaint: string, cause?: unknown): ConfigError {
  return new ConfigError(`${path} ${complaint}.`, {
    code: 'config.event',
    hint: 'Write an event as Solidity declares it, such as event Transfer(address indexed from, address indexed to, uint256 value), or give the ABI of the contract.',
    ...(cause === undefined ? {} : { cause }),
  })
}
