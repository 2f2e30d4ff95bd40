import { expect, test } from 'vitest'
import {
  CatalogError,
  CatalogUnreachableError,
  type ChainlakeError,
  ConfigError,
  DecodeError,
  errorKind,
  HttpError,
  LockedError,
  PostponedError,
  RateLimitError,
  RpcError,
  StorageError,
  StreamTakenError,
  TimeoutError,
  TransportError,
} from '../src/errors.ts'

const rpc = (answer: string, code = -32000) => new RpcError(`It failed: ${answer}`, { code, answer })

test.each<[string, ChainlakeError, string, boolean]>([
  ['a source that does not answer', new TransportError('No.'), 'transient', true],
  ['a source that answers too late', new TimeoutError('No.'), 'transient', true],
  ['a source that throttles', new RateLimitError('No.', undefined), 'transient', true],
  ['a server with a failure', new HttpError('No.', 502), 'transient', true],
  ['a server that refuses', new HttpError('No.', 404), 'lasting', false],
  ['a code that says it', new TransportError('No.', { code: 'evm.missing-block' }), 'lagging', true],
  [
    'a thrower that knows better',
    new TransportError('No.', { code: 'transport.rpc', kind: 'lasting' }),
    'lasting',
    false,
  ],
  ['a catalog that does not answer', new CatalogUnreachableError('No.'), 'transient', true],
  ['a lock of the catalog', new LockedError('No.'), 'held', true],
  ['work that another process does', new LockedError('No.', { code: 'catalog.work-locked' }), 'taken', false],
  ['streams of another run', new StreamTakenError('No.', ['local/P/block']), 'taken', false],
  ['a commit after the comparison', new CatalogError('No.', { code: 'catalog.conflict' }), 'conflict', true],
  ['a slice that another run committed', new CatalogError('No.', { code: 'catalog.overlap' }), 'overtaken', false],
  ['a commit without an answer', new CatalogError('No.', { code: 'catalog.unknown-outcome' }), 'uncertain', true],
  ['a spent budget', new PostponedError('No.', new Date()), 'postponed', false],
  ['a task of another version', new ConfigError('No.', { code: 'work.format' }), 'unfit', false],
  ['a wrong setting', new ConfigError('No.'), 'lasting', false],
  ['a full disk', new StorageError('No.', { kind: 'transient' }), 'transient', true],
  ['wrong bytes', new DecodeError('No.'), 'lasting', false],
  ['bytes that another try may get right', new DecodeError('No.', { kind: 'lagging' }), 'lagging', false],
])('the kind of an error says what to do about %s', (_, error, kind, retryable) => {
  expect({ kind: errorKind(error), retryable: error.retryable }).toEqual({ kind, retryable })
})

test.each([
  ['header not found', 'lagging'],
  ['cannot query unfinalized data', 'lagging'],
  ['One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found', 'lagging'],
  ['no container at index 7', 'lagging'],
  ["requested a future epoch (beyond 'latest')", 'lagging'],
  ['Block could not be found', 'lagging'],
  ['Api called for an unknown Block: State already discarded for 0x1f', 'pruned'],
  ['No state available for block 0x1f', 'pruned'],
  ['no state found for block number 7', 'pruned'],
  ['failed to load state at height 7; version does not exist (latest height: 9)', 'pruned'],
  ['missing trie node 1f (path ) state 0x1f is not available', 'pruned'],
  ['required historical state unavailable (reexec=128)', 'pruned'],
  ['pruned history unavailable', 'lasting'],
  ['the method debug_traceBlockByNumber does not exist/is not available', 'unsupported'],
  ['rpc: can\'t find method "xvm.getHeight"', 'unsupported'],
  ['execution reverted', 'lasting'],
  ['method eth_getBlockReceipts is temporarily disabled', 'unsupported'],
  ['could not read the block: internal error 7', 'lasting'],
  ['query returned more than 10000 results', 'lasting'],
  // Nethermind says so of a state that it has not.
  ['Internal error', 'lasting'],
  ['Archive node is not available on the free plan', 'lasting'],
  ['this node is pruned: logs not available', 'lasting'],
  ['the server has exhausted the log limit', 'lasting'],
])('the words of a node say the kind of a refusal: %s', (answer, kind) => {
  expect({ kind: rpc(answer).kind, retryable: rpc(answer).retryable }).toEqual({ kind, retryable: false })
})

test.each([
  'Temporary internal error. Please retry, trace-id: 1f',
  'no backends available for method',
  'backend is currently not healthy to serve traffic',
  'upstream connect error or disconnect/reset before headers',
  'Service Unavailable',
  'server is busy',
])('the words of a node say that it fails at the moment: %s', (answer) => {
  expect({ kind: rpc(answer).kind, retryable: rpc(answer).retryable }).toEqual({ kind: 'transient', retryable: true })
  expect(rpc(`execution reverted: ${answer}`).kind).toBe('lasting')
  expect(rpc(answer, 3).kind).toBe('lasting')
})

test('what is no error of chainlake has no kind', () => {
  expect([errorKind(new Error('No.')), errorKind('stopped'), errorKind(undefined)]).toEqual([null, null, null])
})
