import { expect, test } from 'vitest'
import { type Question, verifyColumns } from '../../src/report/question.ts'

const about = { id: 'rewards', title: 'Rewards', says: 'Per node.', sql: () => '' }
const bars: Question = { ...about, picture: { kind: 'bars', label: 'Node', value: 'AVAX' } }
const lines: Question = {
  ...about,
  units: { Bytes: 'bytes' },
  picture: { kind: 'lines', time: 'Time', values: ['Rows', 'Bytes'], series: 'Chain' },
}

test.each([
  [bars, ['Node', 'AVAX']],
  [lines, ['Chain', 'Time', 'Rows', 'Bytes', 'Others']],
] as const)('a query returns the columns of its picture: %o', (question, columns) => {
  verifyColumns(question, columns)
  const shown = columns.filter((name) => name !== 'Others')
  for (const name of shown)
    expect(() =>
      verifyColumns(
        question,
        columns.filter((each) => each !== name),
      ),
    ).toThrow(`rewards shows the column ${name}, which its query does not return.`)
})
