import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../devnet/serve.ts'
import { packageRoot } from '../src/lib/package.ts'
import { openDoor } from './run/door.ts'
import { addPackage, runInstalled, runNode, type UnpackedPackage, unpackPackage } from './unpacked-package.ts'

let unpacked: UnpackedPackage
let node: Devnet
beforeAll(async () => {
  unpacked = unpackPackage()
  node = await startDevnet({ blocks: 4_300 })
})
afterAll(async () => {
  await node.close()
  rmSync(unpacked.project, { recursive: true, force: true })
})

/** A program that exports P-Chain blocks and prints the error of the run. */
const program = `
  import { readFileSync } from 'node:fs'
  import * as chainlake from 'chainlake'
  // Threads have files of their own: this one, and those that it imports.
  const ofThreads = 'slice-thread.js ' + readFileSync(new URL('bundle/slice-thread.js', import.meta.resolve('chainlake')), 'utf8')
  const [nodeUrl, folder, threads, values] = process.argv.slice(2)
  const pipeline = chainlake.pipelines.find(({ name }) => name === 'p-blocks')
  try {
    const { jobs } = await chainlake.runPipelines({
      nodeUrl,
      lake: { folder },
      threads: Number(threads),
      tries: 1,
      jobs: [{ name: 'blocks', pipeline, values: JSON.parse(values) }],
      stop: new AbortController().signal,
      emit: () => {},
    })
    console.log(JSON.stringify({ records: jobs[0].records }))
  } catch (error) {
    const classes = Object.keys(chainlake).filter((name) => name.endsWith('Error') && error instanceof chainlake[name])
    console.log(JSON.stringify({ classes, code: error.code, isOfThread: ofThreads.includes(/bundle\\/([^/]+\\.js)/.exec(error.stack)?.[1]) }))
  }`

describe('a program that runs pipelines through the library', () => {
  let lakes = 0
  const runProgram = async (threads: number, values: object, { url }: { readonly url: string } = node) => {
    writeFileSync(join(unpacked.project, 'program.mjs'), program)
    const args = ['program.mjs', url, `lake-${lakes++}`, String(threads), JSON.stringify(values)]
    const { stdout, stderr } = await runNode(unpacked, args)
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
  test.each([1, 2])('exports blocks in %i threads', async (threads) => {
    expect(await runProgram(threads, { unit: 512 })).toEqual({ records: 4_300 })
  })

  test.each([1, 2])('catches the error of a unit by its classes in %i threads', async (threads) => {
    const door = await openDoor(node, ({ params }) => (Number(params['startIndex']) >= 700 ? { status: 500 } : null))
    const classes = ['ChainlakeError', 'HttpError', 'TransportError']
    expect(await runProgram(threads, { unit: 512 }, door)).toMatchObject({ classes, isOfThread: threads > 1 })
    await door.close()
  })

  test('catches the error of a damaged container', async () => {
    node.setFaults({ every: 1, kinds: ['wrong-checksum'], pathPrefix: '/ext/index/' })
    expect(await runProgram(1, {})).toMatchObject({ classes: ['ChainlakeError', 'DecodeError'] })
    node.setFaults(null)
  })

  test('catches an error in its own parameters', async () => {
    expect(await runProgram(1, { from: 7, to: 3 })).toMatchObject({ classes: ['ChainlakeError', 'ConfigError'] })
  })
})

test('senders are recovered without the native addon', async () => {
  const range = ['--from', '0', '--to', '300', '--node-url', node.url, '--lake', 'senders', '--log-level', 'error']
  const ended = await runInstalled(unpacked, 'run', 'c-blocks', '--senders', ...range)
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const count = ['sql', 'select count(*) > 0 as n from c_senders', '--lake', 'senders', '--format', 'csv']
  expect((await runInstalled(unpacked, ...count)).stdout).toBe('n\ntrue\n')
})

test.each(['gas-price', 'block-list', 'gas-by-block'])(
  'the example %s runs with the installed package',
  async (project) => {
    // Outside of the package, with nothing but the command that knows where chainlake is.
    const folder = mkdtempSync(join(tmpdir(), 'chainlake-example-'))
    cpSync(join(packageRoot(), 'examples/pipelines', project), folder, { recursive: true })
    const args = ['--config', join(folder, 'chainlake.yaml'), '--lake', join(folder, 'lake'), '--log-level', 'error']
    const from = ['--node-url', node.url, '--data-url', node.url]
    const ended = await runInstalled(unpacked, 'run', '--all', ...args, ...from)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/[1-9][\d,]* (row|block)/)
  },
)

test('a strict TypeScript program without `skipLibCheck` compiles against the declarations of the package', async () => {
  addPackage(unpacked, '@types/node')
  writeFileSync(
    join(unpacked.project, 'typed.mts'),
    `import { ChainlakeError, type Job, p, pipeline, pipelines, type RunSummary, runPipelines, table, t, tables } from 'chainlake'
    const job: Job = { name: 'mine', pipeline: pipelines[0]!, values: { from: 0, to: 1000 } }
    export const code = (error: unknown): string | null => (error instanceof ChainlakeError ? error.code : null)
    export const column: string = tables[0]!.columns['network']!.comment
    export const things = table({
      ...{ name: 'things', comment: 'Things.', key: ['network'], sortBy: [], partitionBy: [] },
      columns: { network: t.text('Network.') },
    })
    export const summary: RunSummary = await runPipelines({
      ...{ nodeUrl: 'http://127.0.0.1:9650', lake: { folder: './output' }, jobs: [job], stop: new AbortController().signal },
      emit: (event) => console.error(event.kind),
    })
    export const mine = [p, pipeline]
    // @ts-expect-error The name of a pipeline is a string.
    export const wrong: number = pipelines[0]!.name
    `,
  )
  const options = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--noEmit', '--types', 'node']
  const target = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2023']
  const compiler = join(packageRoot(), 'node_modules/typescript/bin/tsc')
  const { stdout } = await runNode(unpacked, [compiler, ...options, ...target, 'typed.mts'])
  expect(stdout).toBe('')
})
