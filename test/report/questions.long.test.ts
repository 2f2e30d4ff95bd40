import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { derivedViews } from '../../schemas/views/index.ts'
import { reportData } from '../../src/report/make-report.ts'
import { type LakeReading, readLake } from '../../src/report/page-data.ts'
import { type Asking, grainFor, type Question, shownColumn, sqlOf } from '../../src/report/question.ts'
import { chainGroups, efforts, growth, newest, totals, work } from '../../src/report/questions.ts'
import { workLogPath } from '../../src/report/work-log.ts'
import { readViewQuery } from '../../src/views/lake-scripts.ts'
import { emptyLake, reportFolder, smallLake } from './lakes.ts'

const nowMs = Date.parse('2026-11-22T15:00:00Z')
const all: readonly Question[] = [
  ...chainGroups.flatMap(({ questions }) => questions),
  ...growth,
  ...work,
  ...efforts,
  newest,
  totals,
]
const about = { network: "'local'", since: "DATE '2000-01-01'", nowMs, log: '' }
const grains = ['minute', 'month'] as const
const folder = reportFolder()
const lakes = { empty: '', small: '' }

beforeAll(async () => {
  lakes.empty = await emptyLake(folder)
  lakes.small = await smallLake(folder)
})

describe.each(['empty', 'small'] as const)('the queries on the %s lake', (name) => {
  test('return the columns of their pictures and units, with the kinds that the pictures need', async () => {
    const wrong = await readLake({ folder: lakes[name] }, async (lake) => {
      const found: string[] = []
      for (const question of all) for (const grain of grains) found.push(...(await mistakes(lake, question, grain)))
      return found
    })
    expect(wrong).toEqual([])
  })
})

async function mistakes(lake: LakeReading, question: Question, grain: Asking['grain']): Promise<string[]> {
  const { id, time, units = {}, picture = { kind: 'list' } } = question
  const { columns } = await lake.ask(sqlOf(question, { ...about, grain, log: workLogPath(lakes.small) }))
  if (time !== undefined) await lake.ask(`SELECT min(${time.column}) FROM ${time.from}`)
  const kinds = new Map(columns.map(({ name, type }) => [name, shownColumn(name, type, question).kind.as as string]))
  const { kind: _, rest: __, below: ___, ...parts } = { rest: '', below: '', ...picture }
  const wanted = Object.entries(parts).flatMap(([part, names]) =>
    [names].flat().map((name) => {
      const found = kinds.get(name) ?? 'missing'
      const fits = part === 'time' ? ['time'] : part.startsWith('value') ? ['whole', 'number'] : ['text']
      return fits.includes(found) ? [] : [`${id}: ${part} ${name} is ${found}`]
    }),
  )
  return [...wanted.flat(), ...Object.keys(units).flatMap((name) => (kinds.has(name) ? [] : [`${id}: no ${name}`]))]
}

test('no query and no view counts distinct values, because DuckDB keeps all of them in memory', async () => {
  const questions = all.map(
    (question) => [question.id, sqlOf(question, { ...about, grain: 'month', log: workLogPath(lakes.small) })] as const,
  )
  const views = await Promise.all(derivedViews.map(async (view) => [view.name, await readViewQuery(view)] as const))
  const counting = [...questions, ...views].filter(([, text]) => /count\(\s*distinct/i.test(text))
  expect(counting.map(([id]) => id)).toEqual([])
})

test.each([
  ['p-kinds', 'SELECT tx_type, sum(transaction_count)::BIGINT, sum(burned)::DECIMAL(38,0) FROM p_daily GROUP BY ALL'],
  ['x-kinds', 'SELECT tx_type, sum(transaction_count)::BIGINT, sum(burned)::DECIMAL(38,0) FROM x_daily GROUP BY ALL'],
  [
    'p-stake',
    `SELECT date_trunc('month', event_time AT TIME ZONE 'UTC'), event, count(*), sum(weight)::DECIMAL(38,0)
     FROM (
       SELECT active_from AS event_time, 'started' AS event, weight FROM p_stakers WHERE stake_avax IS NOT NULL
       UNION ALL
       SELECT active_to, 'ended', weight FROM p_stakers WHERE stake_avax IS NOT NULL AND end_reason IS NOT NULL
     )
     GROUP BY ALL`,
  ],
])('the rows of %s are those of the view that says the same', async (id, view) => {
  const question = all.find((each) => each.id === id)
  const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.map(String).join()).toSorted()
  await readLake({ folder: lakes.small }, async (lake) => {
    const shown = await lake.ask(sqlOf(question!, { ...about, grain: 'month' }))
    expect(shown.rows.length).toBeGreaterThan(1)
    expect(sorted(shown.rows)).toEqual(sorted((await lake.ask(view)).rows))
  })
})

