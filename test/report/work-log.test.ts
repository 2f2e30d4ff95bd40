import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appendWork, createWorkRecorder, workLogPath } from '../../src/report/work-log.ts'

test('requests, retries and refusals count for their host, and the lag is that of the first plan', () => {
  const { onEvent, entry } = createWorkRecorder()
  expect(entry()).toBe(null)
  onEvent({ kind: 'planned', pipeline: 'p-blocks', units: 1, record: 'block', records: 500, head: 499 })
  onEvent({ kind: 'planned', pipeline: 'p-blocks', units: 1, record: 'block', records: 3, head: 502 })
  for (const host of ['https://a.example', 'https://a.example', 'http://b.example:9650'])
    onEvent({ kind: 'requests', host, requests: 2, units: 10 })
  onEvent({ kind: 'retry', url: 'https://a.example/v1/x', attempt: 1, waitMs: 1500, reason: 'HTTP 429' })
  onEvent({ kind: 'retry', url: 'https://a.example/v1/x', attempt: 1, waitMs: 500, reason: 'HTTP 503' })
  onEvent({ kind: 'stored', snapshotId: 1, parts: [], seconds: 0.25 })
  onEvent({ kind: 'published', snapshotId: 1, seconds: 0.5 })
  expect(entry()).toEqual({
    started: expect.any(String),
    ended: expect.any(String),
    commits: 1,
    commitSeconds: 0.25,
    publications: 1,
    publicationSeconds: 0.5,
    lag: 500,
    hosts: [
      { host: 'https://a.example', requests: 4, units: 20, retries: 2, refusals: 1, waitSeconds: 2 },
      { host: 'http://b.example:9650', requests: 2, units: 10, retries: 0, refusals: 0, waitSeconds: 0 },
    ],
  })
})

test('a long log drops its older half, and a log that cannot be written is reported', async () => {
  const lake = mkdtempSync(join(tmpdir(), 'chainlake-work-'))
  onTestFinished(() => rmSync(lake, { recursive: true, force: true }))
  const { onEvent, entry } = createWorkRecorder()
  onEvent({ kind: 'published', snapshotId: 1, seconds: 0.5 })
  writeFileSync(workLogPath(lake), `${JSON.stringify({ started: 'long ago'.repeat(20) })}\n`.repeat(7_000))
  const told: Error[] = []
  await appendWork(lake, entry()!, (error) => told.push(error))
  expect(statSync(workLogPath(lake)).size).toBeLessThan(700_000)
  expect(readFileSync(workLogPath(lake), 'utf8')).toMatch(/"publicationSeconds":0.5,"lag":0,"hosts":\[\]}\n$/)
  await appendWork(join(lake, 'none'), entry()!, (error) => told.push(error))
  expect(told.map(({ message }) => message.split(':')[0])).toEqual(['ENOENT'])
})
