// An analyst at work: opens the views and the published catalog, and answers each line of stdin with their content.
import { createInterface } from 'node:readline'
import { DuckDBInstance } from '@duckdb/node-api'

const [lake] = process.argv.slice(2)
const open = async (name) => {
  const instance = await DuckDBInstance.create(`${lake}/${name}`, { access_mode: 'READ_ONLY', threads: '1' })
  return instance.connect()
}
const views = await open('lake.duckdb')
const catalog = await open('lake.ducklake')
const one = async (connection, sql) => Number((await connection.runAndReadAll(sql)).getRowsJS()[0][0])

for await (const _ of createInterface({ input: process.stdin })) {
  const answer = {
    blocks: await one(views, 'select count(*) from p_blocks'),
    inputs: await one(views, 'select count(amount) from p_inputs'),
    snapshot: await one(catalog, 'select max(snapshot_id) from main.ducklake_snapshot'),
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
