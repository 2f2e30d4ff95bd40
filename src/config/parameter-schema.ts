import { z } from 'zod'
import type { Parameter } from '../define/index.ts'
import { checkValue } from './parameter-values.ts'

/** The schema of a job's key for a parameter, with its JSON Schema for editors. */
export function parameterSchema(parameter: Parameter) {
  const schema = z
    .unknown()
    .transform((given, context) => {
      const checked = checkValue(parameter, given)
      if ('value' in checked) return checked.value
      for (const { mistake, item } of [checked, ...(checked.others ?? [])])
        context.addIssue({ code: 'custom', message: mistake, path: item === undefined ? [] : [item] })
      return z.NEVER
    })
    .meta({ description: parameter.comment, ...jsonSchemas[parameter.kind](parameter) })
  return parameter.required ? schema : schema.optional()
}

type JsonSchema = Readonly<Record<string, unknown>>

/** A text may be written as a number, since YAML parses digits as a number. */
function text({ choices, pattern }: Parameter): JsonSchema {
  if (choices !== null) return { type: 'string', enum: choices }
  return pattern === null ? { type: ['string', 'integer'] } : { type: ['string', 'integer'], pattern: pattern.source }
}

const jsonSchemas: Readonly<Record<Parameter['kind'], (parameter: Parameter) => JsonSchema>> = {
  text,
  whole: ({ least, most }) => ({
    type: 'integer',
    minimum: least,
    ...(most === Number.MAX_SAFE_INTEGER ? {} : { maximum: most }),
  }),
  boolean: () => ({ type: 'boolean' }),
  time: () => ({
    anyOf: [
      { type: 'integer', minimum: 0, description: 'Unix seconds.' },
      { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}([Tt].+)?$', description: 'A date or an RFC 3339 time.' },
    ],
  }),
  bound: ({ least, timeless }) => ({
    anyOf: [
      { type: 'integer', description: `From ${least}; a negative one counts from the end.` },
      { type: 'string', pattern: '^-?\\d+(_\\d+)*(\\.\\d+)?[kKMB]?$', description: 'Such as 1_000_000 or 12M.' },
      ...(timeless === null
        ? [{ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}([Tt ].+)?$', description: 'A date or a time.' }]
        : []),
    ],
  }),
  range: ({ timeless }) => ({
    type: 'string',
    pattern: timeless === null ? '^[-+\\d_.kKMBTtZz: ]*:[-+\\d_.kKMBTtZz: ]*$' : '^-?[\\d_.kKMB]*:-?[\\d_.kKMB]*$',
  }),
  abi: () => ({ type: 'string', minLength: 1 }),
  list: (parameter) => ({
    anyOf: [
      { type: 'array', items: text(parameter), minItems: 1, description: 'The items.' },
      one('file', 'Path of a text file with one item per line, relative to this file; # begins a comment.'),
      one(
        'query',
        'One SELECT on the views of the lake. The list is its first column, read right before the job runs.',
      ),
    ],
  }),
}

function one(key: string, description: string): JsonSchema {
  return {
    type: 'object',
    properties: { [key]: { type: 'string', minLength: 1, description } },
    required: [key],
    additionalProperties: false,
  }
}
