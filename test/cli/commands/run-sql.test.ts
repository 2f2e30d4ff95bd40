import { expect, test } from 'vitest'
import { findExample, formatOf, readExamples } from '../../../src/cli/commands/run-sql.ts'

test('each example asks a question and answers it in at most five lines', async () => {
  const examples = await readExamples()
  expect(examples.length).toBeGreaterThanOrEqual(25)
  for (const { name, question, sql } of examples) {
    expect(question, name).toMatch(/^[A-Z].*\?$/)
    expect(sql.split('\n').length, name).toBeLessThanOrEqual(5)
    expect(sql, name).not.toContain('--')
  }
})

test('an unknown example is refused with the nearest name', async () => {
  await expect(findExample('gas-price')).rejects.toMatchObject({
    code: 'config.example',
    exitCode: 2,
    hint: expect.stringContaining('Did you mean gas-prices?'),
  })
})

test('the name of the output says its format, and a format that is not written is refused', () => {
  expect(formatOf({ output: 'a.CSV' })).toBe('csv')
  expect(formatOf({ output: 'a.txt' })).toBe('table')
  expect(formatOf({ output: 'a.tsv', format: 'csv' })).toBe('csv')
  for (const output of ['a.tsv', 'a.XLSX', 'a.csv.gz'])
    expect(() => formatOf({ output })).toThrow(/^--output: the ending \.(tsv|XLSX|gz) names no format/)
})
