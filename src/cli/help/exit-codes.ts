/** Every exit code of a command: in a word or two for the help, and in full for the README. */
export const exitCodes: readonly { readonly code: string; readonly short: string; readonly means: string }[] = [
  { code: '0', short: 'success', means: 'success, also when there was nothing new' },
  { code: '1', short: 'unexpected error', means: 'unexpected error' },
  { code: '2', short: 'wrong input', means: 'wrong flag, configuration or query' },
  {
    code: '3',
    short: 'source failed',
    means: 'the node or service did not give a usable answer, also until `--deadline` passed, or a list has no end',
  },
  { code: '4', short: 'invalid bytes or rows', means: 'invalid bytes or rows' },
  {
    code: '5',
    short: 'lake locked, full or of another network',
    means:
      'the lake is locked, of another network or version, or its disk is full; the catalog or the store cannot be reached',
  },
  { code: '6', short: 'lake damaged', means: "the lake's data is damaged" },
  {
    code: '7',
    short: 'to be continued: run again later',
    means:
      'to be continued: everything complete is committed; the service accepts no request before `resumeAt` (in `--json`), or `--deadline` passed (`unfinished`); not a failure',
  },
  {
    code: '8',
    short: 'busy: another run holds a stream',
    means: 'busy: other runs hold streams of some jobs (`busy` in `--json`); the other jobs ran',
  },
  {
    code: '9',
    short: 'stale (status --max-age), or incomplete (gaps --check)',
    means:
      'stale: the head of a stream was last reached longer ago than `status --max-age` allows; old: its newest block is older than `status --max-block-age` allows; or incomplete: `gaps --check` found something missing',
  },
  { code: '130, 143', short: 'stopped by a signal', means: 'stopped by SIGINT or SIGTERM, after a last commit' },
]
