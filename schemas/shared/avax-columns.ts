import type { ViewColumns } from '../../src/define/index.ts'

const otherAssets = 'null for other assets, and where chains does not name the asset.'

/** Whole AVAX next to an amount of any asset. */
export const amountAvaxColumns = {
  amount_avax: { type: 'DECIMAL(29,9)', comment: `The amount in AVAX, exact; ${otherAssets}` },
} satisfies ViewColumns

export const countedAvaxColumns = {
  counted_avax: { type: 'DECIMAL(29,9)', comment: `The counted amount in AVAX, exact; ${otherAssets}` },
} satisfies ViewColumns

/** Whole AVAX next to a sum of burned amounts. */
export const burnedAvaxColumns = {
  burned_avax: { type: 'DECIMAL(38,9)', comment: 'The same in AVAX, exact.' },
} satisfies ViewColumns

/** Whole AVAX next to a weight. */
export const stakeAvaxColumns = {
  stake_avax: {
    type: 'DECIMAL(29,9)',
    comment: 'Stake on the Primary Network in AVAX, exact; null for other subnets.',
  },
} satisfies ViewColumns
