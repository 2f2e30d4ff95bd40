import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { addPackage, manifest, runInstalled, type UnpackedPackage, unpackPackage } from '../unpacked-package.ts'

/** The installed package with all optional packages of this checkout. */
let unpacked: UnpackedPackage
let node: Devnet
const optional = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage', 'avsc', 'pg'] as const
const folderOf = (name: string): string => join(unpacked.project, 'node_modules', name)

beforeAll(async () => {
  unpacked = unpackPackage()
  for (const name of optional) addPackage(unpacked, name)
  node = await startDevnet({ blocks: 40 })
  const ended = await runInstalled(unpacked, 'run', 'p-blocks', '--node-url', node.url, '--lake', 'here')
  expect(ended).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await node.close()
  rmSync(unpacked.project, { recursive: true, force: true })
})

const inPostgres = ['--lake', 'postgres://user@127.0.0.1:1/lake']
const inS3 = ['--lake', 'remote', '--data', 's3://bucket/lake', '--s3-endpoint', 'http://127.0.0.1:1']
const run = (): string[] => ['run', 'p-blocks', '--node-url', node.url]
const aws = 'npm install @aws-sdk/client-s3@3 @aws-sdk/lib-storage@3'

test.each([
  [
    'pg',
    'npm install pg@8',
    () => [
      [...run(), ...inPostgres],
      ['status', ...inPostgres],
    ],
  ],
  ['@aws-sdk/client-s3', aws, () => [[...run(), ...inS3]]],
  ['@aws-sdk/lib-storage', aws, () => [[...run(), ...inS3]]],
  [
    'avsc',
    `npm install avsc@${manifest.devDependencies.avsc}`,
    () => [
      ['publish', 'iceberg', '--lake', 'here'],
      [...run(), '--publish', 'iceberg', '--lake', 'here'],
    ],
  ],
] as const)(
  'without %s, a command that needs it ends with its name and how to install it; the others work',
  async (name, install, needing) => {
    rmSync(folderOf(name))
    try {
      for (const args of needing()) {
        const { code, stdout, stderr } = await runInstalled(unpacked, ...args)
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
        expect(stderr).toMatch(/needs (a package that is|packages that are) not installed\./)
        for (const part of [name, install]) expect(stderr).toContain(part)
        expect(stderr.match(/Cannot find/g)).toHaveLength(1)
        expect(stderr).not.toContain('unexpected')
      }
      for (const args of [
        run(),
        ['status'],
        ['verify'],
        ['publish', 'parquet', '--to', `without-${name.replace('/', '-')}`],
      ])
        expect(await runInstalled(unpacked, ...args, '--lake', 'here')).toMatchObject({ code: 0 })
    } finally {
      addPackage(unpacked, name)
    }
  },
)
