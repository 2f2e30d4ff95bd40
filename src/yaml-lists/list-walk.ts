import type { KeyedQuestion, List, ListWalk, RangeWalk } from '../define/index.ts'
import { ConfigError, DecodeError } from '../errors.ts'
import { rfc3339ToSeconds } from '../lib/text/time.ts'
import type { Slice } from '../model.ts'
import { valueAt } from './json-path.ts'
import { otherRequest, pageRequests } from './list-request.ts'
import type { HeadText, ListText } from './list-schema.ts'
import { placeholders, type TemplateValues } from './template.ts'

type WindowText = Extract<ListText['walk'], { kind: 'blockWindow' | 'timeWindow' }>
type OldestFirstText = Extract<ListText['walk'], { kind: 'oldestFirst' }>
type KeyedText = Extract<ListText['walk'], { kind: 'keyed' }>

const usualTrailing = { seconds: 3600, blocks: 200 } as const

/** The walk over a list for the values of a job. `decode` reads its answers. Observations and keys have walks of their own. */
export function listWalk(list: ListText, values: TemplateValues, decode: List['decode']): ListWalk {
  const { walk } = list
  switch (walk.kind) {
    case 'pageChain':
      return {
        kind: 'pageChain',
        list: { request: pageRequests(list, values), decode },
        trailing: trailingSeconds(walk),
        retention: walk['retention-seconds'],
      }
    case 'oldestFirst':
      return oldestFirst(list, walk, values, decode)
    case 'series':
      return {
        kind: 'series',
        list: { request: pageRequests(list, values), decode },
        from: walk.from ?? 0,
        interval: walk['interval-seconds'],
        again: walk.again ?? 3,
        retention: walk['retention-seconds'],
      }
    case 'blockWindow':
    case 'timeWindow':
      return rangeWalk(list, walk, values, decode)
    default:
      throw new RangeError(`${walk.kind} is no walk over one list.`)
  }
}

function trailingSeconds(walk: { time?: string | undefined; 'trailing-seconds'?: number | undefined }): number {
  return walk.time === undefined ? 0 : (walk['trailing-seconds'] ?? usualTrailing.seconds)
}

function oldestFirst(list: ListText, walk: OldestFirstText, values: TemplateValues, decode: List['decode']): ListWalk {
  const { query, oldest, newest } = walk.order
  const ordered = (order: string | number | boolean): List => ({
    request: pageRequests(list, values, { [query]: order }),
    decode,
  })
  return {
    kind: 'oldestFirst',
    list: ordered(oldest),
    newestFirst: ordered(newest),
    trailing: trailingSeconds(walk),
    retention: walk['retention-seconds'],
  }
}

function rangeWalk(list: ListText, walk: WindowText, values: TemplateValues, decode: List['decode']): RangeWalk {
  const [from, to] = [Number(values['from'] ?? 0), values['to'] === undefined ? null : Number(values['to'])]
  if (to !== null && from >= to)
    throw new ConfigError(`The range from ${from} to ${to} is empty: the second bound is not part of it.`, {
      code: 'config.value',
      hint: 'to must be greater than from.',
    })
  const trailing =
    walk.kind === 'blockWindow'
      ? (walk['trailing-blocks'] ?? usualTrailing.blocks)
      : (walk['trailing-seconds'] ?? usualTrailing.seconds)
  return {
    kind: walk.kind,
    from,
    to,
    head: { request: otherRequest(list, walk.head, values), decode: (answer) => headOf(answer, walk.head, walk.kind) },
    ahead: 0,
    list: (slice) => windowList(list, walk, values, decode, slice),
    trailing,
    first: walk.first ?? 10_000,
  }
}

/** A service may treat the end of a range as inclusive, so one more row may arrive than was requested. */
function windowList(
  list: ListText,
  { kind, column }: WindowText,
  values: TemplateValues,
  decode: List['decode'],
  slice: Slice,
): List {
  const bounds = { from: slice.from, to: slice.to, last: slice.to - 1 }
  const holds = kind === 'timeWindow' ? 'times' : 'numbers'
  return {
    request: pageRequests(list, { ...values, ...bounds }),
    decode,
    requested: { range: { column, holds, slice, margin: { before: 0, after: 1 } } },
  }
}

/** The newest block, or the Unix second of the newest time; null when the service has none yet. */
function headOf(answer: unknown, { at, unit = 'seconds' }: HeadText, kind: WindowText['kind']): number | null {
  const value = valueAt(answer, at)
  if (value === undefined) return null
  const found = kind === 'timeWindow' ? secondsOf(value, unit) : wholeOf(value)
  if (found !== null) return found
  throw new DecodeError(
    `The field ${at} of the answer is not the newest ${kind === 'timeWindow' ? 'time' : 'block'}.`,
    {
      code: 'decode.field',
      details: { field: at, value: String(value).slice(0, 200) },
      hint: 'Compare head.at and head.unit of the list with the answer of the service.',
    },
  )
}

const unitsPerSecond = { seconds: 1n, milliseconds: 1_000n, microseconds: 1_000_000n, nanoseconds: 1_000_000_000n }

function secondsOf(value: unknown, unit: NonNullable<HeadText['unit']>): number | null {
  if (unit === 'iso') return typeof value === 'string' ? rfc3339ToSeconds(value) : null
  const whole = digitsOf(value)
  return whole === null ? null : Number(whole / unitsPerSecond[unit])
}

function wholeOf(value: unknown): number | null {
  const whole = digitsOf(value)
  return whole === null || whole > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(whole)
}

function digitsOf(value: unknown): bigint | null {
  return /^\d{1,30}$/.test(String(value)) ? BigInt(String(value)) : null
}

/** The request for each key. `keyOf` gives the columns of the key and the decoder of its answer. */
export function keyedWalk(
  list: ListText,
  walk: KeyedText,
  values: TemplateValues,
  keyOf: (values: TemplateValues) => Pick<KeyedQuestion, 'key' | 'decode'>,
): ListWalk {
  const keys = [...new Set((values[walk.keys] as readonly string[] | undefined) ?? [])].map((key): KeyedQuestion => {
    const own = { ...values, [walk.keys]: key }
    return { ...keyOf(own), request: pageRequests(list, own)(null) }
  })
  const column = Object.entries(list.table.columns).find(([, { parameter }]) => parameter === walk.keys)?.[0] ?? ''
  return {
    kind: 'keyed',
    keys,
    unanswered: {
      column,
      reason: 'the service has no answer for these keys',
      hint: `Check the values of ${walk.keys}. The next run requests them again.`,
    },
  }
}

/** Whether the templates of a list name the bounds of a window. */
export function namesWindow({ path, query, body }: ListText): boolean {
  const names = new Set(placeholders([path, query ?? {}, body ?? {}]))
  return names.has('from') && (names.has('to') || names.has('last'))
}
