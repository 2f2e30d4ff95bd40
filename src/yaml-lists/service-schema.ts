import { z } from 'zod'

const whole = (comment: string) => z.int().min(1).optional().describe(comment)

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
  'requests-per-minute': whole('Maximum number of requests per minute. Default: learnt from the answers.'),
  'units-per-minute': whole(
    'Instead of requests-per-minute, for a service that counts units: units per minute. Lists give their cost.',
  ),
  'units-per-day': whole(
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

export type ServicesText = z.infer<typeof servicesSchema>
export type ServiceDeclaration = z.infer<typeof serviceDeclaration>
