/**
 * The times that a TIMESTAMP column holds, in microseconds since 1970 UTC: the years 1 to 9999, which every reader of Parquet supports. For
 * a time outside them decoders write null, and keep the raw value in another column.
 */
export const earliestTime = -62_135_596_800_000_000n
export const latestTime = 253_402_300_799_999_999n
