import type { LakeSnapshot } from '../model.ts'
import type { Certificate } from './certificate/certificate.ts'
import type { Finding, Remark, Unverifiable } from './lake/finding.ts'

/** The scope of a verification and its findings. */
export type VerifyReport = {
  readonly lake: string
  readonly snapshot: LakeSnapshot
  /**
   * `full` checks everything. `fast` checks only sizes, metadata and statistics of files. `since` does the same for the files that a
   * certificate names, and checks everything else. `against` compares rows with a certificate.
   */
  readonly mode: 'full' | 'fast' | 'since' | 'against'
  readonly findings: readonly Finding[]
  readonly remarks: readonly Remark[]
  /**
   * What could not be verified, by table. With `fast` only what was not compared with a node; with `against` nothing. Neither mode compares
   * rows with each other.
   */
  readonly unverifiable: readonly Unverifiable[]
  readonly checked: CheckedFiles
  /** With `since`: the files that the certificate covers. `verify` checked their sizes, metadata and statistics; it did not read their rows. */
  readonly known?: CheckedFiles
  /** The certificate of the rows in the lake; null without `certifying`, or when something is wrong. */
  readonly certificate: Certificate | null
  readonly seconds: number
}

export type CheckedFiles = {
  readonly tables: number
  readonly files: number
  readonly bytes: number
  readonly rows: number
}
