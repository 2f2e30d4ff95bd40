import { expect, test } from 'vitest'
import { tables as declaredTables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { shippedTables } from '../../src/config/shipped-lists.ts'
import { duckdbType, type Field, fieldsOf } from '../../src/define/index.ts'

const tables = [...declaredTables, ...shippedTables()]

type Commented = { readonly name: string; readonly path: string; readonly type: string; readonly comment: string }

const commented: readonly Commented[] = [
  ...tables.flatMap((table) => fieldsOf(table).flatMap((field) => commentedFields(table.name, field))),
  ...derivedViews.flatMap((view) =>
    Object.entries(view.columns).map(([name, { type, comment }]) => ({
      name,
      path: `${view.name}.${name}`,
      type,
      comment,
    })),
  ),
]

function commentedFields(table: string, { name, path, column, children }: Field): Commented[] {
  const own = { name, path: `${table}.${path}`, type: duckdbType(column.type), comment: column.comment }
  return [own, ...children.flatMap((child) => commentedFields(table, child))]
}

/** Words in the names of amounts. */
const words =
  'amount|balance|fees?|burned|stake|weight|reward|value|price|supply|deposited|refunded|unlocked|stakeable|capacity|cost|avax|tokens'
const isNamed = new RegExp(`(^|_)(${words})(_|$)`)
/** Columns of this view have names of statistics. */
const isStatistic = /^evm_gas_prices\.(lowest|p\d+|median|highest)/
/** What a name says about an amount, other than the amount itself. */
const isAbout = /_(time|timestamp|height|locktime|threshold|type|currency|duration|shares|denominator|count|at)$/
const isNumber = /^(DECIMAL|BIGINT|DOUBLE)/

const unit =
  /\bin (nAVAX|wei|gwei|AVAX|gas|percent|seconds|parts per million|whole (native )?tokens|(that|the requested) currency)\b|(^|[( ])wei per |least unit|nAVAX\)|Number of tokens|a number without a unit/

/** Columns with such a name that hold no amount. */
const exceptions: Readonly<Record<string, string>> = {
  max_validator_weight_factor: 'A multiple of the own stake.',
  metric_value: 'The unit depends on the metric.',
  metric_value_raw: 'The unit depends on the metric.',
  min_price_exponent: 'An exponent: the price is a power.',
}

function isAmount({ name, path, type }: Commented): boolean {
  if (isStatistic.test(path)) return true
  if (!isNamed.test(name) || isAbout.test(name)) return false
  return isNumber.test(type) || (type === 'VARCHAR' && name.endsWith('_raw'))
}

test('the comment of every amount names its unit', () => {
  const amounts = commented.filter(isAmount)
  expect(amounts.length).toBeGreaterThan(250)
  const silent = amounts.filter(({ name, comment }) => !(name in exceptions) && !unit.test(comment))
  expect(silent.map(({ path, comment }) => `${path}: ${comment}`)).toEqual([])
  expect(Object.keys(exceptions).filter((name) => !amounts.some((amount) => amount.name === name))).toEqual([])
})

test('every column of whole tokens is exact', () => {
  const whole = commented.filter(({ name }) => /_(avax|in_tokens)$/.test(name))
  expect(whole.length).toBeGreaterThan(10)
  for (const { path, type, comment } of whole) {
    expect(type, path).toMatch(/^DECIMAL\(\d+,(9|18)\)$/)
    expect(comment, path).toContain('exact')
  }
})
