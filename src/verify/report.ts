import type { LakeSnapshot } from '../model.ts'
import type { Certificate } from './certificate/certificate.ts'
import type { Finding, Remark, Unverifiable } from './lake/finding.ts'

/** What a verification looked at, and what it found. */
export type VerifyReport = {
  readonly lake: string
  readonly snapshot: LakeSnapshot
  /** `fast`: sizes, metadata and statistics of files only; `against`: rows are compared with a certificate. */
  readonly mode: 'full' | 'fast' | 'against'
  readonly findings: readonly Finding[]
  readonly remarks: readonly Remark[]
  /** What could not be verified here, table by table; empty with `fast` and `against`, which do not compare rows with each other. */
  readonly unverifiable: readonly Unverifiable[]
  readonly checked: {
    readonly tables: number
    readonly files: number
    readonly bytes: number
    readonly rows: number
  }
  /** Of what is there; null when none was asked for, or when something is wrong. */
  readonly certificate: Certificate | null
  readonly seconds: number
}
