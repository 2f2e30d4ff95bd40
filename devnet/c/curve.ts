import { createECDH, createHash } from 'node:crypto'
import { keccak256 } from '../../codec/keccak.ts'
import { hex0x } from '../lib.ts'

/** Order of the secp256k1 group. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export type Key = {
  readonly secret: bigint
  /** The last 20 bytes of the keccak-256 of the public key. */
  readonly address: Uint8Array
}

type Signature = { readonly parity: 0 | 1; readonly r: bigint; readonly s: bigint }

/** Derives a key from a text. */
export function createKey(text: string): Key {
  const secret = scalarOf(text)
  return { secret, address: keccak256(pointOf(secret)).subarray(12) }
}

/** A random number for signatures, with its inverse and its point. */
type Nonce = { readonly number: bigint; readonly inverse: bigint; readonly r: bigint; readonly parity: 0 | 1 }

const nonceCount = 16
let nonces: readonly Nonce[] | null = null

function noncePool(): readonly Nonce[] {
  nonces ??= Array.from({ length: nonceCount }, (_, at) => createNonce(scalarOf(`chainlake devnet nonce ${at}`)))
  return nonces
}

/**
 * A real signature: the sender can be recovered from it. Nonces come from a small pool, so a signature costs only two multiplications.
 * Anyone who sees two signatures with the same nonce can compute the secret key, which has no value here.
 */
export function sign({ secret }: Key, digest: Uint8Array): Signature {
  const { inverse, r, parity } = noncePool()[digest[31]! % nonceCount]!
  const s = (inverse * (numberOf(digest) + r * secret)) % order
  // Ethereum accepts only the smaller one of the two values (EIP-2).
  return s > order / 2n ? { parity: parity === 0 ? 1 : 0, r, s: order - s } : { parity, r, s }
}

const signers = new Map<bigint, Uint8Array>()
const inversesOfR = new Map<bigint, bigint>()

/**
 * The address that signed a digest, computed from the signature and the nonce that `sign` uses for that digest. This takes a hundredth of
 * the time of a recovery. Null if the signature was made with another nonce.
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

/** The public point (x and y) of a secret number. */
function pointOf(secret: bigint): Uint8Array {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(Buffer.from(secret.toString(16).padStart(64, '0'), 'hex'))
  return curve.getPublicKey().subarray(1)
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(hex0x(bytes))
}

/** Computes the inverse by Fermat's little theorem, because the order is a prime. */
function inverseOf(number: bigint): bigint {
  let result = 1n
  let base = number
  for (let exponent = order - 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % order
    base = (base * base) % order
  }
  return result
}
