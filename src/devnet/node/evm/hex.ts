/** A number as the RPC writes it. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/** Bytes as the RPC writes them. */
export function data(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}
