export { checked } from './check.ts'
export { ServiceError } from './error.ts'
export type { ListAnswer, Rows } from './list-answer.ts'
export { blockchainReader, type ChainAlias, evmAddress, nodeId } from './parts.ts'
export {
  listRoute,
  type PlainAnswer,
  plainRoute,
  type ServiceCall,
  type ServiceRoute,
  totalsOfRoutes,
} from './route.ts'
export { amount, boolean, choice, commaList, integer, listOf, type Reader, repeated, text } from './rules.ts'
export { between } from './times.ts'
export { totalsOf } from './totals.ts'
