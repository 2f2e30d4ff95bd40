import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { signedAtomicTx, unsignedAtomicTx } from '../../codec/c.ts'
import { sha256 } from '../../codec/hash.ts'
import { idText } from '../../codec/ids.ts'
import { decodeExactly, encode, type Schema, versioned } from '../../codec/linear.ts'
import { signedPTx, unsignedPTx } from '../../codec/p.ts'
import { signedXTx, unsignedXTx } from '../../codec/x.ts'
import { avaxSerial, utils, type Vm } from './avalanchejs.ts'
import { typedValue, typesIn, valueOfAvalanchejs } from './avalanchejs-values.ts'

/** A transaction in bytes. `name` is its origin. */
export type Encoded = { readonly name: string; readonly vm: Vm; readonly bytes: Uint8Array }

/** The transactions in bytes that contain transactions, such as blocks. */
export function eachIn(
  outer: readonly Encoded[],
  transactions: (bytes: Uint8Array) => readonly Uint8Array[],
): Encoded[] {
  return outer.flatMap(({ name, vm, bytes }) =>
    transactions(bytes).map((tx, i) => ({ name: `${name}, transaction ${i}`, vm, bytes: tx })),
  )
}

export const schemas: Readonly<Record<Vm, { readonly signed: Schema<any>; readonly unsigned: Schema<any> }>> = {
  PVM: { signed: signedPTx, unsigned: versioned(unsignedPTx) },
  AVM: { signed: signedXTx, unsigned: versioned(unsignedXTx) },
  EVM: { signed: signedAtomicTx, unsigned: versioned(unsignedAtomicTx) },
}

/** avalanchejs 5.2.0 has no types of the property extension: its X-Chain types end with those of NFTs. */
const unknownTypeIds: Readonly<Record<string, number>> = {
  'propertyfx.MintOutput': 15,
  'propertyfx.OwnedOutput': 16,
  'propertyfx.MintOperation': 17,
  'propertyfx.BurnOperation': 18,
  'propertyfx.Credential': 19,
}

/** The error of avalanchejs for a transaction that it cannot decode; null for one that it can decode. */
function failureOf(tx: unknown): string | null {
  const typeId = typesIn(tx)
    .map((type) => unknownTypeIds[type])
    .find((each) => each !== undefined)
  return typeId === undefined ? null : `couldn't unmarshal interface: unknown type ID ${typeId}`
}

/**
 * The transaction with the one mistake of avalanchejs: it reads NFT credentials as secp256k1 credentials, which have the same fields,
 * and writes them with the secp256k1 type id. The JSON of the node names them NFT credentials, like the codec.
 */
function withMistake(tx: any): any {
  const credentials = tx.credentials.map((each: object) => ({ ...each, type: 'secp256k1fx.Credential' }))
  return typesIn(tx.credentials).includes('nftfx.Credential') ? { ...tx, credentials } : tx
}

/** `toEqual`, but fast for equal values. */
export function same(found: unknown, expected: unknown, name: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, name).toEqual(expected)
}

/** Compares type, ids and every field of a signed transaction. Returns whether avalanchejs can decode it. */
export function compareSigned({ name, vm, bytes }: Encoded): boolean {
  const { signed } = schemas[vm]
  const tx = decodeExactly(signed, bytes, name)
  const manager = utils.getManagerForVM(vm)
  const failure = failureOf(tx)
  if (failure !== null) {
    expect(() => manager.unpack(bytes, avaxSerial.SignedTx), name).toThrow(failure)
    return false
  }
  const found = manager.unpack(bytes, avaxSerial.SignedTx)
  const expected = withMistake(tx)
  same(valueOfAvalanchejs(found, typedValue(expected)), typedValue(expected), name)
  const codec = manager.getDefaultCodec()
  const again = Buffer.concat([
    manager.getDefaultCodecId().toBytes(),
    codec.PackPrefix(found.unsignedTx),
    codec.PackPrefixList(found.credentials),
  ])
  expect(utils.base58check.encode(sha256(again)), name).toBe(idText(sha256(encode(signed, expected))))
  if (expected === tx) expect(Buffer.compare(again, bytes), name).toBe(0)
  return true
}

/** Compares every field and the bytes of an unsigned transaction. */
export function compareUnsigned({ name, vm, bytes }: Encoded): void {
  const expected = typedValue(decodeExactly(schemas[vm].unsigned, bytes, name))
  const manager = utils.getManagerForVM(vm)
  const found = manager.unpackTransaction(bytes)
  same(valueOfAvalanchejs(found, expected), expected, name)
  expect(Buffer.compare(manager.packCodec(found), bytes), name).toBe(0)
}
