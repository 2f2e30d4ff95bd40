import type { GivenStorage } from '../../store/given-storage.ts'

/** Where a lake lies, as its user says it. What a catalog records of an existing lake complements it. */
export type LakeLocation = GivenStorage & {
  /** Folder of the lake; a relative path starts at the working directory. */
  readonly folder: string
}
