import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { tables } from '../../schemas/index.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { demoQuestions } from '../../src/cli/commands/lake.ts'
import { chainlake } from './in-process.ts'
import * as processes from './spawn.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-cli-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return typeof address === 'object' && address !== null ? address.port : 0
}

describe('help', () => {
  test('lists every command, even without arguments', async () => {
    const [requested, bare] = await Promise.all([chainlake(['--help']), chainlake([])])
    for (const { code, stdout } of [requested, bare]) {
      expect(code).toBe(0)
      for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    }
  })
  test('of a command lists its flags, and no parameters of pipelines', async () => {
    const { code, stdout } = await chainlake(['run', '--help'])
    expect(code).toBe(0)
    for (const flag of ['--node-url', '--service-profile', '--lake', '--follow', '--max-lag', '--json'])
      expect(stdout).toContain(flag)
    expect(stdout).not.toContain('--include-spent')
  })
  test('of a pipeline has a flag for each of its parameters', async () => {
    const { stdout } = await chainlake(['run', 'rest-utxos', '--help'])
    for (const flag of ['--network', '--addresses', '--include-spent']) expect(stdout).toContain(flag)
    expect(stdout).not.toContain('--threshold')
  })
  test('of the demo has the number of its questions', async () => {
    const { stdout } = await chainlake(['demo', '--help'])
    expect(stdout.replace(/\s+/g, ' ')).toContain(`answer ${demoQuestions.length} questions about it`)
  })
  test('the version equals that of package.json', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(await processes.chainlake(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })
})

describe('wrong input ends with a one-line error, a hint and exit code 2', () => {
  test.each([
    [['rnu', 'p-blocks'], /^error: There is no command rnu\.$/m, /Did you mean run\?/],
    [
      ['p-blocks', '--to', '9'],
      /^error: There is no command p-blocks\.$/m,
      /It is a pipeline: `chainlake run p-blocks`/,
    ],
    [['rest-utxos'], /^error: There is no command rest-utxos\.$/m, /It is a pipeline: `chainlake run rest-utxos`/],
    [['run', 'p-blocks', '--node', 'http://x'], /^error: run has no flag --node\.$/m, /Did you mean --node-url\?/],
    [['run', 'p-blocks', '-lake', 'x'], /^error: run has no flag -l\.$/m, /Write --lake\./],
    [
      ['run', 'evm-balances', '--addresses', 'accounts.txt'],
      /^error: --addresses must be 0x and 40 hexadecimal digits/m,
      /write --addresses @accounts\.txt\./,
    ],
    [['sql', 'SELECT', '1'], /^error: sql takes no argument "1"\.$/m, /Put the query into quotes/],
    [
      ['run', 'p-blocks', '--node-url', 'http://127.0.0.1:9650/ext/bc/C/rpc'],
      /^error: --node-url: The URL of a node ends before \/ext/m,
      /belongs in --chain/,
    ],
    [['run', 'p-blocks', '--url', 'http://x'], /^error: run has no flag --url\.$/m, /Did you mean --node-url\?/],
    [['run', 'p-blocks', '-v'], /^error: run has no flag -v\.$/m, /^hint: See `chainlake run --help`\.$/m],
    [['report', '--output', 'x'], /^error: report has no flag --output\.$/m, /Did you mean --out\?/],
    [['-v'], /^error: Name a command before -v\.$/m, /`chainlake --version`/],
    [['version'], /^error: There is no command version\.$/m, /`chainlake --version`/],
    [['run', 'p-blocks,tps'], /^error: There is no pipeline or job "p-blocks,tps"\.$/m, /by spaces: p-blocks tps\.$/m],
    [['run', 'all'], /^error: There is no pipeline or job "all"\.$/m, /^hint: Write --all /m],
    [['run', 'p-blcks'], /^error: There is no pipeline or job "p-blcks"\.$/m, /Did you mean p-blocks\?/],
    [['run'], /^error: No pipeline or job is named\.$/m, /p-blocks/],
    [['run', '--all'], /^error: There are no jobs to run/m, /chainlake init/],
    [['run', 'p-blocks', '--node-ulr', 'x'], /^error: run has no flag --node-ulr\.$/m, /Did you mean --node-url\?/],
    [['run', 'p-blocks', '--hlep'], /^error: run has no flag --hlep\.$/m, /^hint: Did you mean --help\?$/m],
    [
      ['run', 'p-blocks', '--frobnicate'],
      /^error: run has no flag --frobnicate\.$/m,
      /^hint: See `chainlake run --help`\.$/m,
    ],
    [['worker', '--lease', '60s'], /^error: worker has no flag --lease\.$/m, /`chainlake run`\. With --workers:/],
    [['run', 'p-blocks', '--node-url', 'nonsense'], /^error: --node-url: The URL is malformed\.$/m, /http:\/\//],
    [
      ['run', 'p-blocks', '--node-url', 'localhost:9650'],
      /^error: --node-url: The URL does not begin with http:\/\/ or https:\/\/\.$/m,
      /^hint: Write http:\/\/localhost:9650\/\.$/m,
    ],
    [
      ['run', 'p-blocks', '--node-url', 'rpc.example:443/x'],
      /does not begin with/,
      /^hint: Write https:\/\/rpc\.example\/x\.$/m,
    ],
    [['run', 'p-blocks', '--node-url', 'ftp://x'], /^error: --node-url: The URL has the scheme/m, /http:\/\//],
    [['run', 'p-blocks', '--from', '9', '--to', '9'], /^error: The range from 9 to 9 is empty/m, /to must be greater/],
    [['run', 'p-blocks', '--from', '-0'], /^error: --from must be a whole number from 0/m, /First height/],
    [['run', 'p-blocks', '--range', '-5:-9'], /^error: The range from -5 to -9 is empty/m, /to must be greater/],
    [['run', 'p-blocks', '--range', '5'], /^error: --range must be a range such as 1000:2000/m, /from A and to B/],
    [['run', 'p-blocks', '--heights', '1:9'], /--heights\. The bounds of a range are heights/m, /from and to/],
    [['run', 'p-blocks', '--range', '1:2', '--to', '9'], /^error: The job has its range in two ways/m, /one of them/],
    [['run', 'x-vertices', '--from', '2020-01-01'], /^error: --from cannot be a time: what X\/vtx holds/m, /index/],
    [['run', 'p-blocks', '--to', '2026-02-30'], /^error: --to must be a whole .* or a time such as/m, /a height/],
    [['run', 'p-blocks', '--range', '2026-02-01:2026-01-01'], /^error: The range from 2026-02-01 to 2026/m, /greater/],
    [['run', 'p-blocks', '--to', '1e3'], /^error: --to must be a whole number/m, /a height/],
    [['run', 'p-blocks', '--from', '1', '--from', '2'], /^error: --from is given 2 times\.$/m, /once/],
    [['run', 'p-blocks', '--from'], /^error: --from needs a value\.$/m, /run --help/],
    [['sql', '-f'], /^error: -f needs a value\.$/m, /sql --help/],
    [['run', 'p-blocks', '--concurrency', '0'], /^error: --concurrency must be a whole number from 1/m, /digits/],
    [['run', 'p-blocks', '--timeout', 'soon'], /^error: --timeout must be a duration/m, /30s/],
    [['run', 'p-blocks', '--log-level', 'loud'], /^error: --log-level must be one of/m, /Known: debug/],
    [
      ['run', 'p-blocks', '--config', 'nowhere.yaml'],
      /^error: The configuration file nowhere\.yaml/m,
      /chainlake init/,
    ],
    [['describe', 'p_blokcs'], /^error: There is no table, view or pipeline "p_blokcs"\.$/m, /Did you mean p_blocks\?/],
    [
      ['describe'],
      /^error: describe needs an argument: name \(Name of a table, view or pipeline\)\.$/m,
      /describe --help/,
    ],
    [['tables', 'extra'], /^error: tables takes no argument "extra"\.$/m, /tables --help/],
    [['devnet', '--port', '70000'], /^error: --port must be a port, not 70000\.$/m, /65535/],
    [['devnet', '--faults', '5:nonsense'], /^error: There is no fault named nonsense/m, /Name some of/],
    [['run', 'rewards'], /^error: rewards needs --network\.$/m, /describe rewards/],
    [['run', 'rewards', '--network', 'fuji'], /^error: Rewards are listed for addresses or nodes only/m, /node-ids/],
    [
      ['run', 'rewards', '--network', 'fuji', '--addresses', 'P-fuji1x'],
      /^error: --addresses must be an address such as .*, not "P-fuji1x"\.$/m,
      /Addresses of the P- or X-Chain/,
    ],
    [
      ['run', 'rewards', '--network', 'fuji', '--addresses', '@none.txt'],
      /^error: rewards: addresses: the file .*none\.txt cannot be read\.$/m,
      /working directory/,
    ],
    [['run', 'rewards', '--network', 'fuji', '--threshold', '1'], /has the parameter --threshold\.$/m, /holders/],
    [
      ['run', 'rewards', '--network', 'fuji', '--api-key', 'x'],
      /^error: run has no flag --api-key/m,
      /CHAINLAKE_API_KEY/,
    ],
    [
      ['run', 'tps', '--network', 'nowhere', '--chain-id', '1', '--service-profile', 'neutral'],
      /^error: The profile neutral has no URL of the service\.$/m,
      /--data-url/,
    ],
    [
      ['plan', 'rest-chains', '--network', 'nowhere'],
      /^error: The profile devnet does not know the network nowhere\.$/m,
      /networks: \{ nowhere: fuji \}/,
    ],
    [
      ['run', 'rest-chains', '--network', 'fuji', '--service-profile', 'x.yaml'],
      /x\.yaml cannot be read\.$/m,
      /neutral/,
    ],
    [['describe', 'rewrads'], /^error: There is no table, view or pipeline "rewrads"\.$/m, /Did you mean rewards\?/],
    [['sql', 'select 1', '--format', 'xml'], /^error: --format must be one of/m, /csv/],
    [['--lake', 'x'], /^error: /m, /./],
  ])('%j', async (args, message, hint) => {
    const { code, stdout, stderr } = await chainlake(args, { cwd: folder })
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(hint)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })
  test('--json also prints the error on stdout', async () => {
    const { stdout } = await chainlake(['describe', 'p_blokcs', '--json'])
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'config.unknown-table', hint: 'Did you mean p_blocks?' })
  })
  test('only --log-level debug prints a stack', async () => {
    const { stderr } = await chainlake(['describe', 'p_blokcs', '--log-level', 'debug'])
    expect(stderr).toMatch(/\n\s+at /)
  })
  test('an error names the environment variable that caused it', async () => {
    const { code, stderr } = await chainlake(['run', 'p-blocks'], { env: { CHAINLAKE_TRIES: 'few' }, cwd: folder })
    expect(stderr).toMatch(/^error: CHAINLAKE_TRIES must be a whole number/m)
    expect(code).toBe(2)
  })
  test('a port without a server ends with exit code 3 and creates no lake', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const lake = join(folder, 'never')
    const args = ['run', 'p-blocks', '--node-url', url, '--lake', lake, '--tries', '1']
    const { code, stderr } = await processes.chainlake(args)
    expect(stderr).toMatch(/^error: /m)
    expect(stderr).toMatch(/^hint: /m)
    expect(code).toBe(3)
    expect(() => readFileSync(lake)).toThrow(/ENOENT/)
  })
  test.each(['status', 'gaps', 'views', 'sql'])('%s fails if the path of the lake is a file', async (name) => {
    const path = join(folder, 'a-file')
    writeFileSync(path, 'x')
    const query = name === 'sql' ? ['select 1'] : []
    const { code, stderr } = await chainlake([name, ...query, '--lake', path])
    expect(stderr).toMatch(/^error: /m)
    expect(stderr).toMatch(/^hint: /m)
    expect(code).toBe(5)
    expect(readFileSync(path, 'utf8')).toBe('x')
  })
})

