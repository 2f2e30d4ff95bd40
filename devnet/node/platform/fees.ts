import type { RpcMethod } from '../../http/json-rpc.ts'
import type { PrimaryLedger, PrimaryState } from '../../service/primary/ledger/ledger.ts'

type FeeMethods = Readonly<
  Record<'getFeeConfig' | 'getFeeState' | 'getValidatorFeeConfig' | 'getValidatorFeeState', RpcMethod>
>

/** The fees of an idle chain: nothing is above the target, so the prices are the lowest ones. The configuration is that of the recorded nodes. */
export function feeMethods(ledger: PrimaryLedger): FeeMethods {
  const answer = (value: object) => [JSON.stringify(value)]
  return {
    getFeeConfig: () =>
      answer({
        weights: [1, 1000, 1000, 4],
        maxCapacity: 1_000_000,
        maxPerSecond: 100_000,
        targetPerSecond: 50_000,
        minPrice: 1,
        excessConversionConstant: 2_164_043,
      }),
    getFeeState: async () =>
      answer({ capacity: 1_000_000, excess: 0, price: 1, timestamp: chainTime(await ledger.state()) }),
    getValidatorFeeConfig: () =>
      answer({ capacity: 20_000, target: 10_000, minPrice: 1, excessConversionConstant: 865_617 }),
    getValidatorFeeState: async () => answer({ excess: 0, price: 1, timestamp: chainTime(await ledger.state()) }),
  }
}

/** The time of the P-Chain, as its methods write it. */
export function chainTime({ times }: PrimaryState): string {
  return new Date(times.P * 1000).toISOString().replace('.000Z', 'Z')
}
