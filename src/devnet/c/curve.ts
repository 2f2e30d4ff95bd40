import { createECDH, createHash } from 'node:crypto'
import { keccak256 } from '../../codec/keccak.ts'

/** Order of the group of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export type Key = {
  readonly secret: bigint
  /** The last 20 bytes of the keccak-256 of the public key. */
  readonly address: Uint8Array
}

export type Signature = { readonly parity: 0 | 1; readonly r: bigint; readonly s: bigint }

/** A key that a text stands for. */
export function createKey(text: string): Key {
  const secret = scalarOf(text)
  return { secret, address: keccak256(pointOf(secret)).subarray(12) }
}

/** What a signature needs of a random number: the number's inverse and its point. */
type Nonce = { readonly number: bigint; readonly inverse: bigint; readonly r: bigint; readonly parity: 0 | 1 }

const nonceCount = 16
let nonces: readonly Nonce[] | null = null

function noncePool(): readonly Nonce[] {
  nonces ??= Array.from({ length: nonceCount }, (_, at) => createNonce(scalarOf(`chainlake devnet nonce ${at}`)))
  return nonces
}

/**
 * A real signature: its sender can be recovered. Nonces come out of a small pool, so that signing costs two
 * multiplications; who sees two signatures of one nonce has the secret key, which is worth nothing here.
 */
export function sign({ secret }: Key, digest: Uint8Array): Signature {
  const { inverse, r, parity } = noncePool()[digest[31]! % nonceCount]!
  const s = (inverse * (numberOf(digest) + r * secret)) % order
  // Ethereum accepts the smaller of the two only (EIP-2).
  return s > order / 2n ? { parity: parity === 0 ? 1 : 0, r, s: order - s } : { parity, r, s }
}

const signers = new Map<bigint, Uint8Array>()
const inversesOfR = new Map<bigint, bigint>()

/**
 * The address that signed a digest, out of the signature and the nonce that `sign` takes for it: a hundredth of the work of
 * a recovery. Null when the signature was made with another nonce.
 */
export function signerOf(digest: Uint8Array, { parity, r, s }: Signature): Uint8Array | null {
  const nonce = noncePool()[digest[31]! % nonceCount]!
  if (nonce.r !== r) return null
  const signed = parity === nonce.parity ? s : order - s
  const inverseOfR = inversesOfR.get(r) ?? inverseOf(r)
  inversesOfR.set(r, inverseOfR)
  const secret = ((((signed * nonce.number - numberOf(digest)) % order) + order) * inverseOfR) % order
  const known = signers.get(secret) ?? keccak256(pointOf(secret)).subarray(12)
  signers.set(secret, known)
  return known
}

function createNonce(number: bigint): Nonce {
  const point = pointOf(number)
  return {
    number,
    inverse: inverseOf(number),
    r: numberOf(point.subarray(0, 32)) % order,
    parity: (point[63]! & 1) as 0 | 1,
  }
}

function scalarOf(text: string): bigint {
  return numberOf(createHash('sha256').update(text).digest()) % order
}

/** The public point of a secret number: x and y. */
function pointOf(secret: bigint): Uint8Array {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(Buffer.from(secret.toString(16).padStart(64, '0'), 'hex'))
  return curve.getPublicKey().subarray(1)
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`)
}

/** By Fermat's little theorem: the order is a prime. */
function inverseOf(number: bigint): bigint {
  let result = 1n
  let base = number
  for (let exponent = order - 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % order
    base = (base * base) % order
  }
  return result
}
