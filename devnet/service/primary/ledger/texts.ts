import { addressText, idText } from '../../../../codec/ids.ts'
import { chainTexts, hrp } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { UtxoOwner } from './model.ts'

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

export function hex0x(bytes: Uint8Array): string {
  return `0x${hexOf(bytes)}`
}

/** Signatures in the service's format: base64 without padding. */
export function signatureText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64').replace(/=+$/, '')
}

const aliases: ReadonlyMap<string, ChainAlias> = new Map(
  Object.entries(chainTexts).map(([alias, id]) => [id, alias as ChainAlias]),
)

/** The chain of the primary network with this id. Throws `RangeError` for an unknown id. */
export function aliasOf(chainId: Uint8Array): ChainAlias {
  const alias = aliases.get(idText(chainId))
  if (alias === undefined) throw new RangeError(`${idText(chainId)} is no chain of the primary network`)
  return alias
}

type OwnerFields = {
  readonly threshold: number
  readonly locktime?: bigint
  readonly addresses: readonly Uint8Array[]
}

/** Converts owners. There are few owners without a locktime, so each of them is a shared object. */
export type OwnerTexts = (owner: OwnerFields) => UtxoOwner

export function createOwnerTexts(): OwnerTexts {
  /** Known owners by first address. */
  const known = new Map<string, UtxoOwner[]>()
  return ({ threshold, locktime = 0n, addresses }) => {
    const texts = addresses.map((address) => addressText(hrp, address))
    if (locktime !== 0n) return { threshold, locktime, addresses: texts }
    const first = texts[0] ?? ''
    const alike = known.get(first) ?? []
    for (const owner of alike) if (owner.threshold === threshold && areEqual(owner.addresses, texts)) return owner
    const owner = { threshold, locktime, addresses: texts }
    known.set(first, [...alike, owner])
    return owner
  }
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at])
}
