import type { Random } from './random.ts'

/** The DER of a certificate: a sequence that contains an octet string. It is about as long as real certificates with an elliptic key. */
function certificateOf(random: Random): Uint8Array {
  const inner = random.bytes(random.between(190, 220))
  return Uint8Array.of(0x30, 0x81, inner.length + 3, 0x04, 0x81, inner.length, ...inner)
}

export function createProposers(random: Random): readonly Uint8Array[] {
  return Array.from({ length: 12 }, () => certificateOf(random))
}
