import { describe, expect, test } from 'vitest'
import { answerText } from '../../../src/cli/terminal/answer.ts'
import { textColumns } from '../../../src/cli/terminal/status-lines.ts'
import { coloured, terminalOf } from '../../../src/cli/terminal/terminal.ts'
import type { Cell } from '../../../src/views/query.ts'

function answer(columns: readonly (readonly [name: string, type: string])[], rows: readonly (readonly Cell[])[]) {
  async function* chunks() {
    yield rows
  }
  return { columns: columns.map(([name, type]) => ({ name, type })), chunks: chunks() }
}

const plain = (columns: number) => terminalOf({ isTTY: true, columns }, { NO_COLOR: '1' })!

describe('an answer in a terminal', () => {
  const columns = [
    ['height', 'UBIGINT'],
    ['block_id', 'VARCHAR'],
    ['memo', 'VARCHAR'],
    ['amount', 'DECIMAL(38,0)'],
  ] as const
  const rows: Cell[][] = [
    [
      1,
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      null,
      '340282366920938463463374607431768211455',
    ],
    [22, 'bb', '価格\nの', '5'],
  ]

  test('has numbers to the right, and cuts texts but no numbers', async () => {
    expect(await answerText(answer(columns, rows), plain(80))).toMatchInlineSnapshot(`
      "height  block_id                memo                                      amount
           1  aaaaaaaaaaaaaaaaaaaaa…  null     340282366920938463463374607431768211455
          22  bb                      価格 の                                        5
      (2 rows)"
    `)
  })

  test('leaves out columns in the middle where cutting is not enough, and says so', async () => {
    const many = Array.from({ length: 30 }, (_, at) => [`column_${at}`, 'VARCHAR'] as const)
    const text = await answerText(answer(many, [many.map(([name]) => `${name} of a row`)]), plain(60))
    expect(text).toMatchInlineSnapshot(`
      "column_0   column_1    column_2    …  column_28   column_29
      column_0…  column_1 …  column_2 …  …  column_28…  column_29…
      (1 row, 30 columns, 5 shown: .mode line or --format line shows all)"
    `)
    for (const line of text.split('\n').slice(0, -1)) expect(textColumns(line)).toBeLessThanOrEqual(60)
  })

  test('shows the first and the last rows, and how many there are', async () => {
    const long = Array.from({ length: 1_000 }, (_, at) => [at])
    const lines = (await answerText(answer([['n', 'BIGINT']], long), plain(80))).split('\n')
    expect(lines).toHaveLength(43)
    expect([lines[1], lines[20], lines[21], lines[22], lines.at(-1)]).toEqual([
      '  0',
      ' 19',
      '  …',
      '980',
      '(1,000 rows, 40 shown)',
    ])
  })

  test('dims nulls, unless NO_COLOR is set', async () => {
    const coloured = terminalOf({ isTTY: true, columns: 80 }, {})!
    const one = () => answer([['a', 'VARCHAR']], [[null], ['null']])
    expect(await answerText(one(), coloured)).toBe('a\n\u001b[2mnull\u001b[22m\nnull\n(2 rows)')
    expect(await answerText(one(), plain(80))).toBe('a\nnull\nnull\n(2 rows)')
  })
})

test.each<[variables: NodeJS.ProcessEnv, isTTY: boolean, shown: boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ CLICOLOR: '0' }, true, false],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ CLICOLOR_FORCE: '1', NO_COLOR: '1' }, false, true],
])('%j, terminal: %j: colours are shown: %j', (env, isTTY, shown) => {
  const text = 'error: no\n  fact: 1\nhint: do\nnote  clock: error: in a line'
  const expected =
    '\u001b[1;31merror\u001b[0m: no\n  fact: 1\n\u001b[36mhint\u001b[0m: do\n\u001b[33mnote\u001b[0m  clock: error: in a line'
  expect(coloured(text, { isTTY }, env)).toBe(shown ? expected : text)
})

test('a file or a pipe is no terminal', () => {
  expect(terminalOf({ columns: 80 }, {})).toBeNull()
  expect(terminalOf({ isTTY: false }, {})).toBeNull()
})
