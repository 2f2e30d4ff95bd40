import { bullets, codeBlock, type Document, documentText, markdownTable, paragraph } from '../text/markdown.ts'
import type { ErrorFacts } from './error-fact.ts'
import { errorSections } from './index.ts'

/** The reference of all error codes. */
export function errorsPage(): Document {
  const text = documentText('Error codes', [
    paragraph(
      'Each error has a code, which scripts may match on: codes do not change. A command prints the message, the facts and a hint to stderr. With `--json` it also prints an object to stdout:',
    ),
    codeBlock('json', JSON.stringify(example, null, 2)),
    bullets([
      'The exit code of the command follows from the code: see [exit codes](exit-codes.md).',
      'A code without a second part, such as `transport`, is used where no other code describes the error better.',
      'Codes of the file system become codes such as `storage.eio`; one that is not listed means what the operating system means by it. Exit code 5.',
      'Pipelines of your own may use codes of their own.',
    ]),
    ...errorSections.flatMap(([title, errors]) => [`## ${title}`, errorsTable(errors)]),
  ])
  return { path: 'docs/reference/errors.md', text }
}

/** As `chainlake plan p-blocks --json` prints it without a node. */
const example = {
  error: {
    code: 'transport.connection',
    message: 'No answer from http://127.0.0.1:9650/ext/info: connection refused (7 tries).',
    details: { request: 'info.getNetworkID', cause: 'ECONNREFUSED', tries: 7 },
    hint: 'Check that the service is running and that the URL names its host and port.',
  },
}

function errorsTable(errors: ErrorFacts): string {
  const rows = Object.entries(errors)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, [exitCode, cause, remedy]]) => [`\`${code}\``, String(exitCode), cause, remedy])
  return markdownTable(['code', 'exit code', 'cause', 'what to do'], rows)
}