test('query ids are unique', () => {
  const ids = all.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test.each([
  ['p-kinds', ['text', 'whole', 'whole'], [undefined, undefined, 9]],
  ['x-newest-assets', ['time', 'text', 'text', 'whole', 'whole', 'text'], []],
  ['evm-fees', ['time', 'text', 'whole', 'whole', 'whole'], [undefined, undefined, undefined, undefined, 18]],
  ['holders', ['text', 'text', 'whole', 'text', 'whole'], []],
  ['rest-reward-worth', ['time', 'text', 'number'], []],
  ['hosts', ['text', 'whole', 'whole', 'whole', 'whole', 'number'], []],
])('the columns of %s are shown by the types that its query gives', async (id, kinds, decimals) => {
  const question = all.find((each) => each.id === id)!
  await readLake({ folder: lakes.small }, async (lake) => {
    const { columns } = await lake.ask(sqlOf(question, { ...about, grain: 'day', log: workLogPath(lakes.small) }))
    const shown = columns.map(({ name, type }) => shownColumn(name, type, question).kind)
    expect(shown.map(({ as }) => as)).toEqual(kinds)
    for (const [at, places] of decimals.entries())
      expect('decimals' in shown[at]! ? shown[at].decimals : undefined).toBe(places)
  })
})

test('queries about empty tables alone are left out, also through views', async () => {
  const about = ['evm_blocks', 'evm_daily', 'p_blocks', 'p_daily', 'chain_daily', "read_json('work.ndjson')"]
  const answered = await readLake({ folder: lakes.small }, async ({ canAnswer }) =>
    about.filter((table) => canAnswer(`SELECT * FROM ${table}`)),
  )
  expect(answered).toEqual(['p_blocks', 'p_daily', 'chain_daily', "read_json('work.ndjson')"])
})

test('a report shows first steps for a lake without data, and sections for a lake with data', async () => {
  const empty = await reportData({ lake: { folder: lakes.empty }, nowMs })
  expect(empty.sections).toEqual([])
  expect(empty.beginning.map(({ command }) => command).join()).toContain('chainlake run p-blocks')
  const small = await reportData({ lake: { folder: lakes.small }, nowMs })
  expect(small.beginning).toEqual([])
  expect(small.sections.flatMap(({ answers }) => answers.flatMap(({ failure }) => failure ?? []))).toEqual([])
  expect(small.sections.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['growth', 'work', 'p', 'x', 'c', 'service']),
  )
  const ids = small.sections.flatMap(({ answers }) => answers.map(({ id }) => id))
  expect(ids).toEqual(expect.arrayContaining(['chains-days', 'p-kinds', 'p-validators', 'hosts', 'efforts']))
  for (const section of small.sections) for (const { rows } of section.answers) expect(rows.length).toBeGreaterThan(0)
  expect(small.streams.length).toBeGreaterThan(3)
  expect(small.verdicts.map(({ ask }) => ask)).toEqual(['Complete?', 'Fresh?', 'Growing?', 'Sound?'])
})

test('damaged files remove only the charts that read them, and damaged views are an error', async () => {
  const lake = await smallLake(`${folder}/damaged`)
  for (const table of ['chains', 'p_blocks'])
    for (const file of readdirSync(`${lake}/data/${table}`, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.parquet')) truncateSync(`${lake}/data/${table}/${file}`, 100)
  const { sections, problems } = await reportData({ lake: { folder: lake }, nowMs })
  expect(problems[0]?.title).toMatch(/^\d+ queries failed$/)
  expect(problems[0]?.command).toBe(`chainlake verify --lake ${lake}`)
  expect(sections.map(({ id }) => id)).toEqual(expect.arrayContaining(['growth', 'work', 'p', 'x', 'c', 'service']))
  const failures = sections.flatMap(({ answers }) => answers.flatMap(({ failure }) => failure ?? []))
  expect(new Set(failures)).toEqual(new Set(['A Parquet file that the query reads is damaged.']))
  const answered = sections.flatMap(({ answers }) => answers.filter(({ failure }) => failure === null))
  expect(answered.length).toBeGreaterThan(failures.length)
  writeFileSync(`${lake}/lake.ducklake`, 'no catalog')
  await expect(reportData({ lake: { folder: lake }, nowMs })).rejects.toMatchObject({
    code: 'storage.views',
    exitCode: 5,
  })
  rmSync(`${lake}/lake.duckdb`)
  await expect(reportData({ lake: { folder: lake }, nowMs })).rejects.toMatchObject({
    code: 'query.no-lake',
    exitCode: 2,
  })
})

test('a report on a folder without a lake shows first steps', async () => {
  const none = await reportData({ lake: { folder: `${folder}/none` }, nowMs })
  expect(none.snapshot).toBe(null)
  expect(none.beginning.length).toBeGreaterThan(1)
})

test('the time grain limits a chart to about 400 bars', () => {
  const lengths = { minute: 60e3, hour: 3.6e6, day: 86.4e6, week: 604.8e6, month: 2.63e9 }
  for (const hours of [0, 1, 3, 4, 100, 121, 24 * 300, 24 * 500, 24 * 365 * 5, 24 * 365 * 10]) {
    const lengthMs = hours * 3.6e6
    expect(lengthMs / lengths[grainFor(lengthMs)]).toBeLessThan(410)
  }
})
