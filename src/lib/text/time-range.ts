/**
 * The times that a TIMESTAMP column holds, in microseconds since 1970 UTC: the years 1 to 9999, which every reader of
 * Parquet knows. Decoders write null, beside the raw value, for what lies outside.
 */
export const earliestTime = -62_135_596_800_000_000n
export const latestTime = 253_402_300_799_999_999n
