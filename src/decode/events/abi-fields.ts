import { z } from 'zod'
import { type AbiField, type AbiType, headSize, isDynamic } from './abi-type.ts'

/** Reads the parameters of events and functions of an ABI. */

/** Creates the error of a mistake: `path` names the place, `complaint` is the end of the sentence. */
type Wrong = (path: string, complaint: string, cause?: unknown) => Error

export const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** `indexed` of a component and further fields (`internalType`) are ignored, as other programs do. */
export type AbiParameter = {
  readonly type: string
  readonly name?: string | undefined
  readonly indexed?: boolean | undefined
  readonly components?: readonly AbiParameter[] | undefined
}
export const abiParameter: z.ZodType<AbiParameter> = z.lazy(() =>
  z.object({
    type: z.string(),
    name: z.string().optional(),
    indexed: z.boolean().optional(),
    components: z.array(abiParameter).optional(),
  }),
)

/** A parameter or a component. Throws the error that `wrong` creates. */
export function fieldOf({ name = '', type, components }: AbiParameter, path: string, wrong: Wrong): AbiField {
  if (name !== '' && !identifier.test(name))
    throw wrong(`${path}.name`, `must be letters, digits, _ and $, not ${JSON.stringify(name)}`)
  return { name, type: typeOf(type, components, path, wrong) }
}

export const fixedPoint = /\bu?fixed\d*(x\d+)?\b/
export const noFixedPoint = 'fixed-point types are not supported, because no compiler emits them'
/** No log has as many bytes. */
const mostBytes = 2 ** 31

function typeOf(text: string, components: readonly AbiParameter[] | undefined, path: string, wrong: Wrong): AbiType {
  const array = /^(.*)\[(\d*)\]$/s.exec(text)
  if (array !== null) {
    const length = array[2] === '' ? null : Number(array[2])
    const type: AbiType = { kind: 'array', item: typeOf(array[1]!, components, path, wrong), length }
    if (length === 0) throw wrong(`${path}.type`, `${JSON.stringify(text)} has no items`)
    if (!isDynamic(type) && headSize(type) > mostBytes)
      throw wrong(`${path}.type`, `${JSON.stringify(text)} is longer than any log`)
    return type
  }
  if (text === 'tuple') {
    if (components === undefined || components.length === 0)
      throw wrong(`${path}.components`, 'must list the components of the tuple')
    return { kind: 'tuple', fields: components.map((each, at) => fieldOf(each, `${path}.components[${at}]`, wrong)) }
  }
  const type = simpleType(text)
  if (type !== null) return type
  throw wrong(
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
