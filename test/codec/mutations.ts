/** A seeded random number generator, so that a failure can be repeated (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Bytes with one to three changes: changed bits and bytes, large lengths, truncation, insertion, deletion, moved parts. */
export function mutated(bytes: Uint8Array, random: () => number): Uint8Array {
  let all = [...bytes]
  const at = () => Math.floor(random() * all.length)
  for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes--) {
    const place = at()
    switch (Math.floor(random() * 7)) {
      case 0:
        all[place] = all[place]! ^ (1 << Math.floor(random() * 8))
        break
      case 1:
        all[place] = Math.floor(random() * 256)
        break
      case 2:
        for (let i = place; i < Math.min(place + 4, all.length); i++) all[i] = 0xff
        break
      case 3:
        all = all.slice(0, place)
        break
      case 4:
        all.splice(place, 0, ...Array.from({ length: 1 + Math.floor(random() * 8) }, () => Math.floor(random() * 256)))
        break
      case 5:
        all.splice(place, 1 + Math.floor(random() * 8))
        break
      default:
        all.splice(at(), 0, ...all.splice(place, 1 + Math.floor(random() * 40)))
    }
    if (all.length === 0) return new Uint8Array()
  }
  return new Uint8Array(all)
}
