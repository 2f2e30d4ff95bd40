/**
 * The floor of a run is the least work with which any program could make its rows. This program does that work: it requests the same
 * answers from the same server, parses them, decodes their bytes (bench/answer-bytes.ts), and lets DuckDB copy the rows of the run's lake to
 * new Parquet files. `node dist/bench/floor.js TASK` reads a `FloorTask` from a file and prints a `FloorResult`. The CPU seconds of the floor
 * are those of this process.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { takeBytes } from './answer-bytes.ts'
import type { AnswerKind, Question } from './subject.ts'

export type FloorTask = {
  readonly url: string
  readonly questions: readonly Question[]
  readonly answers: AnswerKind
  readonly lake: string
  /** Names of the tables that the run wrote. */
  readonly tables: readonly string[]
  /** The folder for the copied rows. */
  readonly folder: string
}

export type FloorResult = { readonly answerBytes: number; readonly takenBytes: number; readonly rows: number }

const connections = 4

const task = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as FloorTask
const read = await readAnswers(task)
console.log(JSON.stringify({ ...read, rows: await copyRows(task) } satisfies FloorResult))

async function readAnswers({ url, questions, answers }: FloorTask): Promise<Omit<FloorResult, 'rows'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const sums = { answerBytes: 0, takenBytes: 0 }
  const remaining = questions.values()
  const requestRemaining = async () => {
    for (const question of remaining) {
      const bytes = await send(url, question, agent)
      sums.answerBytes += bytes.length
      sums.takenBytes += takeBytes[answers](JSON.parse(bytes.toString()))
    }
  }
  await Promise.all(Array.from({ length: connections }, requestRemaining))
  agent.destroy()
  return sums
}

/** Uses Node's own HTTP client, because undici costs more. */
function send(url: string, { method, path, body }: Question, agent: Agent): Promise<Buffer> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, agent, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(Buffer.concat(chunks))
        else reject(new Error(`${path} answers ${answer.statusCode}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Writes the rows with the compression of the lake, on one thread, because several cost more. Returns the number of rows. */
async function copyRows({ lake, tables, folder }: FloorTask): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  let rows = 0
  for (const table of tables) {
    const files = join(lake, 'data', table, '**/*.parquet')
    const written = await connection.runAndReadAll(
      `COPY (SELECT * FROM read_parquet('${files}', hive_partitioning = false)) TO '${join(folder, `${table}.parquet`)}' (FORMAT parquet, COMPRESSION zstd)`,
    )
    rows += Number(written.getRows()[0]?.[0])
  }
  connection.closeSync()
  instance.closeSync()
  return rows
}
