import type { LakeSnapshot } from '../model.ts'
import type { Certificate } from './certificate.ts'
import type { Finding, Remark } from './finding.ts'

/** What a verification looked at, and what it found. */
export type VerifyReport = {
  readonly lake: string
  readonly snapshot: LakeSnapshot
  /** `fast`: sizes, metadata and statistics of files only; `against`: rows are compared with a certificate. */
  readonly mode: 'full' | 'fast' | 'against'
  readonly findings: readonly Finding[]
  readonly remarks: readonly Remark[]
  readonly checked: {
    readonly tables: number
    readonly files: number
    readonly bytes: number
    readonly rows: number
  }
  /** Of what is there; null when none was asked for, or when something is wrong. */
  readonly certificate: Certificate | null
  /** Hashes that were taken of files of older versions, and stand in the catalog from now on. */
  readonly hashesRecorded: number
  readonly seconds: number
}
