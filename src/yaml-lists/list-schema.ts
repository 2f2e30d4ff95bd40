import { z } from 'zod'
import { type DeclaredColumn, type ReaderName, t } from '../define/index.ts'

const comment = (what: string) => z.string().min(1).describe(what)
/** A text that may be left out, but not be empty. */
export const filledText = (what: string) => z.string().min(1).optional().describe(what)
const truth = (what: string) => z.boolean().optional().describe(what)
/** A whole number from `least` on that may be left out. */
export const whole = (least: number, what: string) => z.int().min(least).optional().describe(what)
const snakeCase = z.string().regex(/^[a-z][a-z0-9_]*$/, 'must be in snake_case, such as block_time')
const kebabCase = z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be in lower case with dashes, such as page-size')
const scalar = z.union([z.string(), z.number(), z.boolean()])

type Declare = {
  (comment: string): DeclaredColumn
  (comment: string, options: { readonly nullable: true }): DeclaredColumn
}

function typed<K extends string>(types: Readonly<Record<K, readonly [Declare, ReaderName | null]>>) {
  return types
}

/** The types of columns and how their values are read, by the names that lists give them. Times have a unit. */
export const columnTypes = typed({
  text: [t.text, 'text'],
  id: [t.cb58, 'id'],
  'node-id': [t.address, 'nodeId'],
  hash: [t.hex, 'hash'],
  address: [t.address, 'address'],
  owner: [t.address, 'owner'],
  hex: [t.hex, 'hex'],
  digits: [t.hex, 'digits'],
  int64: [t.int64, 'whole'],
  u64: [t.u64, 'u64'],
  decimal: [t.decimal38, 'decimal'],
  double: [t.double, 'double'],
  boolean: [t.boolean, 'flag'],
  time: [t.timestamp, null],
  json: [t.text, 'json'],
})

const timeUnits = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds', 'iso', 'date', 'month'] as const

const parameter = z.strictObject({
  comment: comment('What the parameter selects. `chainlake describe` shows it.'),
  type: z
    .enum(['text', 'whole', 'boolean', 'list', 'time'])
    .optional()
    .describe('Kind of the value. Default: text. A list is given inline, from a file or from a query.'),
  required: truth('Every job must give it. Default: false.'),
  default: scalar.optional().describe('The value for jobs that leave it out.'),
  choices: z.array(z.string()).min(1).optional().describe('The only values that a text or an item of a list may have.'),
  pattern: filledText('Regular expression that a text or an item of a list must match.'),
  least: z.int().optional().describe('Smallest whole number. Default: 0.'),
  most: z.int().optional().describe('Largest whole number.'),
  query: filledText('Default of a list: the first column of this SELECT on the views of the lake.'),
  selects: truth(
    'false: the value selects no rows, such as a page size, so it is not part of the identity of streams.',
  ),
})

const column = z.strictObject({
  comment: comment('What the column means, with its unit.'),
  type: z
    .enum(Object.keys(columnTypes) as [keyof typeof columnTypes])
    .describe('How the value is read, checked and stored.'),
  path: filledText(
    'Where the value is in an item, such as owner.address; with [] for each element of a list: tags[].name. Either of two fields: height|blockHeight; an answer with both must have the same value in them. In a nullable column any step may be missing, or only those with ?: an owner of owner?.address must have an address.',
  ),
  answer: filledText('Instead of path: where the value is in the whole answer.'),
  parameter: kebabCase.optional().describe('Instead of path: the value of this parameter of the job.'),
  unit: z.enum(timeUnits).optional().describe('How a time is written. Default: seconds since 1970 UTC.'),
  nullable: truth('true: a missing or empty value is null. Default: it stops the unit with an error.'),
  'null-values': z.array(scalar).min(1).optional().describe('Values that also mean null, such as "N/A" or 0.'),
})

const trailingSeconds = whole(
  0,
  'Seconds before the known rows to read again, for rows that arrive late. Default: 3600.',
)

const retention = whole(
  1,
  'Seconds for which the service keeps items. Default: it keeps all of them, and an end above known rows is a fault.',
)

const head = z
  .strictObject({
    path: z.string().startsWith('/').describe('Path of a request that shows how far the service is.'),
    query: z.record(z.string(), scalar).optional().describe('Its query.'),
    at: z.string().min(1).describe('Where its answer has the newest block or time, such as blocks[0].number.'),
    unit: z.enum(timeUnits).optional().describe('How a time is written there. Default: seconds.'),
  })
  .describe('The newest block or time of the service. A run reads up to it, never up to the clock of the machine.')

const behind = z
  .strictObject({
    'behind-seconds': z
      .int()
      .min(1)
      .describe('For a service that has no such answer: it lists every row at most this many seconds after its time.'),
  })
  .describe('The clock of the machine minus a time within which the service lists all rows.')

