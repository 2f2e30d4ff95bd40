import { onTestFinished } from 'vitest'
import { serviceHosts } from '../../src/cli/service-settings.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { compileList } from '../../src/yaml-lists/list-pipeline.ts'
import { type Reply, startServer } from '../fetch/local-server.ts'
import { newLake } from '../run/lake-run.ts'
import { listOf } from './parsed-list.ts'

export const json = (value: unknown, status = 200): Reply => ({ body: JSON.stringify(value), status })

/** Answers a request by its query, the number of earlier requests, and its path. */
export type Serve = (query: URLSearchParams, count: number, path: string) => Reply

/** A list in YAML with the items of a server, and a lake for it. */
export async function read(serve: Serve, more: string, columns = '') {
  /** Number of requests that the service still answers. */
  const left = { requests: Number.POSITIVE_INFINITY }
  const server = await startServer(({ path }, count) => {
    if (left.requests-- <= 0) return { status: 403, body: 'later' }
    const { searchParams, pathname } = new URL(path, 'http://local')
    return serve(searchParams, count, pathname)
  })
  onTestFinished(() => server.close())
  const list = listOf(`
comment: Items.
service: own
network: test
path: /items
ignore: [total]
table:
  name: items
  comment: Items.
  key: [item_id]
  columns:
    item_id: { path: id, type: text, comment: Id. }
    seen: { path: at, type: time, comment: Time.${columns} }
${more}`)
  const pipeline = compileList('quirk', list)
  const lake = newLake()
  const run = async () => {
    const { jobs } = await runPipelines({
      nodeUrl: 'http://127.0.0.1:1',
      services: serviceHosts({ own: { url: server.url } }, [pipeline], {}),
      lake: { folder: lake },
      jobs: [{ name: 'quirk', pipeline, values: { 'unit-pages': 1 } }],
      tries: 1,
      stop: new AbortController().signal,
      emit: () => undefined,
    })
    return jobs[0]
  }
  return { server, lake, run, left }
}
