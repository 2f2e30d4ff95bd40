import { decodeCb58, idText, txIdInBlock } from '../../codec/ids.ts'
import { encode } from '../../codec/linear.ts'
import { type PBlockValue, type PTx, pTx, type UnsignedPTx } from '../../codec/p.ts'
import { exportFrom, type Traffic } from './traffic.ts'

/** Follows a chain block by block and collects contradictions. */
export type PLedger = {
  readonly problems: string[]
  readonly txTypes: Map<string, number>
  /** How many inputs spent rewards, returned stakes, refunds and genesis outputs. */
  readonly spent: { rewards: number; stakes: number; refunds: number; genesis: number }
  add(block: PBlockValue, where: string): void
}

type Coin = { amount: bigint | null; asset: string; origin: 'output' | 'stake' | 'reward' | 'refund' }
type Proposal = { id: string; tx: PTx }

export function createPLedger(nativeAsset: string, traffic: Traffic): PLedger {
  const coins = new Map<string, Coin>()
  const genesisSpent = new Set<string>()
  const staking = new Map<string, UnsignedPTx>()
  const periods = new Map<string, bigint>()
  const problems: string[] = []
  const txTypes = new Map<string, number>()
  const spent = { rewards: 0, stakes: 0, refunds: 0, genesis: 0 }
  let proposal: Proposal | null = null

  const produce = (id: string, first: number, outputs: readonly Output[], origin: Coin['origin']): void => {
    outputs.forEach((output, position) => {
      const key = `${id}:${first + position}`
      if (coins.has(key)) problems.push(`${key} is produced twice`)
      coins.set(key, { amount: amountOf(output), asset: idText(output.assetID), origin })
    })
  }
  const consume = (tx: Spending, where: string): void => {
    for (const input of tx.inputs) {
      const from = idText(input.txID)
      const key = `${from}:${input.outputIndex}`
      if (from === zeroText) {
        if (genesisSpent.has(key)) problems.push(`${where} spends ${key} again`)
        genesisSpent.add(key)
        spent.genesis += 1
        continue
      }
      const coin = coins.get(key)
      if (coin === undefined) {
        problems.push(`${where} spends ${key}, which is not there`)
        continue
      }
      coins.delete(key)
      if (coin.amount !== null && coin.amount !== amountIn(input)) problems.push(`${where} misstates ${key}`)
      if (coin.origin === 'reward') spent.rewards += 1
      if (coin.origin === 'stake') spent.stakes += 1
      if (coin.origin === 'refund') spent.refunds += 1
    }
    for (const input of 'importedInputs' in tx ? tx.importedInputs : []) {
      const moved = { asset: idText(input.assetID), amount: amountIn(input) }
      traffic.import('P', (tx as ImportTx).sourceChain, input, moved)
    }
    const burned = burnedBy(tx, nativeAsset)
    if (burned <= 0n) problems.push(`${where} burns ${burned}`)
  }
  const accept = (id: string, tx: UnsignedPTx): void => {
    if (!('outputs' in tx)) return
    produce(id, 0, tx.outputs, 'output')
    if (tx.type === 'ExportTx') exportFrom('P', traffic, decodeCb58(id), tx.outputs.length, tx)
    if ('stake' in tx) staking.set(id, tx)
    if (tx.type === 'AddAutoRenewedValidatorTx') periods.set(id, tx.period)
    if (tx.type === 'SetAutoRenewedValidatorConfigTx') periods.set(idText(tx.txID), tx.period)
    if (tx.type === 'SetL1ValidatorWeightTx' || tx.type === 'DisableL1ValidatorTx') {
      coins.set(`${id}:${tx.outputs.length}`, { amount: null, asset: nativeAsset, origin: 'refund' })
    }
  }
  const end = (id: string, paid: boolean): void => {
    const tx = staking.get(id)
    if (tx === undefined || !('stake' in tx)) {
      problems.push(`${id} is rewarded but does not stake`)
      return
    }
    const first = tx.outputs.length
    produce(id, first, tx.stake, 'stake')
    const asset = idText(tx.stake[0]!.assetID)
    for (const slot of paid ? [0, 1] : [0]) {
      coins.set(`${id}:${first + tx.stake.length + slot}`, { amount: null, asset, origin: 'reward' })
    }
    staking.delete(id)
  }
  const idOf = (tx: PTx): string => idText(txIdInBlock(encode(pTx, tx)))
  const see = (tx: PTx, where: string): string => {
    const { unsignedTx } = tx
    txTypes.set(unsignedTx.type, (txTypes.get(unsignedTx.type) ?? 0) + 1)
    if ('inputs' in unsignedTx) {
      consume(unsignedTx, `${where} ${unsignedTx.type}`)
      const signers = unsignedTx.inputs.length + ('importedInputs' in unsignedTx ? unsignedTx.importedInputs.length : 0)
      if (tx.credentials.length < signers) problems.push(`${where} has too few credentials`)
    }
    return idOf(tx)
  }
  const decide = (commit: boolean): void => {
    if (proposal === null) {
      problems.push('an option without a proposal')
      return
    }
    const { id, tx } = proposal
    const { unsignedTx } = tx
    if (unsignedTx.type === 'RewardValidatorTx') end(idText(unsignedTx.txID), commit)
    // The rewards of an auto-renewed validation stay in it while it continues. Its last period pays them.
    else if (unsignedTx.type === 'RewardAutoRenewedValidatorTx') {
      const staked = idText(unsignedTx.txID)
      if (!staking.has(staked)) problems.push(`${staked} is renewed after its end`)
      if (!commit || periods.get(staked) === 0n) end(staked, commit)
    } else if (commit) accept(id, unsignedTx)
    else if ('stake' in unsignedTx) produce(id, 0, [...unsignedTx.outputs, ...unsignedTx.stake], 'output')
    else accept(id, unsignedTx)
    proposal = null
  }
  return {
    problems,
    txTypes,
    spent,
    add: (block, where) => {
      if (block.type.endsWith('CommitBlock')) return decide(true)
      if (block.type.endsWith('AbortBlock')) return decide(false)
      if (proposal !== null) problems.push(`${where} stands where an option should`)
      for (const tx of 'txs' in block ? block.txs : []) accept(see(tx, where), tx.unsignedTx)
      if (!('tx' in block)) return
      const id = see(block.tx, where)
      if (block.type === 'ApricotAtomicBlock') accept(id, block.tx.unsignedTx)
      else proposal = { id, tx: block.tx }
    },
  }
}

