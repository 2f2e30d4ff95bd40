/** A thread's nursery would grow to 32 MiB, which saves no time where objects live for as long as a batch of them. */
export const threadLimits = { maxYoungGenerationSizeMb: 6 } as const