const windowed = {
  column: snakeCase.describe('The column that holds the block or the time of a row.'),
  head,
  first: whole(1, 'A length of a range that the service accepts. Default: 10000.'),
}

const walk = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('pageChain').describe('Items newest first: from the head down to known rows, then to the end.'),
    time: snakeCase.optional().describe('Column with the time of an item. Without it no row is read again.'),
    'trailing-seconds': trailingSeconds,
    'retention-seconds': retention,
  }),
  z.strictObject({
    kind: z.literal('oldestFirst').describe('Items oldest first: from the beginning to the end, resumes there.'),
    order: z
      .strictObject({ query: z.string().min(1), oldest: scalar, newest: scalar })
      .optional()
      .describe(
        'The query parameter for the order, and its values for oldest first and newest first. Without it the list has one order: a run resumes at its last page, or reads the list from its beginning if the service refuses that.',
      ),
    time: snakeCase.optional().describe('Column with the time of an item.'),
    'trailing-seconds': trailingSeconds,
    'retention-seconds': retention,
  }),
  z.strictObject({
    kind: z
      .literal('snapshot')
      .describe('The whole list in each run, as one observation that is visible when complete.'),
    store: z
      .enum(['all', 'changes'])
      .optional()
      .describe('all: every row of each observation (default). changes: a row only if it is new, changed or gone.'),
  }),
  z.strictObject({
    kind: z
      .literal('blockWindow')
      .describe('Ranges of blocks, each read completely; {from}, {to} and {last} in the query.'),
    ...windowed,
    'trailing-blocks': whole(0, 'Blocks before the known rows to read again, for rows that arrive late. Default: 200.'),
  }),
  z.strictObject({
    kind: z
      .literal('timeWindow')
      .describe('Ranges of seconds, each read completely; {from}, {to} and {last} in the query.'),
    ...windowed,
    head: z.union([head, behind]),
    'trailing-seconds': trailingSeconds,
  }),
  z.strictObject({
    kind: z.literal('series').describe('Points of time, newest first; a changed point gets a new row.'),
    time: snakeCase.describe('Column with the time of a point.'),
    'interval-seconds': z.int().min(1).describe('Seconds between two points.'),
    from: whole(0, 'Unix seconds of the first point of interest. Default: 0.'),
    again: whole(0, 'Newest known points to read again. Default: 3.'),
    'retention-seconds': retention,
  }),
  z.strictObject({
    kind: z.literal('keyed').describe('One request per key without an answer in the lake.'),
    keys: kebabCase.describe('The list parameter with the keys; its query may take them from another table.'),
  }),
])

const inRequest = z.union([scalar, z.array(scalar)])

const more = filledText('Where the answer says false on the last page, such as has_more.')

const repeats = z
  .enum(['end', 'allowed'])
  .optional()
  .describe(
    'What a page with the same items as the page before it means: the end of the list, or nothing. Default: it takes the place of another page, so it is requested again, and then the run fails.',
  )

const pager = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('token').describe('The answer has a token for the next page; the list ends where it has none.'),
    at: z.string().min(1).describe('Where the token is in the answer, such as nextPageToken.'),
    query: filledText('Query parameter for the token.'),
    body: filledText('Instead of query: field of the body for the token.'),
    more,
    last: z
      .array(scalar)
      .min(1)
      .optional()
      .describe('Tokens that mean that there is no next page, such as -1 or "None". Empty, null and false always do.'),
    until: z
      .literal('empty')
      .optional()
      .describe(
        'The list ends with an empty page, although it has a token. Default: an empty page may have a next one.',
      ),
    repeats,
  }),
  z.strictObject({
    kind: z.literal('link').describe('The header Link names the next page, with rel="next".'),
    repeats,
  }),
  z.strictObject({
    kind: z.literal('offset').describe('Number of items before the page; ends with an empty page. snapshot only.'),
    query: z.string().min(1).describe('Query parameter for the offset.'),
    more,
    repeats,
  }),
  z.strictObject({
    kind: z.literal('page').describe('Number of the page; ends with an empty page. snapshot only.'),
    query: z.string().min(1).describe('Query parameter for the number.'),
    first: whole(0, 'Number of the first page. Default: 1.'),
    more,
    repeats,
  }),
])

