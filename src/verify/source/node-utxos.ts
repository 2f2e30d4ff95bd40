import { decodeUtxoPage } from '../../decode/node/utxos.ts'
import { theNode } from '../../define/index.ts'
import { askNode } from '../../sources/node-client.ts'
import { readHeightOfNode } from '../../sources/node-height.ts'
import type { UtxoChain } from '../rows/lake-utxos.ts'
import { fxsOfNode } from './node-fxs.ts'
import type { NodeQuestions, Outcome } from './node-questions.ts'
import type { SourceOptions } from './node-sample.ts'

export type NodeUtxo = ReturnType<ReturnType<typeof decodeUtxoPage>>['rows']['utxos'][number]

/** UTXOs per page, the maximum of nodes. */
const mostUtxos = 1_024

/** Reads all pages of UTXOs that a node lists for an address (platform.getUTXOs, avm.getUTXOs), without duplicates. */
export async function utxosOfNode(
  { name, network, blockchainId, state: { namespace } }: UtxoChain,
  address: string,
  options: SourceOptions,
  questions: NodeQuestions,
  limit = mostUtxos,
): Promise<Outcome<readonly NodeUtxo[]>> {
  const { connection, identity, stop } = options
  const fxs = await fxsOfNode(name, options, questions)
  if (fxs === 'unknown') return null
  const decode = decodeUtxoPage({
    network,
    hrp: identity.hrp,
    chain: namespace === 'platform' ? 'P' : 'X',
    fxs,
    blockchainId,
    sourceChainId: null,
    subject: '',
    limit,
    addressCount: 1,
    stateTransactions: new Map(),
  })
  const ask = (token: string | null) =>
    questions.ask(`${namespace}.getUTXOs of ${name}`, () =>
      askNode(
        connection,
        {
          host: 'node',
          endpoint: theNode,
          path: `/ext/bc/${name}`,
          method: `${namespace}.getUTXOs`,
          params: {
            addresses: [`${name}-${address}`],
            limit,
            encoding: 'hex',
            ...(token === null ? {} : { startIndex: JSON.parse(token) as object }),
          },
        },
        { parse: (answer) => decode(answer, context, token), signal: stop },
      ),
    )
  const found = new Map<string, NodeUtxo>()
  for (let outcome = await ask(null); ; ) {
    if (outcome === null || 'refusal' in outcome) return outcome
    for (const utxo of outcome.answer.rows.utxos) found.set(utxo.utxo_id, utxo)
    if (outcome.answer.next === null) return { answer: [...found.values()] }
    outcome = await ask(outcome.answer.next)
  }
}

/** The height of the chain at the node. */
export function heightOfNode(
  { name, state: { namespace } }: UtxoChain,
  { connection, stop }: SourceOptions,
  questions: NodeQuestions,
): Promise<Outcome<number>> {
  return questions.ask(`${namespace}.getHeight of ${name}`, () =>
    readHeightOfNode(connection, { chain: name, namespace }, stop),
  )
}

/** A context for the decoder; none of these values becomes part of a row. */
const context = { observationId: '', observedAt: 0n, unknownField: () => undefined, memory: new Map<string, unknown>() }
