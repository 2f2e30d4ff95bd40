import type { PageColumn } from '../data/page-data.ts'

/** Decimal places of amounts in nAVAX, on the P-Chain and the X-Chain. */
const nano = 9
/** Decimal places of amounts in wei, on EVM chains. */
const atto = 18

export const text = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'text' } })
export const time = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'time' } })
export const count = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'whole' } })
export const bytes = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', unit: 'bytes' },
})
export const seconds = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'number', unit: 's' },
})
export const decimal = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'number' } })
/** An amount in nAVAX. */
export const nanos = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', decimals: nano, unit: 'tokens' },
})
/** An amount in wei. */
export const weis = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', decimals: atto, unit: 'tokens' },
})
