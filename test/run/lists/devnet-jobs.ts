import { baseProfile } from '../../../src/config/profiles.ts'
import type { Pipeline, Table } from '../../../src/define/index.ts'
import { runPipelines } from '../../../src/run/jobs/run-pipelines.ts'
import type { RunSummary } from '../../../src/run/jobs/start-jobs.ts'
import type { ServiceProfile } from '../../../src/sources/service-profile.ts'
import { query } from '../lake-run.ts'

/** A pipeline with the parameters of a job. */
export type Requested = { readonly pipeline: Pipeline; readonly values: Readonly<Record<string, unknown>> }

/** The profile of a simulated network's service. */
export function profileOf(node: { readonly url: string }): ServiceProfile {
  const { keyEnv: _, keyFile: __, ...profile } = baseProfile('devnet', {})
  return { ...profile, dataUrl: node.url, metricsUrl: node.url, key: null }
}

/** Runs jobs of a service in this process; `changes` override fields of the profile. */
export function runService(
  node: { readonly url: string },
  lake: string,
  requested: readonly Requested[],
  changes: Partial<ServiceProfile> = {},
): Promise<RunSummary> {
  return runPipelines({
    nodeUrl: node.url,
    service: { ...profileOf(node), ...changes },
    lake: { folder: lake },
    jobs: requested.map(({ pipeline, values }) => ({ name: pipeline.name, pipeline, values })),
    stop: new AbortController().signal,
    emit: () => undefined,
  })
}

/** The same as command-line arguments. */
export function argumentsOf({ pipeline, values }: Requested, node: { readonly url: string }, lake: string): string[] {
  const parameters = Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)])
  const service = [
    '--service-profile',
    'devnet',
    '--data-url',
    node.url,
    '--metrics-url',
    node.url,
    '--node-url',
    node.url,
  ]
  return ['run', pipeline.name, ...parameters, ...service, '--lake', lake, '--log-level', 'error']
}

const passing = ['observation_id', 'observed_at', 'completed_at']

/** Rows of tables as sets, without the columns that differ between runs. For observations and versions, only the latest rows. */
export async function settledRows(lake: string, tables: readonly Table[]): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const { name, history, columns } of tables) {
    const view = history === 'rows' ? name : `${name}_latest`
    const kept = Object.keys(columns).filter((column) => !passing.includes(column))
    const rows = `(SELECT ${kept.join(', ')} FROM ${view})`
    const [row] = await query(
      lake,
      `SELECT count(*)::INT AS rows, md5(coalesce(string_agg(md5(t::VARCHAR), '' ORDER BY md5(t::VARCHAR)), '')) AS hash FROM ${rows} t`,
    )
    found[name] = row
  }
  return found
}

/** A list of existing objects of the network: `p`, `x`, `c`, `evm`, `contracts` or `nodes`. */
export async function listOf(node: { readonly url: string }, of: string): Promise<string[]> {
  const text = await (await fetch(`${node.url}/devnet/addresses?of=${of}`)).text()
  return text.trim().split('\n')
}
