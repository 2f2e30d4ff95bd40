import { keccak256 } from '../keccak.ts'
import { createWriter, written } from '../linear/writer.ts'
import { rlpBytes, rlpU64, writeList } from '../rlp/index.ts'

/** An RLP list of an address and a nonce has at most 31 bytes. */
const mostBytes = 32

/** The address of the contract that an account creates with a nonce, in lower-case hex. `creator` is hex with 0x. */
export function createdAddress(creator: string, nonce: bigint): string {
  const writer = createWriter(mostBytes)
  writeList(writer, () => {
    rlpBytes.write(writer, Buffer.from(creator.slice(2), 'hex'))
    rlpU64.write(writer, nonce)
  })
  return `0x${Buffer.from(keccak256(written(writer)).subarray(12)).toString('hex')}`
}
