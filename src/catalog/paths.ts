import { join, resolve } from 'node:path'

/** Where the parts of a lake lie; absolute paths. */
export type LakePaths = {
  readonly lake: string
  /** The catalog: private, opened for each operation. */
  readonly catalog: string
  /** The copy of the catalog that readers attach. */
  readonly published: string
  readonly data: string
  readonly locks: string
}

/** Folder of the data files inside the lake; the catalog's paths begin below it. */
export const dataFolder = 'data'

export function lakePaths(lakeDir: string): LakePaths {
  const lake = resolve(lakeDir)
  return {
    lake,
    catalog: join(lake, 'catalog.ducklake'),
    published: join(lake, 'lake.ducklake'),
    data: join(lake, dataFolder),
    locks: join(lake, 'locks'),
  }
}
