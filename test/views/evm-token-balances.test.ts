import { expect, test } from 'vitest'
import { evmTokenTransfers } from '../../schemas/evm-blocks.ts'
import { publish, rowsOf, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

const zero = `0x${'0'.repeat(40)}`
const addresses = [zero, ...[1, 2, 3].map((n) => `0x${String(n).padStart(40, '0')}`)]
/** Amounts at the limits of DECIMAL(38,0), of the parts that the view adds, and of 256 bits. */
const amounts = [0n, 1n, 7n * 10n ** 18n, ...[25n, 26n, 37n, 38n, 51n, 52n, 76n].map((digits) => 10n ** digits)]
  .flatMap((amount) => [amount, amount - 1n, amount * 9n])
  .concat(2n ** 256n - 1n)
  .filter((amount) => amount >= 0n)

const transfer = (at: number, from: string, to: string, amount: bigint): TestRow => ({
  network: 'fuji',
  chain_id: '43113',
  block_number: at,
  block_time: `2024-01-${String(1 + Math.floor(at / 12)).padStart(2, '0')}T00:00:00Z`,
  transaction_index: 0,
  transaction_hash: '0x',
  log_index: at,
  position: 0,
  standard: 'erc20',
  token_address: at % 5 === 0 ? '0xbb' : '0xaa',
  from_address: from,
  to_address: to,
  amount: amount < 10n ** 38n ? amount : null,
  amount_raw: `${amount}`,
})

/** Each amount from each address to the next one, in an order without a pattern. */
const transfers = Array.from({ length: 300 }, (_, at) =>
  transfer(at, addresses[(at * 7) % 4]!, addresses[(at * 11 + (at % 3)) % 4]!, amounts[(at * 13) % amounts.length]!),
)

/** The balances in the order of time, one transfer after another. */
function expectedBalances(): Record<string, unknown>[] {
  const balances = new Map<string, bigint>()
  const days = new Map<string, Record<string, unknown> & { readonly change: bigint; readonly count: number }>()
  for (const { token_address, from_address, to_address, block_time, amount_raw } of transfers)
    for (const [address, sign] of [
      [String(from_address), -1n],
      [String(to_address), 1n],
    ] as const) {
      if (address === zero) continue
      const holder = `${token_address} ${address}`
      const day = String(block_time).slice(0, 10)
      const amount = sign * BigInt(String(amount_raw))
      balances.set(holder, (balances.get(holder) ?? 0n) + amount)
      const before = days.get(`${holder} ${day}`)
      const [change, count] = [(before?.change ?? 0n) + amount, (before?.count ?? 0) + 1]
      days.set(`${holder} ${day}`, { key: `${holder} ${day}`, change, count, balance: balances.get(holder) })
    }
  return [...days.values()].map(({ key, change, count, balance }) => ({
    key,
    transfer_count: count,
    balance_change: fitting(change),
    balance_change_raw: `${change}`,
    balance: fitting(balance as bigint),
    balance_raw: `${balance}`,
  }))
}

const fitting = (amount: bigint) => (String(amount).replace('-', '').length > 38 ? null : `${amount}`)

async function lakeOfTransfers(): Promise<string> {
  const lakeDir = temporaryFolder()
  await writeRows(lakeDir, evmTokenTransfers, 'data/evm_token_transfers/rows.parquet', transfers)
  await publish(lakeDir, { evm_token_transfers: ['data/evm_token_transfers/rows.parquet'] })
  return lakeDir
}

test('evm_token_balances is exact for 256 bits, also where a balance is negative', async () => {
  const lakeDir = await lakeOfTransfers()
  const found = await rowsOf(
    lakeDir,
    `SELECT token_address || ' ' || address || ' ' || day AS key, transfer_count, balance_change::VARCHAR AS balance_change,
       balance_change_raw, balance::VARCHAR AS balance, balance_raw
     FROM evm_token_balances ORDER BY key`,
  )
  const expected = expectedBalances()
  expect(found).toEqual(expected.toSorted((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1)))
  const texts = found.map(({ balance_raw }) => String(balance_raw))
  expect(texts.some((text) => /^-\d{77}/.test(text)) && texts.some((text) => /^\d{77}/.test(text))).toBe(true)
})

test('next_day begins the next row of the same address, and a filter by address reaches the files', async () => {
  const lakeDir = await lakeOfTransfers()
  const [row] = await rowsOf(
    lakeDir,
    `SELECT count(*) AS total, count(next_day) AS followed, bool_and(next_day IS NOT DISTINCT FROM later) AS is_next
     FROM (SELECT *, (SELECT min(day) FROM evm_token_balances AS other WHERE other.token_address = own.token_address
       AND other.address = own.address AND other.day > own.day) AS later FROM evm_token_balances AS own)`,
  )
  expect(row).toEqual({ total: 135, followed: 129, is_next: true })
  const [plan] = await rowsOf(lakeDir, `EXPLAIN SELECT * FROM evm_token_balances WHERE address = '${addresses[1]}'`)
  const filters = String(plan!['explain_value']).split('Filters:').at(-1)
  expect(filters).toMatch(/to_address= +││ +from_address=/)
})
