import { keccak256 } from '../../../codec/keccak.ts'
import type { AbiEvent, AbiField, AbiInput, AbiType } from './abi-type.ts'

/** The first topic of logs of the event: the hash of its name and types, as lower-case hex text. */
export function topicOf(event: AbiEvent): string {
  const canonical = `${event.name}(${event.inputs.map(({ type }) => typeText(type)).join()})`
  return `0x${Buffer.from(keccak256(Buffer.from(canonical))).toString('hex')}`
}

/** The event as Solidity declares it, which `parseSignature` reads: `event Name(type [indexed] name, …) [anonymous]`. */
export function signatureOf({ name, inputs, anonymous }: AbiEvent): string {
  const parameters = inputs.map((input) => `${typeText(input.type, fieldName)}${indexedText(input)}${fieldName(input)}`)
  return `event ${name}(${parameters.join(', ')})${anonymous ? ' anonymous' : ''}`
}

/** The event without names of parameters: what decides which logs it has. */
export function typesOf({ name, inputs, anonymous }: AbiEvent): string {
  const parameters = inputs.map((input) => `${typeText(input.type)}${indexedText(input)}`)
  return `${name}(${parameters.join(', ')})${anonymous ? ' anonymous' : ''}`
}

function indexedText({ indexed }: AbiInput): string {
  return indexed ? ' indexed' : ''
}

/** The name of a parameter after its type. Words that Solidity reads as something else in this place end in an underscore. */
export function fieldName({ name }: AbiField): string {
  return name === '' ? '' : ` ${modifiers.has(name) ? `${name}_` : name}`
}

/** Solidity has no parameters with these names; JSON ABIs of other compilers may. */
const modifiers: ReadonlySet<string> = new Set(['indexed', 'memory', 'storage', 'calldata', 'payable'])

/** A type as Solidity writes it, with the names of components that `nameOf` gives. */
export function typeText(type: AbiType, nameOf: (field: AbiField) => string = () => ''): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'fixed-bytes':
      return `bytes${type.size}`
    case 'array':
      return `${typeText(type.item, nameOf)}[${type.length ?? ''}]`
    case 'tuple': {
      const fields = type.fields.map((field) => `${typeText(field.type, nameOf)}${nameOf(field)}`)
      return `(${fields.join(nameOf === fieldName ? ', ' : ',')})`
    }
    default:
      return type.kind
  }
}
