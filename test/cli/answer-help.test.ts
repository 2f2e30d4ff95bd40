import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pipelines as declaredPipelines } from '../../pipelines/index.ts'
import { commandGroups, commands } from '../../src/cli/commands/index.ts'
import { pipelineExamples } from '../../src/cli/commands/pipeline-description.ts'
import { helpWords } from '../../src/cli/flags/command.ts'
import { parseCommandLine } from '../../src/cli/flags/parser.ts'
import { exitCodes, helpText } from '../../src/cli/help.ts'
import { parseParameter } from '../../src/cli/jobs/jobs.ts'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import type { Parameter } from '../../src/define/index.ts'
import * as errors from '../../src/errors.ts'
import { chainlake } from './in-process.ts'

const pipelines = [...declaredPipelines, ...shippedLists()]
const help = (line: string, width = 110) => helpText(line === '' ? [] : line.split(' '), commandGroups, width)

describe('help looks as it did before', () => {
  test.each([
    ['', 80],
    ['', 110],
    ['run', 110],
    ['gaps', 80],
    ['pipelines', 80],
    ['run evm-logs', 80],
    ['run p-blocks', 110],
    ['plan rewards', 110],
  ])('chainlake help %s, %d columns', async (line, width) => {
    const name = `${line === '' ? 'chainlake' : line.replaceAll(' ', '-')}-${width}.txt`
    const text = await help(line, width)
    await expect(`${text}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'snapshots', name))
  })

  test.each(['', ...commands.map(({ name }) => name), 'run rewards'])('help %s fits 80 columns', async (line) => {
    const lines = (await help(line, 80)).split('\n')
    // Examples are not broken, so that they can be copied.
    const long = lines.filter((text) => text.length > 80 && !text.startsWith('  chainlake '))
    expect(long).toEqual([])
  })
})

describe('the words that help is about', () => {
  test.each([
    [[], []],
    [['--help'], []],
    [['-h'], []],
    [['help'], []],
    [['help', 'run'], ['run']],
    [['run', '--help'], ['run']],
    [
      ['run', 'p-blocks', '--from', '3', '-h'],
      ['run', 'p-blocks', '--from', '3'],
    ],
    [['run', 'p-blocks'], null],
    [['--'], null],
    [['sql', '--', '--help'], null],
  ])('%j', (argv, words) => expect(helpWords(argv)).toEqual(words))

  test('help of a pipeline is found by its name, also among flags, and for each command that takes jobs', async () => {
    const expected = await help('run p-blocks')
    expect(await help('p-blocks')).toBe(expected)
    expect(await help('run --follow p-blocks --from 3')).toBe(expected)
    expect(await help('doctor p-blocks')).toBe(
      expected
        .replace('chainlake run p-blocks', 'chainlake doctor p-blocks')
        .replace('`chainlake run --help`', '`chainlake doctor --help`'),
    )
    expect(await help('run --lake p')).toBe(await help('run'))
  })

  test('a job of chainlake.yaml has the help of its pipeline', async () => {
    const { code, stdout } = await chainlake(['run', 'tokens', '--help', '--config', 'examples/devnet.yaml'])
    expect(code).toBe(0)
    expect(stdout).toContain('tokens: a job of chainlake.yaml, pipeline token-transfers.')
    expect(stdout).toContain('chainlake run tokens --follow')
  })

  test.each([
    [['help', 'rnu'], 'There is no command or pipeline rnu.', 'Did you mean run?'],
    [['run', 'p-blcks', '--help'], 'There is no pipeline or job "p-blcks".', 'Did you mean p-blocks?'],
  ])('%j is refused', async (argv, message, hint) => {
    const { code, stderr } = await chainlake(argv)
    expect({ code, stderr }).toEqual({ code: 2, stderr: `error: ${message}\nhint: ${hint}\n` })
  })

  test('help is printed also with flags that the command does not have', async () => {
    expect(await chainlake(['gaps', '--frobnicate', '--help'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('examples', () => {
  /** Splits a line as a shell does, without redirections. */
  const wordsOf = (line: string) =>
    [...line.replace(/ > .*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  const parsed = async (line: string) => {
    const [program, ...argv] = wordsOf(line)
    expect(program).toBe('chainlake')
    return helpWords(argv) === null ? parseCommandLine(argv, commands, async () => pipelines) : null
  }

  test.each(commands.map(({ name, examples }) => [name, examples] as const))(
    'of the command %s are command lines',
    async (_, examples) => {
      expect(examples.length).toBeGreaterThan(0)
      for (const { line } of examples.filter((each) => !each.line.startsWith('source '))) await parsed(line)
    },
  )
  test.each(pipelines.map((pipeline) => [pipeline.name, pipeline] as const))(
    'of the pipeline %s are three command lines with values that it takes',
    async (_, pipeline) => {
      const examples = pipelineExamples(pipeline)
      expect(examples).toHaveLength(3)
      for (const { line } of examples) {
        const chosen = await parsed(line)
        if (chosen === null || !chosen.command.takesJobs) continue
        for (const [name, parameter] of Object.entries<Parameter>(pipeline.parameters)) {
          const given = chosen.args.flags[name]
          if (given !== undefined && given !== null) parseParameter(name, parameter, given as string | boolean)
          else expect(`${name} ${parameter.required}`).toBe(`${name} false`)
        }
      }
    },
  )
})

test('the value of a flag before the command may be the name of a command', async () => {
  for (const argv of [
    ['--lake', 'demo', 'status', '--streams'],
    ['status', '--lake', 'demo', '--streams'],
  ]) {
    const chosen = await parseCommandLine(argv, commands, async () => pipelines)
    expect(chosen).toMatchObject({ command: { name: 'status' }, args: { flags: { lake: 'demo', streams: true } } })
  }
})

test('exit codes of errors are in the table of exit codes', () => {
  const made = [
    new errors.ConfigError(''),
    new errors.DefinitionError(''),
    new errors.TransportError(''),
    new errors.DecodeError(''),
    new errors.SchemaError(''),
    new errors.CatalogError(''),
    new errors.StorageError(''),
    new errors.VerifyError(''),
    new errors.PostponedError('', new Date(0)),
    new errors.StreamTakenError('', []),
  ]
  const known = exitCodes.map(({ code }) => code)
  expect(made.map(({ exitCode }) => String(exitCode)).filter((code) => !known.includes(code))).toEqual([])
})

test('pipelines lists every pipeline, and has them as JSON', async () => {
  const { stdout } = await chainlake(['pipelines'])
  const { stdout: json } = await chainlake(['pipelines', '--json'])
  const names = JSON.parse(json).map(({ name }: { name: string }) => name)
  expect(names).toEqual(pipelines.map(({ name }) => name))
  for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
})
