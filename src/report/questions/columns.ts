import type { PageColumn } from '../data/page-data.ts'

/** Decimal places of the native token of the P and X chain, whose least unit is a billionth. */
const nano = 9
/** Of native tokens of EVM chains. */
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
/** An amount in billionths. */
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