type Spending = Extract<UnsignedPTx, { inputs: unknown }>
type ImportTx = Extract<UnsignedPTx, { type: 'ImportTx' }>
type Output = Spending['outputs'][number]
type Input = Spending['inputs'][number]

const zeroText = '11111111111111111111111111111111LpoYY'

function amountOf({ output }: Output): bigint {
  return output.type === 'stakeable.LockOut' ? output.output.amount : output.amount
}

function amountIn({ input }: Input): bigint {
  return input.type === 'stakeable.LockIn' ? input.input.amount : input.amount
}

/** Native inputs minus all native outputs and the balances of L1 validators, in nAVAX. */
function burnedBy(tx: Spending, native: string): bigint {
  const inputs = [...tx.inputs, ...('importedInputs' in tx ? tx.importedInputs : [])]
  const outputs = [
    ...tx.outputs,
    ...('stake' in tx ? tx.stake : []),
    ...('exportedOutputs' in tx ? tx.exportedOutputs : []),
  ]
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
  const isNative = ({ assetID }: { assetID: Uint8Array }): boolean => idText(assetID) === native
  const balances = tx.type === 'ConvertSubnetToL1Tx' ? tx.validators.map(({ balance }) => balance) : []
  const balance = 'balance' in tx ? tx.balance : 0n
  return (
    sum(inputs.filter(isNative).map(amountIn)) - sum(outputs.filter(isNative).map(amountOf)) - sum(balances) - balance
  )
}
