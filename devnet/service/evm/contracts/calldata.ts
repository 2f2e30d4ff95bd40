const wordBytes = 32
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
