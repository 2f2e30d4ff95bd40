import { expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { parseConfigText } from '../../src/config/read-config.ts'
import { examineText } from './right-config.ts'

const text = `jobs:
  here: { pipeline: evm-blocks, chain: C }
  there: { pipeline: evm-blocks, chain: "https://rpc.example/\${RPC_KEY}/" }
`

test('the URL of a chain may contain a variable so that no file contains its key', () => {
  const { config, mistakes } = examineText(text, 'chainlake.yaml', pipelines, { RPC_KEY: 'sesame' })
  expect(mistakes).toEqual([])
  expect(JSON.stringify(config?.jobs)).toContain('https://rpc.example/sesame/')
})

test('the error of an unset variable names its place in the file', () => {
  expect(() => examineText(text, 'chainlake.yaml', pipelines, {})).toThrow(
    /^chainlake\.yaml:3:34: jobs\.there\.chain: the environment variable RPC_KEY is not set and has no default\.$/,
  )
})

test('places that do not exist or contain other values stay unchanged', () => {
  for (const value of [7, { jobs: null }, { jobs: { a: null, b: { chain: 5 }, c: [] } }])
    expect(parseConfigText(JSON.stringify(value), 'chainlake.yaml', {}).value).toEqual(value)
})

test('the lake may be named by variables, as a folder and as a database with its password', () => {
  const env = { HOME: '/home/me', PW: 'sesame' }
  const lakeOf = (lake: string) => examineText(`lake: ${lake}\n`, 'chainlake.yaml', pipelines, env).config?.lake
  expect(lakeOf(`"\${HOME}/lake"`)).toBe('/home/me/lake')
  expect(
    lakeOf(`{ catalog: "postgres://me:\${PW}@host/lake", data: "s3://b/\${NONE:-p}", cache: "\${HOME}/c" }`),
  ).toEqual({
    catalog: 'postgres://me:sesame@host/lake',
    data: 's3://b/p',
    cache: '/home/me/c',
  })
  expect(() => lakeOf(`"\${NONE}/lake"`)).toThrow(
    /^chainlake\.yaml:1:1: lake: the environment variable NONE is not set/,
  )
})
