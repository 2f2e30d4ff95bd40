/** The types of the contract ABI, without names. A `function` is an address and a selector: 24 bytes. */
export type AbiType =
  | { readonly kind: 'address' | 'bool' | 'function' | 'string' | 'bytes' }
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'fixed-bytes'; readonly size: number }
  /** `length` null: any number of items. */
  | { readonly kind: 'array'; readonly item: AbiType; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly fields: readonly AbiField[] }

/** A parameter or a component; the name is empty where the ABI gives none. */
export type AbiField = { readonly name: string; readonly type: AbiType }

export type AbiInput = AbiField & { readonly indexed: boolean }

export type AbiEvent = {
  readonly name: string
  readonly inputs: readonly AbiInput[]
  /** The first topic of an anonymous event is not the hash of its signature. */
  readonly anonymous: boolean
}

/** Bytes of a word of the encoding. */
export const word = 32

/** Whether values are behind an offset, because they differ in length. */
export function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return true
    case 'array':
      return type.length === null || isDynamic(type.item)
    case 'tuple':
      return type.fields.some((field) => isDynamic(field.type))
    default:
      return false
  }
}

/** The bytes of a value at its place: those of the value itself, or of its offset. */
export function headSize(type: AbiType): number {
  if (isDynamic(type)) return word
  if (type.kind === 'array') return (type.length ?? 0) * headSize(type.item)
  if (type.kind === 'tuple') return type.fields.reduce((sum, field) => sum + headSize(field.type), 0)
  return word
}

/** Whether a topic holds the value itself; other indexed values are in the topic as a hash. */
export function fitsTopic({ kind }: AbiType): boolean {
  return !['string', 'bytes', 'array', 'tuple'].includes(kind)
}

/** Whether integers of the type are text with all digits, because DECIMAL(38,0) does not hold each of them. */
export function isWide(type: AbiType): boolean {
  return (type.kind === 'uint' || type.kind === 'int') && type.bits > 120
}
