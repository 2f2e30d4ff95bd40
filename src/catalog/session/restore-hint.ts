/** What to do when the catalog is missing or unreadable. */
export const restoreHint =
  'Restore the catalog from a backup: chainlake restore BACKUP. Without a backup, restore from lake.ducklake of the lake, the copy from the last publishing.'
