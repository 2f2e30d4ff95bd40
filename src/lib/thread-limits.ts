/** Without this limit a thread's nursery would grow to 32 MiB. That saves no time where objects live as long as a batch of them. */
export const threadLimits = { maxYoungGenerationSizeMb: 6 } as const
