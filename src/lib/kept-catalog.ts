/** The name under which a restore keeps the catalog that it replaces, beside it; `time` is as ids of runs begin. */
export function keptCatalogName(catalog: string, time: Date): string {
  return `${catalog}.before-restore-${time.toISOString().replaceAll(/[-:.]/g, '')}`
}

/** When a catalog was replaced that is kept under this name, as ids of runs begin; null for other names. */
export function keptCatalogTime(name: string): string | null {
  return /\.before-restore-(\d{8}T\d{9}Z)$/.exec(name)?.[1] ?? null
}
