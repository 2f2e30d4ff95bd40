import { keccak256 } from '../../codec/keccak.ts'
import { hexOf } from '../lib.ts'

/** Selectors (hex) of the token contract calls that the simulated chain executes. */
export const selectors = {
  mint: selectorOf('mint(address,uint256)'),
  burn: selectorOf('burn(uint256)'),
  transfer: selectorOf('transfer(address,uint256)'),
  approve: selectorOf('approve(address,uint256)'),
  transferFrom: selectorOf('transferFrom(address,address,uint256)'),
  batchTransfer: selectorOf('batchTransfer(address[],uint256)'),
  safeTransfer: selectorOf('safeTransferFrom(address,address,uint256)'),
  safeTransferData: selectorOf('safeTransferFrom(address,address,uint256,bytes)'),
  mintOf: selectorOf('mint(address,uint256,uint256,bytes)'),
  mintBatch: selectorOf('mintBatch(address,uint256[],uint256[],bytes)'),
  safeTransferOf: selectorOf('safeTransferFrom(address,address,uint256,uint256,bytes)'),
  safeBatchTransfer: selectorOf('safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)'),
  burnOf: selectorOf('burn(address,uint256,uint256)'),
} as const

/** The first four bytes of the keccak-256 of a signature, as hex. */
export function selectorOf(signature: string): string {
  return hexOf(keccak256(new TextEncoder().encode(signature)).subarray(0, 4))
}

/** An address, a number, a list of addresses or numbers, or bytes of any length. */
export type Argument = Uint8Array | bigint | readonly (Uint8Array | bigint)[] | { readonly bytes: Uint8Array }

const wordBytes = 32

/** Encodes the input of a call: the selector, one word for each argument, then the values of variable length. */
export function inputOf(selector: string, values: readonly Argument[]): Uint8Array {
  const heads: Uint8Array[] = []
  const tails: Uint8Array[] = []
  let end = values.length * wordBytes
  for (const value of values) {
    const tail = tailOf(value)
    if (tail === null) {
      heads.push(word(value as Uint8Array | bigint))
      continue
    }
    heads.push(word(BigInt(end)))
    tails.push(tail)
    end += tail.length
  }
  return Buffer.concat([Buffer.from(selector, 'hex'), ...heads, ...tails])
}

/** The part of a list or of bytes that follows the words; null for arguments of fixed length. */
function tailOf(value: Argument): Uint8Array | null {
  if (typeof value === 'bigint' || value instanceof Uint8Array) return null
  if ('bytes' in value) {
    const filled = new Uint8Array(Math.ceil(value.bytes.length / wordBytes) * wordBytes)
    filled.set(value.bytes)
    return Buffer.concat([word(BigInt(value.bytes.length)), filled])
  }
  return Buffer.concat([word(BigInt(value.length)), ...value.map(word)])
}

function word(value: Uint8Array | bigint): Uint8Array {
  if (typeof value === 'bigint') return Buffer.from(value.toString(16).padStart(wordBytes * 2, '0'), 'hex')
  const filled = new Uint8Array(wordBytes)
  filled.set(value, wordBytes - value.length)
  return filled
}

const selectorBytes = 4

/** Reads the arguments of a call by their position. */
export type Calldata = {
  /** The first four bytes as hex; empty for a shorter input. */
  readonly selector: string
  /** An address in lower-case hex with 0x. */
  address(position: number): string
  number(position: number): bigint
  addresses(position: number): string[]
  numbers(position: number): bigint[]
}

/** Decodes the input of a call. Reading beyond its end throws a `RangeError`, and the call reverts. */
export function readCalldata(input: Uint8Array): Calldata {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.length)
  const word = (at: number): string => {
    if (at + wordBytes > bytes.length) throw new RangeError('the input ends before its arguments')
    return bytes.toString('hex', at, at + wordBytes)
  }
  const head = (position: number): number => selectorBytes + position * wordBytes
  const list = <T>(position: number, read: (word: string) => T): T[] => {
    const start = selectorBytes + Number(BigInt(`0x${word(head(position))}`))
    const length = Number(BigInt(`0x${word(start)}`))
    if (length > bytes.length / wordBytes) throw new RangeError('a list is longer than the input')
    return Array.from({ length }, (_, at) => read(word(start + (at + 1) * wordBytes)))
  }
  return {
    selector: bytes.toString('hex', 0, selectorBytes),
    address: (position) => addressOf(word(head(position))),
    number: (position) => numberOf(word(head(position))),
    addresses: (position) => list(position, addressOf),
    numbers: (position) => list(position, numberOf),
  }
}

function addressOf(word: string): string {
  return `0x${word.slice(24)}`
}

function numberOf(word: string): bigint {
  return BigInt(`0x${word}`)
}
