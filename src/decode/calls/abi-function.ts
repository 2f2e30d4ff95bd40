import { parseAbiItem } from 'micro-eth-signer/abi.js'
import { z } from 'zod'
import { keccak256 } from '../../../codec/keccak.ts'
import { ConfigError } from '../../errors.ts'
import { abiParameter, fieldOf, fixedPoint, identifier, noFixedPoint } from '../events/abi-fields.ts'
import { abiItems, placeWithin } from '../events/abi-items.ts'
import type { AbiField } from '../events/abi-type.ts'
import { fieldName, typeText } from '../events/event-signature.ts'

export type AbiFunction = {
  readonly name: string
  readonly inputs: readonly AbiField[]
  readonly outputs: readonly AbiField[]
  /** Whether it is declared as view or pure. */
  readonly isReadOnly: boolean
}

const item = z.object({
  type: z.literal('function'),
  name: z.string().regex(identifier, 'must be the name of a function'),
  inputs: z.array(abiParameter).optional(),
  outputs: z.array(abiParameter).optional(),
  stateMutability: z.string().optional(),
  // Compilers before Solidity 0.5 write this instead.
  constant: z.boolean().optional(),
})

/** Parses `function name(type [name], …) [view] [returns (type [name], …)]`. `path` names the text in errors. Throws `ConfigError`. */
export function parseFunction(text: string, path: string): AbiFunction {
  const { data } = item.safeParse(parsed(text, path))
  if (data === undefined) throw wrongFunction(path, 'is no signature of a function: it must begin with "function "')
  return functionOf(data, path)
}

/** The functions of an ABI as JSON text, or of the artifact of a compiler. Throws `ConfigError` with the path of a malformed function. */
export function parseAbiFunctions(text: string, path: string): AbiFunction[] {
  return abiItems(text, path, 'function').map(({ item: json, path }) => {
    const { data, error } = item.safeParse(json)
    if (data !== undefined) return functionOf(data, path)
    const { path: within, message } = error.issues[0]!
    throw wrongFunction(placeWithin(path, within), `is malformed: ${message}`)
  })
}

function functionOf(
  { name, inputs = [], outputs = [], stateMutability, constant }: z.infer<typeof item>,
  path: string,
): AbiFunction {
  return {
    name,
    inputs: inputs.map((each, at) => fieldOf(each, `${path}.inputs[${at}]`, wrongFunction)),
    outputs: outputs.map((each, at) => fieldOf(each, `${path}.outputs[${at}]`, wrongFunction)),
    isReadOnly: stateMutability === undefined ? constant === true : /^(view|pure)$/.test(stateMutability),
  }
}

function parsed(text: string, path: string): unknown {
  try {
    return parseAbiItem(text.trim().replace(/;$/, ''))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^parseAbi: /, '') : String(cause)
    throw wrongFunction(path, `is no signature of a function: ${fixedPoint.test(text) ? noFixedPoint : reason}`, cause)
  }
}

/** The function as `parseFunction` reads it, without what does not change its calls. */
export function functionText(called: AbiFunction): string {
  return declarationOf(called, '')
}

/** The function as Solidity declares it, which `parseFunction` reads. */
export function signatureOf(called: AbiFunction): string {
  return declarationOf(called, called.isReadOnly ? ' view' : '')
}

function declarationOf({ name, inputs, outputs }: AbiFunction, modifier: string): string {
  const listed = (fields: readonly AbiField[]): string =>
    fields.map((field) => `${typeText(field.type, fieldName)}${fieldName(field)}`).join(', ')
  return `function ${name}(${listed(inputs)})${modifier}${outputs.length === 0 ? '' : ` returns (${listed(outputs)})`}`
}

/** The first four bytes of the input of each call of the function. */
export function selectorOf({ name, inputs }: AbiFunction): Buffer {
  const canonical = `${name}(${inputs.map(({ type }) => typeText(type)).join()})`
  return Buffer.from(keccak256(Buffer.from(canonical)).subarray(0, 4))
}

function wrongFunction(path: string, complaint: string, cause?: unknown): ConfigError {
  return new ConfigError(`${path} ${complaint}.`, {
    code: 'config.function',
    hint: 'Write a function as Solidity declares it, such as function balanceOf(address) view returns (uint256).',
    ...(cause === undefined ? {} : { cause }),
  })
}
