import { randomInt } from 'node:crypto'

const idForm = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z[0-9a-z]+$/

/** Makes a run id such as `20261121T104500123Zk3f9x2`. Ids sort by start time, contain no `-`, and are part of file names. */
export function newRunId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')
  const random = Array.from({ length: 6 }, () => randomInt(36).toString(36)).join('')
  return `${time}${random}`
}

/** The time in a run id, in milliseconds since 1970 UTC; null if the id is invalid. */
export function runIdTime(id: string): number | null {
  const [, year, month, day, hour, minute, second, ms] = idForm.exec(id) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(time) ? null : time
}
