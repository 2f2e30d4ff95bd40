import { ConfigError } from '../errors.ts'
import { sqlText } from '../lib/text/sql-quote.ts'
import type { PageAnswer, PageCell, PageSection } from './data/page-data.ts'
import type { LakeReading } from './data/read-lake.ts'
import { type Grain, grainFor } from './questions/grain.ts'
import type { Asking, Question, QuestionGroup } from './questions/question.ts'

/** The report shows at most this many networks. */
const mostNetworks = 12

/** Answers the questions for each network. It leaves out groups without an answer. */
export async function askOfNetworks(
  lake: LakeReading,
  networks: readonly string[],
  groups: readonly QuestionGroup[],
): Promise<PageSection[]> {
  const sections: PageSection[] = []
  const shown = networks.slice(0, mostNetworks)
  for (const network of shown) {
    const [prefix, suffix] = shown.length === 1 ? ['', ''] : [`${network}: `, `-${network}`]
    for (const group of groups) {
      const answers = await askAll(lake, group.questions, { network: sqlText(network) }, suffix)
      if (answers.length > 0) sections.push({ id: `${group.id}${suffix}`, title: `${prefix}${group.title}`, answers })
    }
  }
  return sections
}

/** Answers the questions for which the lake has all tables. It leaves out answers without rows, but keeps failures. */
export async function askAll<About extends object>(
  lake: LakeReading,
  questions: readonly Question<About & { readonly grain: Grain }>[],
  about: About,
  suffix = '',
): Promise<PageAnswer[]> {
  const answers: PageAnswer[] = []
  for (const question of questions) {
    if (!question.needs.every((table) => lake.filled.has(table))) continue
    const answer = await askOne(lake, question, about)
    if (answer.rows.length > 0 || answer.failure !== null) answers.push({ ...answer, id: `${answer.id}${suffix}` })
  }
  return answers
}

/** Answers one question. A failure, such as a damaged file, becomes the answer, so that the other questions are still answered. */
async function askOne<About extends object>(
  lake: LakeReading,
  { id, title, says, sql, time, columns, picture }: Question<About & { readonly grain: Grain }>,
  about: About,
): Promise<PageAnswer> {
  const common = { id, title, says, columns, picture }
  try {
    const grain = time === null ? null : await grainOf(lake, time, 'network' in about ? String(about.network) : null)
    const text = sql({ ...about, grain: grain ?? 'day' })
    const { names, rows } = await lake.ask(text)
    const wrong = columns.find(({ name }, index) => names[index] !== name)
    if (wrong !== undefined || names.length !== columns.length)
      throw new RangeError(`${id} declares other columns than its query returns: ${names.join(', ')}.`)
    return { ...common, sql: text, grain, rows, failure: null }
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError || isInterruption(error)) throw error
    return { ...common, sql: sql({ ...about, grain: 'day' }), grain: null, rows: [], failure: error.message }
  }
}

function isInterruption(error: Error): boolean {
  return error instanceof ConfigError && error.message.startsWith('INTERRUPT')
}

async function grainOf(
  lake: LakeReading,
  { from, column }: NonNullable<Question<Asking>['time']>,
  network: string | null,
): Promise<Grain> {
  const { rows } = await lake.ask(
    `SELECT epoch_ms(max(${column})) - epoch_ms(min(${column})) FROM ${from}${network === null ? '' : ` WHERE network = ${network}`}`,
  )
  const length: PageCell = rows[0]?.[0] ?? 0
  return grainFor(Number(length))
}
