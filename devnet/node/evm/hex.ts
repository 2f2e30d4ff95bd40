/** A number in the hex form of the RPC. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/** Bytes in the hex form of the RPC. */
export function data(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}
