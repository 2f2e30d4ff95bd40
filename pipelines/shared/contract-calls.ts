import type { AbiFunction } from '../../src/decode/calls/abi-function.ts'
import { isName, itemsNamed, type NamedKind, namesText } from './abi-names.ts'
import { parameterError } from './parameter-error.ts'

type RequestedCalls = {
  /** Functions, names of functions of the ABI, or whole inputs. */
  readonly calls: readonly string[] | undefined
  /** Signatures of the functions of an ABI. */
  readonly abi: readonly string[] | undefined
  /** The arguments of functions with parameters. */
  readonly given: readonly string[] | undefined
}

const functions: NamedKind = { kind: 'function', rest: '(…) view returns (…)' }

/** The input of a call. */
type CallInput = { readonly input: Buffer; readonly called: AbiFunction | null }

/**
 * The inputs of a job: each is given as such or as a function, whole or by its name in the ABI. A job with an ABI alone calls what needs no arguments:
 * functions without parameters that are declared as view or pure. A function with parameters is called once with each item of `given`: a JSON
 * list, or the text of the only argument. Throws `ConfigError`.
 */
export async function callInputs({ calls, abi = [], given }: RequestedCalls): Promise<readonly CallInput[]> {
  const [{ parseFunction, selectorOf }, { encodeValues }, { parseLosslessJson }] = await Promise.all([
    import('../../src/decode/calls/abi-function.ts'),
    import('../../src/decode/calls/encode-values.ts'),
    import('../../src/lib/text/json.ts'),
  ])
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
    argumentsOf(called, given, parseLosslessJson).map((values, position): CallInput => {
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
  parse: (text: string) => unknown,
): readonly (readonly unknown[])[] {
  if (inputs.length === 0) return [[]]
  if (given !== undefined) return given.map((text) => valuesOf(text, parse))
  throw parameterError(
    `The function ${name} has parameters, but the job has no arguments.`,
    'Give arguments: one item for each call, such as \'["0x…", 5]\', or the text of the only argument.',
  )
}

/** A text that is no JSON list is the only argument. */
function valuesOf(text: string, parse: (text: string) => unknown): readonly unknown[] {
  if (!/^\s*\[/.test(text)) return [text]
  try {
    return parse(text) as readonly unknown[]
  } catch {
    throw parameterError(`The arguments ${text} are no JSON.`, 'Give a JSON list with one value for each parameter.')
  }
}
