import { evmQueries } from './evm-queries.ts'
import type { ExampleQueries } from './example-query.ts'
import { nodeQueries } from './node-queries.ts'
import { serviceQueries } from './service-queries.ts'

/** All example queries. Questions of analysts are in `examples/queries`; these show how to use one table. */
export const exampleQueries: ExampleQueries = { ...nodeQueries, ...evmQueries, ...serviceQueries }
