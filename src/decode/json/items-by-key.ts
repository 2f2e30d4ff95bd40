import { DecodeError } from '../../errors.ts'

/** Returns flat items of an answer by the value of a field. Throws `DecodeError` if two items with one value differ. */
export function itemsByKey<T extends object>(items: readonly T[], name: keyof T & string): Map<string, T> {
  const found = new Map<string, T>()
  for (const item of items) {
    const key = String(item[name])
    const other = found.get(key)
    if (other !== undefined && !areEqual(other, item)) throw contradiction(name, key)
    found.set(key, item)
  }
  return found
}

function areEqual<T extends object>(a: T, b: T): boolean {
  return (Object.keys(a) as (keyof T)[]).every((name) => a[name] === b[name])
}

function contradiction(name: string, key: string): DecodeError {
  return new DecodeError(`The source returned two different items with the same ${name}.`, {
    code: 'decode.contradiction',
    details: { [name]: key },
    hint: 'Nothing of this unit was written. The source has damaged data, or serves two chains. Run again later, or contact its operator.',
  })
}
