import type { Given } from '../decode/list-reader.ts'
import {
  type DeclaredStream,
  type Facts,
  type KeyedQuestion,
  type Pipeline,
  pipeline,
  type Subject,
  serviceStream,
} from '../define/index.ts'
import { chunksOf } from '../lib/chunks.ts'
import { listDecoder, parameterReader, rowsName } from './list-decoder.ts'
import { filterParameters, listParameters, pathParameters, withDefaults } from './list-parameters.ts'
import { isCounted, pageRequests } from './list-request.ts'
import type { ListText } from './list-schema.ts'
import { listTable } from './list-table.ts'
import { keyedWalk, listWalk } from './list-walk.ts'
import type { TemplateValues } from './template.ts'

/** Items of `each` that one stream observes. */
const observedTogether = 64

/** Makes a pipeline of a list. The list has been checked. */
export function compileList(name: string, list: ListText): Pipeline {
  const table = listTable(list)
  const decoder = listDecoder(list)
  const parametersOf = parameterReader(list)
  const service = list.service ?? 'data'
  const reads = service === 'data' || service === 'metrics' ? 'service' : { service }
  return pipeline({
    name,
    definition: list,
    comment: list.comment,
    parameters: listParameters(list),
    tables: { [rowsName]: table },
    reads,
    walks: [list.walk.kind],
    streams: (given: TemplateValues, facts) => {
      const job = jobOf(name, list, given, facts)
      const decoderOf = (values: TemplateValues, subject = '') => decoder({ network: job.network, subject, values })
      const { walk } = list
      if (walk.kind === 'keyed') {
        const keyOf = (values: TemplateValues) => ({
          key: keyColumns(list, parametersOf(values)),
          decode: decoderOf(values),
        })
        return [{ stream: job.stream(job.values), walk: keyedWalk(list, walk, job.values, keyOf) }]
      }
      if (walk.kind === 'snapshot' || walk.kind === 'scan') return observations(list, walk.kind, job, decoderOf)
      return eachOf(list, job.values).map((values) => ({
        stream: job.stream(values),
        walk: listWalk(list, values, decoderOf(values)),
      }))
    },
  })
}

type ListJob = {
  readonly network: string
  readonly values: TemplateValues
  /** The stream of some values. */
  readonly stream: (values: TemplateValues) => DeclaredStream['stream']
  /** The name of an observation of some values. */
  readonly subject: (values: TemplateValues) => string
}

function jobOf(name: string, list: ListText, given: TemplateValues, facts: Facts): ListJob {
  const service = list.service ?? 'data'
  const inPath = pathParameters(list)
  const filters = filterParameters(list)
  const revision = (list.revision ?? 1) > 1 ? list.revision : undefined
  const stated = list.network ?? String(given['network'])
  // The REST service has networks under names of its own, and testnet is another name of fuji.
  const isProfile = service === 'data' || service === 'metrics'
  const network = isProfile && stated === 'testnet' ? 'fuji' : stated
  const values = {
    ...withDefaults(list, given),
    network: isProfile ? facts.service.networkInPath(network) : network,
  }
  const selected = (of: TemplateValues, names: readonly string[]) =>
    Object.fromEntries(names.map((parameter) => [parameter, of[parameter] as string | readonly string[] | undefined]))
  return {
    network,
    values,
    stream: (of) =>
      serviceStream(network, `${name}/${service}`, { ...selected(of, [...inPath, ...filters]), revision }),
    subject: (of) => {
      const parts = [name, ...inPath.map((parameter) => String(of[parameter]))]
      const texts = Object.entries(selected(of, filters)).flatMap(([parameter, value]) =>
        value === undefined ? [] : [`${parameter}=${value}`],
      )
      return `${parts.join('/')}${texts.length === 0 ? '' : `?${texts.join('&')}`}`
    },
  }
}

/** The values for each item of the list parameter that `each` names. */
function eachOf({ each }: ListText, values: TemplateValues): TemplateValues[] {
  if (each === undefined) return [values]
  return [...new Set((values[each] as readonly string[] | undefined) ?? [])].map((item) => ({
    ...values,
    [each]: item,
  }))
}

function observations(
  list: ListText,
  kind: 'snapshot' | 'scan',
  { values, stream, subject }: ListJob,
  decoderOf: (values: TemplateValues, subject: string) => ReturnType<ReturnType<typeof listDecoder>>,
): DeclaredStream[] {
  const subjectOf = (own: TemplateValues): Subject => {
    const name = subject(own)
    const counted = isCounted(list.pager) ? ({ isCounted: true } as const) : {}
    return { name, lists: [{ request: pageRequests(list, own), decode: decoderOf(own, name), ...counted }] }
  }
  const { each } = list
  if (each === undefined) return [{ stream: stream(values), walk: { kind, subjects: [subjectOf(values)] } }]
  return chunksOf(eachOf(list, values), observedTogether).map((together) => ({
    stream: stream({ ...values, [each]: together.map((own) => String(own[each])) }),
    walk: { kind, subjects: together.map(subjectOf) },
  }))
}

/** The columns of the key of a keyed list. They all come from parameters, so no answer is needed. */
function keyColumns(list: ListText, columns: Given): KeyedQuestion['key'] {
  return Object.fromEntries(list.table.key.map((column) => [column, columns[column] as string | bigint]))
}
