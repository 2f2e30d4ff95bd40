/**
 * The name under which a restore keeps the catalog that it replaces, in the same folder. It holds `time` in the format in which run ids
 * begin.
 */
export function keptCatalogName(catalog: string, time: Date): string {
  return `${catalog}.before-restore-${time.toISOString().replaceAll(/[-:.]/g, '')}`
}

/** The time at which a restore replaced the catalog with this name, in the format in which run ids begin; null for other names. */
export function keptCatalogTime(name: string): string | null {
  return /\.before-restore-(\d{8}T\d{9}Z)$/.exec(name)?.[1] ?? null
}
