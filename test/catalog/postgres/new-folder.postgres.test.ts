import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { command, newLake } from '../../run/lake-run.ts'
import { accessKey, startS3Server } from '../../store/s3-server.ts'
import { newPlace } from './database.ts'

describe('a lake in PostgreSQL with its files in S3, on a machine without its folder', () => {
  const env = { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: 'secret', AWS_EC2_METADATA_DISABLED: 'true' }
  let node: Devnet
  let s3: Awaited<ReturnType<typeof startS3Server>>
  let lake: (folder: string) => string[]
  beforeAll(async () => {
    node = await startDevnet({ seed: 7, blocks: 60 })
    s3 = await startS3Server()
    const { folder, url } = await newPlace()
    const at = ['--data', 's3://lake/files', '--s3-endpoint', s3.url, '--s3-path-style', 'true']
    lake = (other) => ['--lake', url, '--folder', other, ...at]
    const line = ['run', 'p-blocks', '--raw', '--unit', '20', '--node-url', node.url, '--log-level', 'error']
    const { code, stderr } = await command([...line, ...lake(folder)], env)
    expect(code, stderr).toBe(0)
  })
  afterAll(async () => {
    await s3.close()
    await node.close()
  })

  const newFile = () => join(dirname(newLake()), 'file')
  const lines: readonly (readonly [line: string, args: () => string[]])[] = [
    ['status', () => ['status']],
    ['gaps', () => ['gaps']],
    ['verify --fast', () => ['verify', '--fast']],
    ['verify', () => ['verify']],
    ['verify --node', () => ['verify', '--node', node.url]],
    ['verify --certificate', () => ['verify', '--certificate', newFile()]],
    ['doctor', () => ['doctor', 'p-blocks', '--node-url', node.url]],
    ['plan', () => ['plan', 'p-blocks', '--node-url', node.url]],
    ['compact', () => ['compact']],
    ['expire', () => ['expire', '--older-than', '1d']],
    ['repair', () => ['repair']],
    ['backup', () => ['backup', newLake()]],
    ['views', () => ['views']],
    ['run', () => ['run', 'p-blocks', '--raw', '--node-url', node.url]],
  ]
  test.each(lines)('%s', async (_, args) => {
    const folder = newLake()
    expect(existsSync(folder)).toBe(false)
    const { code, stdout, stderr } = await command([...args(), ...lake(folder)], env)
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: expect.not.stringMatching(/ENOENT|unexpected/) })
  })

  test('sql and report say that the folder has no views, and work once the views are written', async () => {
    const folder = newLake()
    const both = () =>
      Promise.all(
        [
          ['sql', 'SELECT count(*) AS blocks FROM p_blocks'],
          ['report', '--out', newFile()],
        ].map((args) => command([...args, ...lake(folder)], env)),
      )
    for (const { code, stderr } of await both())
      expect([code, stderr]).toEqual([2, expect.stringMatching(/no views to query[\s\S]*chainlake views/)])
    expect((await command(['views', ...lake(folder)], env)).code).toBe(0)
    const [sql, report] = await both()
    expect([sql?.code, sql?.stdout], sql?.stderr).toEqual([0, expect.stringMatching(/^ *60$/m)])
    expect(report?.code, report?.stderr).toBe(0)
  })
})