const table = z.strictObject({
  name: snakeCase.describe('Name of the table. Names and prefixes of built-in tables are reserved.'),
  comment: comment('What a row of the table is.'),
  key: z.array(snakeCase).min(1).describe('Columns that together identify an item within its network.'),
  sort: z.array(snakeCase).min(1).optional().describe('Order of the rows in files. Default: the key.'),
  partitions: z
    .array(
      z.string().regex(/^(?:(?:month|day) of )?[a-z][a-z0-9_]*$/, 'must be a column, or month of or day of a column'),
    )
    .optional()
    .describe('Folders of the files below the network: a column, `month of time` or `day of time`.'),
  columns: z.record(snakeCase, column).describe('The columns in their order. The walk adds its own in front.'),
})

/** The shape of a list of a JSON service, as chainlake.yaml declares it. */
export const listShape = z.strictObject({
  comment: comment('What the list has, for `chainlake describe`.'),
  service: filledText('A name in services; or data (default) or metrics for the hosts of the REST service.'),
  network: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be the name of a network, such as mainnet')
    .optional()
    .describe('Network of all rows. Without it every job gives the parameter network.'),
  revision: whole(
    1,
    'Raise it when the meaning of the rows changes: they are read again as other streams. Default: 1.',
  ),
  parameters: z.record(kebabCase, parameter).optional().describe('Parameters of jobs; {name} stands for the value.'),
  each: kebabCase
    .optional()
    .describe('A list parameter: the list is read for each of its items, and {name} stands for the item.'),
  method: z.enum(['GET', 'POST']).optional().describe('Default: GET.'),
  path: z
    .string()
    .startsWith('/')
    .describe('Path after the URL of the service, such as /v1/networks/{network}/subnets.'),
  query: z
    .record(z.string(), inRequest)
    .optional()
    .describe('Query of the request. An entry without a value is left out.'),
  body: z.record(z.string(), z.unknown()).optional().describe('JSON body of a POST request.'),
  cost: z
    .union([z.enum(['free', 'small', 'medium', 'large', 'xl', 'xxl']), z.int().min(0)])
    .optional()
    .describe('Units of a request, or its class at the REST service. Default: 1, or medium at the REST service.'),
  pager: pager.optional().describe('How to get the next page. Without it the list has one page.'),
  items: filledText(
    'Where the items are in the answer, such as subnets or result.rows; [] for an answer that is a list. Without it the answer is one item. Null is an empty list, and so is an answer without the field that has no unknown fields.',
  ),
  'keyed-by': filledText(
    'For items that are the fields of an object, such as {"id1": {…}}: the field of an item under which columns read its name. An item that is no object is the field value.',
  ),
  empty: z
    .array(z.int().min(400).max(499))
    .min(1)
    .optional()
    .describe('Statuses that mean that there is nothing, such as 404.'),
  ignore: z
    .array(z.string().min(1))
    .optional()
    .describe('Fields of the answer that no column needs, such as subnets[].logo. Others are reported as unknown.'),
  walk: walk.describe('How a run traverses the list.'),
  table: table.describe('The table that the list fills.'),
})

export type ListText = z.infer<typeof listShape>

/** Headers that carry a key or a session. Their values belong into the environment. */
const secretHeader = /authorization|cookie|key|token|secret/i

const headers = z
  .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of an HTTP header'), z.string().min(1))
  .superRefine((value, context) => {
    for (const [name, text] of Object.entries(value))
      if (secretHeader.test(name) && !/\$\{\w+\}/.test(text))
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `a key does not belong in a configuration file: write \${NAME} and set this environment variable`,
        })
  })

/** A service that chainlake.yaml declares. */
const serviceDeclaration = z.strictObject({
  url: z
    .string()
    .min(1)
    .describe(
      `Base URL: scheme, host, and the part of the path that all lists share. \${NAME} and \${NAME:-default} are replaced from the environment.`,
    ),
  headers: headers
    .optional()
    .describe(
      `Headers of every request, such as authorization: Bearer \${MY_KEY}. Variables are replaced when a job reads the service; no other origin gets them.`,
    ),
  'requests-per-minute': whole(1, 'Maximum number of requests per minute. Default: learnt from the answers.'),
  'units-per-minute': whole(
    1,
    'Instead of requests-per-minute, for a service that counts units: units per minute. Lists give their cost.',
  ),
  'units-per-day': whole(
    1,
    'Units (or requests) that the service grants in any 24 hours. Default: not counted. When they are spent, the run ends with exit code 7.',
  ),
})

/** Names that lists use for the hosts of the REST service, and the word for nodes. */
const taken = ['data', 'metrics', 'node', 'service']

export const servicesSchema = z.record(
  z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, 'must be in lower case, such as my-service')
    .refine((name) => !taken.includes(name), 'is the name of a service of chainlake: take another one'),
  serviceDeclaration.refine(
    (service) => service['requests-per-minute'] === undefined || service['units-per-minute'] === undefined,
    { message: 'cannot be combined with requests-per-minute', path: ['units-per-minute'] },
  ),
)
