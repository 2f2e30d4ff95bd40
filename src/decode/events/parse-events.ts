import { parseAbiItem } from 'micro-eth-signer/abi.js'
import { z } from 'zod'
import { ConfigError } from '../../errors.ts'
import { type AbiParameter, abiParameter, fieldOf, fixedPoint, identifier, noFixedPoint } from './abi-fields.ts'
import { abiItems, placeWithin } from './abi-items.ts'
import type { AbiEvent, AbiInput } from './abi-type.ts'

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
  const { data, error } = item.safeParse(json)
  if (data === undefined) {
    const { path: within, message } = error.issues[0]!
    throw wrongEvent(placeWithin(path, within), `is malformed: ${message}`)
  }
  const { name, inputs, anonymous = false } = data
  const event = { name, anonymous, inputs: inputs.map((each, at) => inputOf(each, `${path}.inputs[${at}]`)) }
  const topics = event.inputs.filter(({ indexed }) => indexed).length + (anonymous ? 0 : 1)
  if (topics > 4)
    throw wrongEvent(path, `has ${topics - (anonymous ? 0 : 1)} indexed parameters: a log has at most four topics`)
  return event
}

function inputOf(given: AbiParameter, path: string): AbiInput {
  return { ...fieldOf(given, path, wrongEvent), indexed: given.indexed === true }
}

function wrongEvent(path: string, complaint: string, cause?: unknown): ConfigError {
  return new ConfigError(`${path} ${complaint}.`, {
    code: 'config.event',
    hint: 'Write an event as Solidity declares it, such as event Transfer(address indexed from, address indexed to, uint256 value), or give the ABI of the contract.',
    ...(cause === undefined ? {} : { cause }),
  })
}
