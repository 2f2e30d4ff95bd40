import type { Random } from './random.ts'

/** A certificate's DER: a sequence with an octet string in it, of about the length of real ones with an elliptic key. */
function certificateOf(random: Random): Uint8Array {
  const inner = random.bytes(random.between(190, 220))
  return Uint8Array.of(0x30, 0x81, inner.length + 3, 0x04, 0x81, inner.length, ...inner)
}

export function createProposers(random: Random): readonly Uint8Array[] {
  return Array.from({ length: 12 }, () => certificateOf(random))
}
