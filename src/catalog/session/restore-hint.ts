/** What to do about a catalog that is gone or cannot be read. */
export const restoreHint =
  'chainlake restore puts the catalog of a backup (chainlake backup) in its place; without one give it lake.ducklake of the lake, which is a copy as of the last publishing.'