test.each(['status', 'gaps', 'views', 'sql'])('%s fails without a lake', async (name) => {
  const query = name === 'sql' ? ['select 1'] : []
  const { code, stderr } = await chainlake([name, ...query, '--lake', join(folder, 'absent')])
  expect(stderr).toMatch(/^error: /m)
  expect(stderr).toMatch(/^hint: /m)
  expect(code).toBe(2)
})

describe('tables and describe', () => {
  test('tables lists every table', async () => {
    const { code, stdout } = await chainlake(['tables', '--json'])
    expect(code).toBe(0)
    const names = JSON.parse(stdout).map(({ name }: { name: string }) => name)
    for (const { name } of tables) expect(names).toContain(name)
  })
  test('describe shows every column with type and comment', async () => {
    const { code, stdout } = await chainlake(['describe', 'p_outputs'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^amount +DECIMAL\(20,0\) +Amount in the least unit/m)
    expect(stdout).toMatch(/^key: network, height, tx_index, output_index$/m)
  })
  test('describe shows the parameters of a pipeline', async () => {
    const { code, stdout } = await chainlake(['describe', 'rewards', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'rewards', kind: 'pipeline', tables: [{ name: 'rest_rewards' }] })
    expect(JSON.parse(stdout).parameters).toContainEqual(
      expect.objectContaining({ name: 'network', kind: 'text', required: true }),
    )
  })
})

describe('init and validate', () => {
  test('init writes a valid file and never overwrites one', async () => {
    const cwd = mkdtempSync(join(folder, 'init-'))
    expect(await chainlake(['validate'], { cwd })).toMatchObject({ code: 2 })
    // Other programs read files of this name.
    writeFileSync(join(cwd, 'chainlake.yml'), '')
    const renamed = /^hint: There is a chainlake\.yml: rename it/m
    expect((await chainlake(['validate'], { cwd })).stderr).toMatch(renamed)
    expect((await chainlake(['run', '--all'], { cwd })).stderr).toMatch(renamed)
    expect(await chainlake(['init'], { cwd })).toMatchObject({ code: 0 })
    const text = readFileSync(join(cwd, 'chainlake.yaml'), 'utf8')
    expect(parse(text).jobs['p-chain']).toEqual({ pipeline: 'p-blocks' })
    expect(readFileSync(/\$schema=(\S+)/.exec(text)?.[1] ?? '', 'utf8')).toContain('node-url')
    const checked = await chainlake(['validate', '--json'], { cwd })
    expect(checked.code).toBe(0)
    expect(JSON.parse(checked.stdout)).toMatchObject({ nodeUrl: 'http://127.0.0.1:9650', lake: join(cwd, 'output') })
    const again = await chainlake(['init'], { cwd })
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/already exists/)
    expect(readFileSync(join(cwd, 'chainlake.yaml'), 'utf8')).toBe(text)
  })
  test('the example of the simulated network is valid', async () => {
    const { code, stdout } = await chainlake(['validate', '--config', 'examples/devnet.yaml'])
    expect(stdout).toMatch(/^examples\/devnet\.yaml is valid\.$/m)
    expect(stdout).toMatch(/^ {4}balances: \{"pipeline":"balances"/m)
    expect(code).toBe(0)
  })
  test('validate shows the catalog and the files of a lake in PostgreSQL, without the password', async () => {
    const path = join(folder, 'shared.yaml')
    writeFileSync(path, 'lake: { catalog: "postgresql://me:open-sesame@db/chain", data: "s3://bucket/chain" }\n')
    const { stdout } = await chainlake(['validate', '--config', path])
    expect(stdout).toMatch(/^ {2}lake: postgresql:\/\/\S*db\/chain, files in s3:\/\/bucket\/chain$/m)
    expect(stdout).not.toContain('open-sesame')
  })
  test('validate shows where a key comes from but never the key', async () => {
    const path = join(folder, 'key.yaml')
    writeFileSync(
      path,
      [
        'node-url: http://me:open-sesame@node:9650/',
        'service: { profile: public, key-env: OWN }',
        `services: { own: { url: "https://me:\${OWN}@host/v1?key=\${OWN}", headers: { key: "\${OWN}" } } }`,
        'jobs:',
        `  evm: { pipeline: evm-blocks, chain: "https://me:\${OWN}@rpc.example/rpc?key=\${OWN}", ws-url: "wss://me:\${OWN}@host" }`,
        '',
      ].join('\n'),
    )
    const env = { CHAINLAKE_API_KEY: 'open-sesame', OWN: 'open-sesame' }
    for (const more of [[], ['--json']]) {
      const { code, stdout, stderr } = await chainlake(['validate', '--config', path, ...more], { env })
      expect(stdout).toContain('CHAINLAKE_API_KEY')
      expect(stdout).toContain('http://node:9650')
      expect(stdout).toContain('https://rpc.example/rpc?…')
      expect(stdout + stderr).not.toContain('sesame')
      expect(code).toBe(0)
    }
  })
  test('validate checks rules over several parameters of a job', async () => {
    const path = join(folder, 'rules.yaml')
    writeFileSync(
      path,
      'jobs:\n  mine: { pipeline: rest-utxos, network: fuji, blockchain: p-chain, asset-id: FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z }\n',
    )
    const { code, stderr } = await chainlake(['validate', '--config', path])
    expect(stderr).toMatch(/^error: .*asset.*X-Chain only\.$/m)
    expect(code).toBe(2)
  })
  test('validate shows the line and column of a mistake', async () => {
    const path = join(folder, 'wrong.yaml')
    writeFileSync(path, 'lake: x\njbos: {}\n')
    const { code, stderr } = await chainlake(['validate', '--config', path])
    expect(stderr).toContain(`${path}:2:1: jbos is not known.`)
    expect(stderr).toContain('hint: Did you mean jobs?')
    expect(code).toBe(2)
  })
  test('the environment overrides the file', async () => {
    const path = join(folder, 'order.yaml')
    writeFileSync(path, 'node-url: http://file:1\nlake: from-file\nmax-lag: 5s\ntries: 3\n')
    const env = { CHAINLAKE_CONFIG: path, CHAINLAKE_NODE_URL: 'http://environment:2', CHAINLAKE_MAX_LAG: '7' }
    const of = async (more: Record<string, string>) =>
      JSON.parse((await chainlake(['validate', '--json'], { cwd: folder, env: { ...env, ...more } })).stdout)
    expect(await of({})).toMatchObject({
      nodeUrl: 'http://environment:2',
      lake: join(folder, 'from-file'),
      maxLagMs: 7_000,
      tries: 3,
    })
    expect(await of({ CHAINLAKE_LAKE: 'from-environment' })).toMatchObject({ lake: join(folder, 'from-environment') })
  })
})

describe('completion', () => {
  test('prints a script', async () => {
    const { code, stdout } = await chainlake(['completion'])
    expect(code).toBe(0)
    expect(stdout).toContain('complete -o default -F _chainlake chainlake')
  })
  test.each([
    [['ru'], ['run']],
    [['describe', 'p_in'], ['p_inputs']],
    [
      ['run', 'p-'],
      ['p-blocks', 'p-fees'],
    ],
    [
      ['run', '--node-'],
      ['--node-url', '--node-ids'],
    ],
    [
      ['describe', 'rew'],
      ['rewards-utxos', 'rewards'],
    ],
  ])('%j', async (words, expected) => {
    const { stdout } = await chainlake(['--complete', ...words])
    expect(stdout.trim().split('\n')).toEqual(expected)
  })
})

test('help starts fast', async () => {
  const fastest = async (start: () => Promise<unknown>): Promise<number> => {
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const startedMs = performance.now()
      await start()
      times.push(performance.now() - startedMs)
    }
    return Math.min(...times)
  }
  // 40 ms on an idle machine; a busy machine needs more.
  const bare = await fastest(() => promisify(execFile)(process.execPath, ['-e', '0']))
  expect(await fastest(() => processes.chainlake(['--help']))).toBeLessThan(300 + 15 * bare)
})
