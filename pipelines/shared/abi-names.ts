import { parameterError } from './parameter-error.ts'

/** Whether a text is a name alone, such as that of an event or a function of an ABI. */
export function isName(text: string): boolean {
  return /^\s*[A-Za-z_$][A-Za-z0-9_$]*\s*$/.test(text)
}

/** What a job names in its ABI. */
export type NamedKind = {
  readonly kind: 'event' | 'function'
  /** How to write one without an ABI, after its name. */
  readonly rest: string
}

/** The items of an ABI with a name, which may be several. Throws `ConfigError` if there is none. */
export function itemsNamed<T extends { readonly name: string }>(
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
export function namesText(kind: NamedKind['kind'], ofAbi: readonly { readonly name: string }[]): string {
  return `Its ${kind}s are ${[...new Set(ofAbi.map(({ name }) => name))].join(', ')}.`
}
