import type { AbiFunction } from '../../src/decode/calls/abi-function.ts'
import { parameterError } from './parameter-error.ts'

/** The input of a call. */
export type CallInput = { readonly input: Buffer; readonly called: AbiFunction | null }

/**
 * The inputs of a job: each is given as such or as a function. A function with parameters is called once with each item of `given`: a JSON
 * list, or the text of the only argument. Throws `ConfigError`.
 */
export async function callInputs(
  calls: readonly string[],
  given: readonly string[] | undefined,
): Promise<readonly CallInput[]> {
  const [{ parseFunction, selectorOf }, { encodeValues }, { parseLosslessJson }] = await Promise.all([
    import('../../src/decode/calls/abi-function.ts'),
    import('../../src/decode/calls/encode-values.ts'),
    import('../../src/lib/text/json.ts'),
  ])
  const whole: CallInput[] = []
  const ofFunctions: CallInput[] = []
  for (const [at, each] of calls.entries()) {
    const text = each.trim()
    if (/^0x/i.test(text)) {
      whole.push({ input: Buffer.from(text.slice(2), 'hex'), called: null })
      continue
    }
    const called = parseFunction(text, `calls[${at}]`)
    for (const [position, values] of argumentsOf(called, given, parseLosslessJson).entries()) {
      const encoded = encodeValues(called.inputs, values, `arguments[${position}]`)
      ofFunctions.push({ input: Buffer.concat([selectorOf(called), encoded]), called })
    }
  }
  // An input that is given twice belongs to the function.
  return [...new Map([...whole, ...ofFunctions].map((call) => [call.input.toString('hex'), call])).values()]
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
