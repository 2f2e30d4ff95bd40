export type Retry = {
  /** Redacted. */
  readonly url: string
  /** The try that failed, from 1. */
  readonly attempt: number
  readonly waitMs: number
  readonly reason: string
}
